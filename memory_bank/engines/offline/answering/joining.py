"""Join a passage of one document with one of another, where a question needs a fact of each.

A passage on the question has a name that the question has not: "Ms Dorn proposes a later bus." What another document
says of that name is read together with it, as one statement: "Ring Ms Dorn on Tuesdays."
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import ANSWERS, Candidate
from memory_bank.judgement.reader import Reader
from memory_bank.judgement.statement import Statement
from memory_bank.search.relevance import weighted_overlap
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import ValueKind, extract_values

STARTS = 4
"""Passages on the question from which another document is looked up."""
MOST_PAIRS = 12
"""Most pairs of passages that are read."""


def joined(question: str, ranked: Sequence[Candidate], reader: Reader) -> Candidate | None:
    """The two passages of different documents that together likeliest answer; None if none do, or one does alone."""
    if not ranked or ranked[0].probability >= ANSWERS:
        return None
    pairs = _pairs(question, [candidate.passage for candidate in ranked])
    answers = reader.answers(question, [Statement(f"{one.text} {two.text}", two.context) for one, two in pairs])
    best = max(range(len(pairs)), key=lambda n: answers[n].probability, default=None)
    if best is None or answers[best].probability < ANSWERS:
        return None
    one, two = pairs[best]
    return Candidate(one, answers[best].probability, beside=(two,))


def _pairs(question: str, passages: Sequence[CandidatePassage]) -> list[tuple[CandidatePassage, CandidatePassage]]:
    """The passages with most words of the question, each with what other documents say of a name in it.

    A name that the question has too leads nowhere new.
    """
    asked = set(tokenize(question))
    overlap = weighted_overlap(question, [passage.text for passage in passages])
    starts = [passages[n] for n in np.argsort(-overlap, kind="stable")[:STARTS] if overlap[n] > 0]
    names = {passage: _names(passage.text) for passage in passages}
    return [
        (start, passage)
        for start in starts
        for passage in passages
        if passage.document != start.document and (names[start] - asked) & names[passage]
    ][:MOST_PAIRS]


def _names(text: str) -> set[str]:
    """The words of the names in a text."""
    return {word for value in extract_values(text) if value.kind is ValueKind.NAME for word in tokenize(value.text)}
