"""What was said in a chat, as an entry keeps it: who said which stretch of its text, and when."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import date
from typing import Annotated

from pydantic import Field, ValidationError

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.value import Value
from memory_bank.one_line import one_line

TURNS = "turns"
"""The key of the turns in an entry's metadata."""

_Offset = Annotated[int, Field(ge=0)]


class Spoken(Value):
    """One turn: `text[start:end]`, in which the words said begin at `said`.

    `at` is a day or a time of a day in ISO 8601, as the chat has it; turns of one `sitting` were said together.
    """

    start: _Offset
    said: _Offset
    end: _Offset
    speaker: str
    at: str | None = None
    sitting: int = 0

    @property
    def day(self) -> date | None:
        """The day, where it is known."""
        try:
            return date.fromisoformat((self.at or "")[:10])
        except ValueError:
            return None

    @property
    def place(self) -> str:
        """Who said it and when: `Ada, 2023-05-08 13:56`."""
        when = (self.at or "")[:16].replace("T", " ")
        return one_line(", ".join(filter(None, (self.speaker, when))))

    def within(self, start: int, end: int) -> Spoken:
        """What of it lies in a stretch of the text."""
        edges = {name: min(max(getattr(self, name), start), end) for name in ("start", "said", "end")}
        return self.model_copy(update=edges)

    def moved(self, by: int) -> Spoken:
        """The same turn in a text in which it stands elsewhere."""
        return self.model_copy(update={"start": self.start + by, "said": self.said + by, "end": self.end + by})


def turns_of(entry: Entry) -> tuple[Spoken, ...]:
    """The turns of an entry, in order; none where it has none, or what an import says of them cannot be."""
    kept = entry.metadata.get(TURNS)
    if not isinstance(kept, list):
        return ()
    try:
        turns = tuple(Spoken.model_validate(turn) for turn in kept)
    except ValidationError:
        return ()
    edges = [edge for turn in turns for edge in (turn.start, turn.said, turn.end)]
    return turns if edges == sorted(edges) and (not edges or edges[-1] <= len(entry.text)) else ()


def turns_between(turns: tuple[Spoken, ...], start: int, end: int) -> tuple[Spoken, ...]:
    """The turns of a text, in order, that a stretch of it has a part of; of an empty one, what it lies inside."""
    first = bisect_right(turns, start, key=lambda turn: turn.end)
    return turns[first : bisect_left(turns, end, key=lambda turn: turn.start)]


def turns_within(turns: tuple[Spoken, ...], spans: Iterable[tuple[int, int]]) -> list[Spoken]:
    """The turns of some stretches of a text, in the characters of these stretches joined."""
    found: list[Spoken] = []
    length = 0
    for start, end in spans:
        found += [turn.within(start, end).moved(length - start) for turn in turns_between(turns, start, end)]
        length += end - start
    return found


def turn_at(entry: Entry, offset: int) -> Spoken | None:
    """The turn that holds a character of an entry."""
    return next((turn for turn in turns_of(entry) if turn.start <= offset < turn.end), None)


def said_by(entry: Entry, start: int, end: int) -> str:
    """Who said a passage and when, by the turn in which it ends; empty where that is not known."""
    turn = turn_at(entry, max(start, end - 1))
    return "" if turn is None else turn.place
