"""Whether two texts are about the same thing, so that what they say can contradict each other.

Two churches of one name, two meetings of one board, two recipes for one dish differ in nearly every statement, and none
of these differences is a contradiction. A logistic regression (`python -m training.same_thing`) tells them apart by
what the pair model says of their openings, and by how alike they are in meaning, words, names and figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.regression import fitted
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import ValueKind, extract_values

OPENING = 500
"""Characters of a text that are read as its opening."""
MOST_STATEMENTS = 24
"""Statements that are read of each text: the first ones."""
TWO_THINGS = 0.5
"""Probability below which two texts are taken to be about two things, so that both may be right where they differ. Of
39 pairs of documents of dossiers by others that contradict each other one is below it, of 411 pairs of answers about
two things of one name, in the training corpus, 37 in 100."""
LEAST = 1e-3
"""Probability below which the log odds make no difference."""


def same_thing(
    firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder, judge: PairJudge
) -> float:
    """The probability that two texts, each given by its statements in order, are about the same thing."""
    weights, bias = fitted("same_thing")
    return 1 / (1 + math.exp(-float(bias) - float(likeness_of(firsts, seconds, embedder, judge) @ weights)))


def likeness_of(
    firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder, judge: PairJudge
) -> NDArray[np.float64]:
    """What the regression reads of two texts, whichever comes first; neither may be empty."""
    sides = [side[:MOST_STATEMENTS] for side in (firsts, seconds)]
    texts = [" ".join(" ".join(one.text for one in side).split()) for side in sides]
    opening, other_opening = (Statement(text[:OPENING]) for text in texts)
    judged = judge.judge([(opening, other_opening), (other_opening, opening)])
    beginnings = embedder.embed([f"{side[0].context} {side[0].text}".strip() for side in sides])
    vectors = [embedder.embed([one.text for one in side]) for side in sides]
    likeness = vectors[0] @ vectors[1].T
    return np.array(
        [
            *(sum(_log_odds(chance) for chance in chances) / 2 for chances in zip(*judged, strict=True)),
            float(beginnings[0] @ beginnings[1]),
            max(float(likeness.max(axis=axis).mean()) for axis in (0, 1)),
            *(_shared(one, other) for one, other in zip(*map(_words, texts), strict=True)),
        ]
    )


def _log_odds(chance: float) -> float:
    certain = min(max(chance, LEAST), 1 - LEAST)
    return math.log(certain / (1 - certain))


def _words(text: str) -> tuple[set[str], set[str], set[str]]:
    """The words of a text, those of its names, and its figures."""
    values = extract_values(text)
    names = {word for one in values if one.kind is ValueKind.NAME for word in tokenize(one.text)}
    return set(tokenize(text)), names, {one.text.casefold() for one in values if one.kind is not ValueKind.NAME}


def _shared(one: set[str], other: set[str]) -> float:
    """Which share of the fewer ones both have."""
    return len(one & other) / max(1, min(len(one), len(other)))
