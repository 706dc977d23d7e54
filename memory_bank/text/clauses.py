"""Split a sentence into its clauses, as character spans.

A clause ends at a comma, a semicolon, a colon, a dash or a bracket, or before a conjunction. Lists are cut too: whoever
looks for the part of a sentence that bears on something compares the parts anyway.
"""

from __future__ import annotations

import re

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


def clauses(sentence: str) -> list[Span]:
    """The clauses of a sentence, in order, without what separates them."""
    spans, start = list[Span](), 0
    for separator in _BREAK.finditer(sentence):
        if len(spans) == MOST_CLAUSES - 1:
            break
        if _is_long(sentence[start : separator.start()]) and _is_long(sentence[separator.end() :]):
            spans.append(Span(start, separator.start()))
            start = separator.end()
    return [*spans, Span(start, len(sentence))]


def runs_of_clauses(sentence: str) -> list[Span]:
    """Every run of clauses that follow one another: each clause by itself, and the whole sentence among them."""
    found = clauses(sentence)
    return [
        Span(found[first].start, found[last].end) for first in range(len(found)) for last in range(first, len(found))
    ]


def _is_long(text: str) -> bool:
    return len(words(text)) >= FEWEST_WORDS
