"""The chats of a memory, searched turn by turn: a turn that is found leads to its page."""

from __future__ import annotations

import threading

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import Spoken, turns_of
from memory_bank.modules.dialogue import DialogueIndex, Turn
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize

DEPTH = 20
"""Turns that a search looks at: several are of one page."""
SHARED = 0.5
"""The share of a question's words that a turn must have where the memory holds more than chats: some turn is always
the likest, also where nobody spoke of what is asked."""


class Told:
    """All turns of a memory, in the order in which they came. Searches from several threads are safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns: dict[str, Turn] = {}
        self._page_of: dict[str, str] = {}
        self._mixed = False
        self._index: DialogueIndex | None = None
        self._found: dict[str, list[str]] = {}  # a question is looked for by its words and by its meaning: once here
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Take the turns of an entry; one without turns is remembered as something else than a chat."""
        spoken = turns_of(entry)
        self._mixed = self._mixed or not spoken
        for number, turn in enumerate(spoken):
            text = " ".join(entry.text[turn.said : turn.end].split())
            if text:
                turn_id = f"{entry.id}/{number}"
                self._turns[turn_id] = _turn(turn_id, turn, text, str(entry.metadata.get("source_id", "")))
                self._page_of[turn_id] = entry.id
                self._index = None
        self._found.clear()

    def search(self, question: str) -> list[str]:
        """Ids of the pages in which what was asked was said, best first, each once."""
        if not self._turns:
            return []
        with self._lock:
            if question not in self._found:
                self._found[question] = self._search(question)
            return self._found[question]

    def _search(self, question: str) -> list[str]:
        if self._index is None:
            self._index = DialogueIndex(list(self._turns.values()), self._embedder)
        asked = set(tokenize(question))
        found = (hit.id for hit in self._index.retrieve(question, DEPTH))
        bearing = (turn_id for turn_id in found if not self._mixed or self._bears(turn_id, asked))
        return list(dict.fromkeys(self._page_of[turn_id] for turn_id in bearing))

    def _bears(self, turn_id: str, asked: set[str]) -> bool:
        turn = self._turns[turn_id]
        when = f"{turn.on:%d %B %Y}" if turn.on else ""
        return len(asked & set(tokenize(f"{turn.said} {when}"))) >= SHARED * len(asked)


def _turn(turn_id: str, turn: Spoken, text: str, source_id: str) -> Turn:
    return Turn(turn_id, turn.speaker, text, sitting=f"{source_id}/{turn.sitting}", on=turn.day)
