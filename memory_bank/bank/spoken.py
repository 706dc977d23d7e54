"""The turns of a chat in the text of an entry: who said which part, and when."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import date
from typing import Annotated

from pydantic import Field, ValidationError

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.value import Value
from memory_bank.text.wording import one_line

TURNS = "turns"
"""The key of the turns in an entry's metadata."""

_Offset = Annotated[int, Field(ge=0)]


class SpokenTurn(Value):
    """One turn: `text[start:end]`; the words themselves begin at `said`, after the speaker's name.

    `at` is a date or a date and time in ISO 8601, as the chat gives it; in subtitles the time since the beginning, such
    as `00:01:02`. `sitting` numbers the chat sessions: turns with the same number belong to one session.
    """

    start: _Offset
    said: _Offset
    end: _Offset
    speaker: str
    at: str | None = None
    sitting: int = 0

    @property
    def day(self) -> date | None:
        """The day, if known."""
        try:
            return date.fromisoformat((self.at or "")[:10])
        except ValueError:
            return None

    @property
    def speaker_and_time(self) -> str:
        """The speaker and the time: `Ada, 2023-05-08 13:56`."""
        when = (self.at or "")[:16].replace("T", " ")
        return one_line(", ".join(filter(None, (self.speaker, when))))

    def within(self, start: int, end: int, by: int = 0) -> SpokenTurn:
        """The part of the turn that lies within `text[start:end]`, with its offsets shifted by `by` characters."""
        offsets = {name: min(max(getattr(self, name), start), end) + by for name in ("start", "said", "end")}
        return self.model_copy(update=offsets)


def turns_of(entry: Entry) -> tuple[SpokenTurn, ...]:
    """The turns of an entry, in order; none if it has none, or if those of an import are not valid."""
    stored = entry.metadata.get(TURNS)
    if not isinstance(stored, list):
        return ()
    try:
        turns = tuple(SpokenTurn.model_validate(turn) for turn in stored)
    except ValidationError:
        return ()
    offsets = [offset for turn in turns for offset in (turn.start, turn.said, turn.end)]
    return turns if offsets == sorted(offsets) and (not offsets or offsets[-1] <= len(entry.text)) else ()


def turns_between(turns: tuple[SpokenTurn, ...], start: int, end: int) -> tuple[SpokenTurn, ...]:
    """The turns that overlap `text[start:end]`, in order; if that is empty, the turns that contain the position."""
    first = bisect_right(turns, start, key=lambda turn: turn.end)
    return turns[first : bisect_left(turns, end, key=lambda turn: turn.start)]


def turns_within(turns: tuple[SpokenTurn, ...], spans: Iterable[tuple[int, int]]) -> list[SpokenTurn]:
    """The turns of several spans of a text, with offsets into the joined spans."""
    parts: list[SpokenTurn] = []
    length = 0
    for start, end in spans:
        parts += [turn.within(start, end, length - start) for turn in turns_between(turns, start, end)]
        length += end - start
    return parts


def said_by(entry: Entry, start: int, end: int) -> str:
    """The speaker and time of a passage, from the turn in which it ends; empty if unknown."""
    turn = turn_at(entry, start, end)
    return turn.speaker_and_time if turn else ""


def turn_at(entry: Entry, start: int, end: int) -> SpokenTurn | None:
    """The turn in which a passage of an entry ends; None if it ends in none."""
    last = max(start, end - 1)
    return next((turn for turn in turns_of(entry) if turn.start <= last < turn.end), None)
