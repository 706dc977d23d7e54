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


@dataclass(frozen=True, slots=True)
class DialogueSettings:
    """How turns are ranked.

    `around` turns on each side add their words to a turn, whose own words count `own` times. `alpha` is the weight of
    keywords, higher than for documents because so few words have less meaning to compare. `when` is the bonus of a
    turn on the days asked about, where 1 is the score of the best turn by words and meaning. `depth` turns are ranked.
    """

    around: int = 2
    own: int = 2
    alpha: float = 0.6
    when: float = 0.5
    depth: int = 200


DEFAULT_DIALOGUE_SETTINGS = DialogueSettings()


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `sitting` is the same for turns that were said together; `on` is the day, if known."""

    id: str
    speaker: str
    text: str
    sitting: str = ""
    on: date | None = None

    @property
    def said(self) -> str:
        """The text after its speaker's name."""
        return f"{self.speaker}: {self.text}"


class DialogueIndex:
    """A search index of the turns of one conversation, in the order in which they were said."""

    def __init__(
        self, turns: Sequence[Turn], embedder: Embedder, settings: DialogueSettings = DEFAULT_DIALOGUE_SETTINGS
    ) -> None:
        """Index all turns; their ids must be distinct."""
        self._settings = settings
        self._turns = tuple(turns)
        self._positions = {turn.id: position for position, turn in enumerate(self._turns)}
        self._days = [days_of(turn.text, turn.on) for turn in self._turns]
        self._index = RetrievalIndex(embedder, self._describe)
        for turn in self._turns:
            self._index.mark(turn.id)

    def retrieve(self, question: str, k: int, today: date | None = None) -> list[Hit]:
        """The best k turns, best first. `today` is the day of the question, by default the latest day of a turn."""
        settings = RetrievalSettings(k=max(k, self._settings.depth), alpha=self._settings.alpha)
        hits = self._index.retrieve(question, settings)
        today = today or max((turn.on for turn in self._turns if turn.on), default=None)
        asked_days = days_named(question, today) if today else []
        hits = [replace(hit, score=hit.score + self._date_bonus(hit.id, asked_days)) for hit in hits]
        return sorted(hits, key=lambda hit: hit.score, reverse=True)[:k]

    def _date_bonus(self, turn_id: str, asked_days: list[Days]) -> float:
        turn_days = self._days[self._positions[turn_id]]
        return self._settings.when if any(asked.meets(days) for asked in asked_days for days in turn_days) else 0.0

    def _describe(self, turn_id: str) -> NodeText:
        position, around = self._positions[turn_id], self._settings.around
        turn = self._turns[position]
        neighbours = (
            *self._turns[max(0, position - around) : position],
            *self._turns[position + 1 : position + 1 + around],
        )
        context = [neighbour.text for neighbour in neighbours if neighbour.sitting == turn.sitting]
        day = f"{turn.on:%d %B %Y}" if turn.on else ""
        return NodeText(turn.said, words=" ".join([day, *[turn.said] * self._settings.own, *context]))


def days_of(text: str, on: date | None) -> tuple[Days, ...]:
    """The day on which a text was said, and the days that it names; none if that day is unknown."""
    if on is None:
        return ()
    named = (days for days in days_named(text, on) if (days.last - days.first).days <= _LONGEST_PERIOD)
    return (Days(on, on), *named)
