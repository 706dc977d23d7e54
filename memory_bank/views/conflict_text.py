"""What is told of a conflict in words: what it is about, how sure it is that it is one, and in which order."""

from __future__ import annotations

from memory_bank.bank.conflict import Conflict, Status
from memory_bank.text.difference import Piece
from memory_bank.text.disagreement import MOST_TOPIC, contrary_values, disagreement
from memory_bank.text.shortening import shorten
from memory_bank.text.wording import one_line
from memory_bank.views.i18n import Translator

STATUS_ORDER: tuple[Status, ...] = ("open", "disputed", "resolved")
LIKELY, VERY_LIKELY = 0.75, 0.9
"""Probabilities from which a contradiction is called likely, and very likely.

They are those that already decide something. The pair model, which is calibrated, reports a pair of two documents
from .5 (`conflict_between`), but only from .75 where there are no sources to check it against or both sides stand in
one document, which seldom contradicts itself (`conflict_inside`): what lies between is called possible. From .9 any
pair is opened, even where a language model does not confirm it.
"""


def conflict_heading(conflict: Conflict, words: Translator) -> str:
    """What a conflict is about and what differs, on one line. It holds words of documents: escape it in markup."""
    first, second = (claim.text for claim in conflict.claims)
    found = disagreement(first, second)
    topic = found.topic[:1].upper() + found.topic[1:]
    if found.sides is None:
        return f"{topic} …" if topic else f"“{shorten(one_line(first), MOST_TOPIC)}”"
    either = {"first": found.sides[0], "second": found.sides[1]}
    if not topic:
        return words.say("{first} or {second}", **either)
    return words.say("{topic}: {first} or {second}", topic=topic, **either)


def refuted_pieces(text: str, conflict: Conflict | None) -> tuple[Piece, ...]:
    """A refuted statement of a conflict on one line, with the value marked that the other side has otherwise."""
    line = one_line(text)
    if conflict is not None:
        of_first = any(claim.text == text for claim in conflict.sides[0])
        places = contrary_values(line, one_line(conflict.claims[1 if of_first else 0].text))
        if places is not None:
            start, end = places[0]
            return (line[:start], False), (line[start:end], True), (line[end:], False)
    return ((line, False),)


def certainty(conflict: Conflict, words: Translator) -> str:
    """How sure it is that the two sides contradict each other, in words; empty where it is decided or not known."""
    if conflict.probability is None or not conflict.undecided:
        return ""
    if conflict.probability >= VERY_LIKELY:
        return words.say("very likely a contradiction")
    if conflict.probability >= LIKELY:
        return words.say("likely a contradiction")
    return words.say("possibly a contradiction")


def rank(conflict: Conflict) -> tuple[int, float]:
    """A sort key: open conflicts, then disputed ones, of both the surest first; then resolved ones, oldest first."""
    probability = 0.0 if conflict.status == "resolved" else conflict.probability or 0.0
    return STATUS_ORDER.index(conflict.status), -probability
