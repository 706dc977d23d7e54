"""Search a conversation turn by turn: by a turn's own words, by the words of the turns around it, and by date.

A turn alone says little ("Yes, last week!"): its subject is in the turns before it, and what it means is repeated
after it. Days named in a question are compared with the day of a turn and with the days that the turn names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory_bank.search.embedding import Embedder
from memory_bank.search.retrieval import Hit, NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.text.written_dates import Days, days_named

_LONGEST_PERIOD = 62
"""Longest period, in days, that is indexed with a turn: a whole year that someone mentions says little about it."""
_AROUND, _OWN = 2, 2
"""Turns on each side whose words are added to a turn, and how often its own words count beside them."""
_ALPHA = 0.6
"""The weight of keywords, higher than for documents because so few words have less meaning to compare."""
_DATE_BONUS = 0.5
"""For a turn on the days asked about, where 1 is the score of the best turn by words and meaning."""
_DEPTH = 200
"""Turns that are ranked."""


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """One utterance. `sitting` is the same for turns that were said together; `on` is the day, if known."""

    id: str
    speaker: str
    text: str
    sitting: str = ""
    on: date | None = None

    @property
    def line(self) -> str:
        """The text after its speaker's name."""
        return f"{self.speaker}: {self.text}"

    @property
    def day(self) -> str:
        """The day in words; empty if it is not known."""
        return f"{self.on:%d %B %Y}" if self.on else ""


class DialogueIndex:
    """A search index of the turns of one conversation, in the order in which they were said."""

    def __init__(self, turns: Sequence[IndexedTurn], embedder: Embedder) -> None:
        """Index all turns; their ids must be distinct."""
        self._turns = tuple(turns)
        self._positions = {turn.id: position for position, turn in enumerate(self._turns)}
        self._days = [days_of(turn.text, turn.on) for turn in self._turns]
        self._index = RetrievalIndex(embedder, self._describe)
        for turn in self._turns:
            self._index.mark(turn.id)

    def retrieve(self, question: str, k: int) -> list[Hit]:
        """The best k turns, best first. The day of the question is the latest day of a turn."""
        hits = self._index.retrieve(question, RetrievalSettings(k=max(k, _DEPTH), alpha=_ALPHA))
        today = max((turn.on for turn in self._turns if turn.on), default=None)
        asked_days = days_named(question, today) if today else []
        for place, hit in enumerate(hits):
            turn_days = self._days[self._positions[hit.id]]
            if any(asked.meets(days) for asked in asked_days for days in turn_days):
                hits[place] = replace(hit, score=hit.score + _DATE_BONUS)
        return sorted(hits, key=lambda hit: hit.score, reverse=True)[:k]

    def _describe(self, turn_id: str) -> NodeText:
        position = self._positions[turn_id]
        turn = self._turns[position]
        before = self._turns[max(0, position - _AROUND) : position]
        neighbours = (*before, *self._turns[position + 1 : position + 1 + _AROUND])
        context = [neighbour.text for neighbour in neighbours if neighbour.sitting == turn.sitting]
        return NodeText(turn.line, words=" ".join([turn.day, *[turn.line] * _OWN, *context]))


def days_of(text: str, on: date | None) -> tuple[Days, ...]:
    """The day on which a text was said, and the days that it names; none if that day is unknown."""
    if on is None:
        return ()
    named = (days for days in days_named(text, on) if (days.last - days.first).days <= _LONGEST_PERIOD)
    return (Days(on, on), *named)
