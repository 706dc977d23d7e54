"""Finding what was said in a conversation: a turn is found by its own words, by what was said around it, and by when.

A turn says little by itself ("Yes, last week!"): what it is about stands in the turns before it, and what it means is
said again after it. Days that a question names are compared with the day of a turn and the days that the turn names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory_bank.modules.dates import Days, days_named
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.retrieval import Hit, NodeText, RetrievalIndex, RetrievalSettings

_LONGEST = 62
"""Days that a turn may name in one stretch: when someone speaks of a whole year it says little about the turn."""


@dataclass(frozen=True, slots=True)
class DialogueSettings:
    """How turns are found.

    `around` turns on each side lend a turn their words, and the turn's own count `own` times; `alpha` is the weight of
    keywords, above that for documents because a few words have less of a meaning to compare; `when` is what a turn of
    the days asked about gains, where 1 is the score of the best turn by words and meaning; `depth` turns are looked at.
    """

    around: int = 2
    own: int = 2
    alpha: float = 0.6
    when: float = 0.5
    depth: int = 200


DIALOGUE = DialogueSettings()


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said. `sitting` tells the turns that were said together; `on` is the day, where that is known."""

    id: str
    speaker: str
    text: str
    sitting: str = ""
    on: date | None = None

    @property
    def said(self) -> str:
        """The text with who said it."""
        return f"{self.speaker}: {self.text}"


class DialogueIndex:
    """The turns of one conversation, in the order in which they were said."""

    def __init__(self, turns: Sequence[Turn], embedder: Embedder, settings: DialogueSettings = DIALOGUE) -> None:
        """Index all turns; their ids are distinct."""
        self._settings = settings
        self._turns = tuple(turns)
        self._places = {turn.id: place for place, turn in enumerate(self._turns)}
        self._days = [days_of(turn.text, turn.on) for turn in self._turns]
        self._index = RetrievalIndex(embedder, self._describe)
        for turn in self._turns:
            self._index.mark(turn.id)

    def retrieve(self, question: str, k: int, today: date | None = None) -> list[Hit]:
        """The best k turns, best first. `today` is when the question is asked: by default the day of the last turn."""
        how = RetrievalSettings(k=max(k, self._settings.depth), alpha=self._settings.alpha)
        hits = self._index.retrieve(question, how)
        today = today or max((turn.on for turn in self._turns if turn.on), default=None)
        asked = days_named(question, today) if today else []
        hits = [replace(hit, score=hit.score + self._bonus(hit.id, asked)) for hit in hits]
        return sorted(hits, key=lambda hit: hit.score, reverse=True)[:k]

    def _bonus(self, turn_id: str, asked: list[Days]) -> float:
        named = self._days[self._places[turn_id]]
        return self._settings.when if any(one.meets(other) for one in asked for other in named) else 0.0

    def _describe(self, turn_id: str) -> NodeText:
        place = self._places[turn_id]
        turn = self._turns[place]
        around = range(max(0, place - self._settings.around), place + self._settings.around + 1)
        lent = [
            other.text
            for other in (self._turns[near] for near in around if near != place and near < len(self._turns))
            if other.sitting == turn.sitting
        ]
        day = f"{turn.on:%d %B %Y}" if turn.on else ""
        return NodeText(turn.said, words=" ".join([day, *[turn.said] * self._settings.own, *lent]))


def days_of(text: str, on: date | None) -> tuple[Days, ...]:
    """The day on which a text was said and the days that it names; none where it is not known when it was said."""
    if on is None:
        return ()
    named = (days for days in days_named(text, on) if (days.last - days.first).days <= _LONGEST)
    return (Days(on, on), *named)
