"""The agent's tools for long-term memory: look up facts and earlier tasks, and store a fact."""

from __future__ import annotations

from memory_bank.agents.remember import Kind
from memory_bank.long_term.memory import Recalled
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import Fact
from memory_bank.long_term.store import AnyRecord
from memory_bank.session.long_term_link import LongTermLink
from memory_bank.session.memory_writer import MemoryWriter
from memory_bank.text.one_line import one_line

LONG_TERM_TOOLS = frozenset({"retrieve_facts", "recall_episodes", "store_fact"})
"""The names by which a model calls them."""


class LongTermToolbox:
    """The tools, on behalf of a session's owner; safe from any thread. `LongTermError` if the store is unavailable."""

    def __init__(self, owner: Owner, continuity: LongTermLink, keeping: MemoryWriter) -> None:
        self._scope, self._continuity, self._keeping = owner.scope, continuity, keeping

    def facts(self, query: str) -> tuple[str, ...]:
        """The facts relevant to a query, best first, each with its date and its disputes."""
        return tuple(_as_text(hit.record) for hit in self._recall(query).facts)

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks similar to a goal, best first: what was done, and the outcome."""
        return tuple(_as_text(hit.record) for hit in self._recall(goal).episodes)

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Store a fact; returns in words what became of it."""
        stored = self._keeping.store(content, context, kind)
        if stored is None:
            return "This is known already."
        if stored.outcome == "conflict":
            return f"It contradicts what is stored ({stored.reason}). Both are kept; a person has to say which holds."
        return "Kept." if stored.outcome == "created" else "This was known already; it is up to date."

    def _recall(self, query: str) -> Recalled:
        recalled = self._continuity.memory.recall(self._scope, query)
        self._continuity.known.extend(hit.record.content for hit in recalled.facts)
        return recalled


def _as_text(record: AnyRecord) -> str:
    text = record.text if isinstance(record, Fact) else record.content
    disputes = record.disputes if isinstance(record, Fact) else ()
    disputed = "".join(f" (disputed: {one_line(dispute.text)})" for dispute in disputes)
    return f"{record.updated:%Y-%m-%d}: {one_line(text)}{disputed}"
