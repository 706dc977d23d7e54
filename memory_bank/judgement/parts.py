"""Judge whether the parts of two statements that are about the same thing contradict each other.

The network often overlooks a fact that stands in one sentence with others: “opens on 1 October and seats 120 guests”
it takes for compatible with “will open on 3 November”, “opens on 1 October” alone not. So of two sentences with several
clauses the parts that are most alike are judged too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.pair_model import Pair
from memory_bank.judgement.statement import CONTEXT_SEPARATOR, Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.span import Span
from memory_bank.text.tokens import words

FEWEST_WORDS = 3
"""Words of the shortest clause; a shorter one belongs to the next."""
MOST_CLAUSES = 4
"""Clauses of a sentence that are told apart; what comes after them belongs to the last."""
_CONJUNCTIONS = "and|but|while|und|aber|et|mais"
_BREAK = re.compile(
    rf"\s*(?:[()（）；：，—]|[;:](?=\s)|(?<=\s)–(?=\s))\s*|,\s+(?:(?:{_CONJUNCTIONS}|which|who)\s+)?|\s+(?:{_CONJUNCTIONS})\s+",
    re.IGNORECASE,
)
UNLIKELY = 0.05
"""Probability of a contradiction of two whole statements up to which their parts are not judged. Of 8,376 pairs in
held-out English and Chinese dossiers 85 % are so unlikely, and no contradiction is found in their parts."""
SURE = 0.9
"""Probability of a contradiction of two whole statements from which their parts are not judged."""
LEAST_ALIKE = 0.4
"""Cosine below which two parts are about different things."""


class JudgedPair(NamedTuple):
    """How likely two statements contradict each other, and the part of each that the contradiction is in."""

    probability: float
    first: Span
    second: Span


def judge_with_parts(pairs: Sequence[Pair], judge: PairJudge, embedder: Embedder) -> list[JudgedPair]:
    """Each pair as a whole and, where it has several clauses, by the two parts most alike; the likelier one counts.

    The statements are of two documents, read without what both contexts have: to the network one title means one text,
    which does not contradict itself, and two versions of a text have the same one.
    """
    pairs = [without_common_context(pair) for pair in pairs]
    probabilities = judge_both_ways(pairs, judge)
    parts = [whole(pair) for pair in pairs]
    likely = [n for n in range(len(pairs)) if probabilities[n] > UNLIKELY]
    for n, spans in zip(likely, _most_alike([pairs[n] for n in likely], embedder), strict=True):
        parts[n] = spans
    doubtful = [n for n in likely if probabilities[n] < SURE and parts[n] != whole(pairs[n])]
    judged = judge_both_ways([_cut(pairs[n], parts[n]) for n in doubtful], judge)
    probabilities[doubtful] = np.maximum(probabilities[doubtful], judged)
    return [JudgedPair(float(one), *spans) for one, spans in zip(probabilities, parts, strict=True)]


def disputed_parts(pair: Pair, judge: PairJudge, embedder: Embedder) -> Pair:
    """The parts of two contradicting statements that contradict each other, where they do so by themselves."""
    parts = _cut(pair, _most_alike([pair], embedder)[0])
    whole, part = judge_both_ways([pair, parts], judge)
    return parts if part >= max(whole, judge.conflict_between) else pair


def _most_alike(pairs: Sequence[Pair], embedder: Embedder) -> list[tuple[Span, Span]]:
    """Of each pair the two runs of clauses that are most alike, other than both wholes; these where none are alike."""
    runs = {side.text: runs_of_clauses(side.text) for pair in pairs for side in pair}
    several = [pair for pair in pairs if any(len(runs[side.text]) > 1 for side in pair)]
    parts = (_sentence(side.text, run) for pair in several for side in pair for run in runs[side.text])
    texts = list(dict.fromkeys(parts))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {}
    return [_best_runs(pair, runs, vectors) for pair in pairs]


def _best_runs(
    pair: Pair, runs: Mapping[str, Sequence[Span]], vectors: Mapping[str, NDArray[np.float32]]
) -> tuple[Span, Span]:
    firsts, seconds = (runs[side.text] for side in pair)
    if len(firsts) == len(seconds) == 1:
        return whole(pair)
    own, other = (np.array([vectors[_sentence(side.text, run)] for run in runs[side.text]]) for side in pair)
    cosines = own @ other.T
    cosines[firsts.index(Span(0, len(pair[0].text))), seconds.index(Span(0, len(pair[1].text)))] = -1
    i, j = divmod(int(cosines.argmax()), len(seconds))
    return (firsts[i], seconds[j]) if cosines[i, j] >= LEAST_ALIKE else whole(pair)


def without_common_context(pair: Pair) -> Pair:
    """Two statements of different documents, each without the parts of its context that the other's has too."""
    parts = [side.context.split(CONTEXT_SEPARATOR) for side in pair]
    first, second = (
        Statement(side.text, CONTEXT_SEPARATOR.join(part for part in own if part not in other))
        for side, own, other in zip(pair, parts, parts[::-1], strict=True)
    )
    return first, second


def whole(pair: Pair) -> tuple[Span, Span]:
    """The spans of both statements."""
    return Span(0, len(pair[0].text)), Span(0, len(pair[1].text))


def _cut(pair: Pair, spans: tuple[Span, Span]) -> Pair:
    first, second = (Statement(_sentence(one.text, span), one.context) for one, span in zip(pair, spans, strict=True))
    return first, second


def _sentence(text: str, span: Span) -> str:
    """A part of a statement as a sentence of its own, with a capital letter."""
    words = span.of(text)
    return words[:1].upper() + words[1:]


def clauses(sentence: str) -> list[Span]:
    """The clauses of a sentence, in order, without what separates them."""
    spans, start = list[Span](), 0
    for separator in _BREAK.finditer(sentence):
        if len(spans) == MOST_CLAUSES - 1:
            break
        around = sentence[start : separator.start()], sentence[separator.end() :]
        if all(len(words(side)) >= FEWEST_WORDS for side in around):
            spans.append(Span(start, separator.start()))
            start = separator.end()
    return [*spans, Span(start, len(sentence))]


def runs_of_clauses(sentence: str) -> list[Span]:
    """Every run of clauses that follow one another: each clause by itself, and the whole sentence among them."""
    found = clauses(sentence)
    return [Span(first.start, last.end) for n, first in enumerate(found) for last in found[n:]]
