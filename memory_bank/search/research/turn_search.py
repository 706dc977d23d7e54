"""Search the chats of a memory by turn, and return the pages of the turns found."""

from __future__ import annotations

import threading

from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import turns_of
from memory_bank.search.dialogue import DialogueIndex, IndexedTurn
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize

DEPTH = 20
"""Turns per search; several may be of the same page."""
SHARED = 0.5
"""The share of a question's words that a turn must hold if the memory holds more than chats: there is always a most
similar turn, even if nobody talked about the subject."""


class TurnIndex:
    """All turns of the chats in a memory, in order. Searches from several threads are safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns: dict[str, IndexedTurn] = {}
        self._page_of: dict[str, str] = {}
        self._holds_other_entries = False
        self._index: DialogueIndex | None = None
        self._results: dict[str, list[str]] = {}  # by question, which research passes twice
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Add the turns of an entry; an entry without turns is not a chat."""
        spoken = turns_of(entry)
        self._holds_other_entries = self._holds_other_entries or not spoken
        source_id = str(entry.metadata.get("source_id", ""))
        for number, turn in enumerate(spoken):
            text = " ".join(entry.text[turn.said : turn.end].split())
            if text:
                turn_id = f"{entry.id}/{number}"
                sitting = f"{source_id}/{turn.sitting}"
                self._turns[turn_id] = IndexedTurn(turn_id, turn.speaker, text, sitting=sitting, on=turn.day)
                self._page_of[turn_id] = entry.id
                self._index = None
        self._results.clear()

    def search(self, question: str) -> list[str]:
        """Ids of the pages whose turns match the question, best first, each once."""
        if not self._turns:
            return []
        with self._lock:
            if question not in self._results:
                self._results[question] = self._search(question)
            return self._results[question]

    def _search(self, question: str) -> list[str]:
        if self._index is None:
            self._index = DialogueIndex(list(self._turns.values()), self._embedder)
        turn_ids = [hit.id for hit in self._index.retrieve(question, DEPTH)]
        if self._holds_other_entries:
            asked = set(tokenize(question))
            least = SHARED * len(asked)
            turn_ids = [turn_id for turn_id in turn_ids if len(asked & self._words(turn_id)) >= least]
        return list(dict.fromkeys(self._page_of[turn_id] for turn_id in turn_ids))

    def _words(self, turn_id: str) -> set[str]:
        turn = self._turns[turn_id]
        day = f"{turn.on:%d %B %Y}" if turn.on else ""
        return set(tokenize(f"{turn.line} {day}"))
