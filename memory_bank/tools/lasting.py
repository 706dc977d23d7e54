"""What an acting agent may do with long-term memory: look facts and earlier tasks up, and have a fact kept."""

from __future__ import annotations

from memory_bank.agents.remember import Kind
from memory_bank.long_term.memory import Recalled
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import Fact
from memory_bank.long_term.store import AnyRecord
from memory_bank.one_line import one_line
from memory_bank.remembering.continuity import Continuity
from memory_bank.remembering.keeping import Keeping

LASTING = frozenset({"retrieve_facts", "recall_episodes", "store_fact"})
"""The names that a model calls them by."""


class LastingTools:
    """The tools, in the name of a session's owner; safe from any thread. `LongTermError` where the store is away."""

    def __init__(self, owner: Owner, continuity: Continuity, keeping: Keeping) -> None:
        self._scope, self._continuity, self._keeping = owner.scope, continuity, keeping

    def facts(self, query: str) -> tuple[str, ...]:
        """Facts that bear on a query, best first, each with its day and with what is said against it."""
        return tuple(_told(hit.record) for hit in self._recall(query).facts)

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks like a goal, best first: what was done, and what came of it."""
        return tuple(_told(hit.record) for hit in self._recall(goal).episodes)

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Have a fact kept; what became of it, in words."""
        done = self._keeping.store(content, context, kind)
        if done is None:
            return "This is known already."
        if done.outcome == "conflict":
            return f"It contradicts what is stored ({done.reason}). Both are kept; a person has to say which holds."
        return "Kept." if done.outcome == "created" else "This was known already; it is up to date."

    def _recall(self, query: str) -> Recalled:
        found = self._continuity.memory.recall(self._scope, query)
        self._continuity.known.extend(hit.record.content for hit in found.facts)
        return found


def _told(record: AnyRecord) -> str:
    text = record.text if isinstance(record, Fact) else record.content
    disputes = record.disputes if isinstance(record, Fact) else ()
    against = "".join(f" (disputed: {one_line(dispute.text)})" for dispute in disputes)
    return f"{record.updated:%Y-%m-%d}: {one_line(text)}{against}"
