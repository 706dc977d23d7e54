"""Join a passage of one document with one of another, where a question needs a fact of each.

A passage on the question names something that the question does not: "Ms Dorn proposes a later bus." What another
document says of that is read together with it, as one statement: "Ring Ms Dorn on Tuesdays."
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import ANSWERS, Candidate
from memory_bank.judgement.reader import Reader
from memory_bank.judgement.statement import Statement
from memory_bank.search.relevance import weighted_overlap
from memory_bank.text.tokens import tokenize

STARTS = 4
"""Passages on the question from which another document is looked up."""
MOST_PAIRS = 12
"""Most pairs of passages that are read."""


def joined(question: str, ranked: Sequence[Candidate], reader: Reader) -> Candidate | None:
    """The two passages of different documents that together answer, likelier than any alone; None if none do."""
    pairs = _pairs(question, [candidate.passage for candidate in ranked])
    answers = reader.answers(question, [Statement(f"{one.text} {two.text}", two.context) for one, two in pairs])
    best = max(range(len(pairs)), key=lambda n: answers[n].probability, default=None)
    if best is None or answers[best].probability < max(ANSWERS, ranked[0].probability):
        return None
    one, two = pairs[best]
    return Candidate(one, answers[best].probability, beside=(two,))


def _pairs(question: str, passages: Sequence[CandidatePassage]) -> list[tuple[CandidatePassage, CandidatePassage]]:
    """The passages with most words of the question, each with those of other documents that share other words with it.

    Those with the rarest words in common come first.
    """
    asked = set(tokenize(question))
    words = [set(tokenize(passage.text)) for passage in passages]
    counts = Counter(word for one in words for word in one)
    overlap = weighted_overlap(question, [passage.text for passage in passages])
    starts = [int(n) for n in np.argsort(-overlap, kind="stable")[:STARTS] if overlap[n] > 0]
    weights = {
        (start, n): sum(math.log(len(passages) / counts[word]) for word in (words[start] - asked) & words[n])
        for start in starts
        for n in range(len(passages))
        if passages[n].document != passages[start].document
    }
    ordered = sorted((pair for pair in weights if weights[pair] > 0), key=lambda pair: -weights[pair])
    return [(passages[start], passages[n]) for start, n in ordered[:MOST_PAIRS]]
