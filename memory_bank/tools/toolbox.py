"""The tools of a step, over the bank and the reference library of one session."""

from __future__ import annotations

from memory_bank.agents.react import Passage
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.recall import Recall
from memory_bank.tools.reference_library import ReferenceLibrary

SEARCH_RESULTS = 5
RESEARCH_NODES = 12


class Toolbox:
    """What the acting agent may call."""

    def __init__(self, bank: Bank, recall: Recall, library: ReferenceLibrary) -> None:
        self._bank = bank
        self._recall = recall
        self._library = library

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """Every entry of a node's trees, oldest first; none for a node that does not live."""
        return self._bank.trees.entries(self._bank.living(node_id))

    def search(self, query: str) -> tuple[Passage, ...]:
        """Passages of the reference library, best first."""
        return self._library.search(query, SEARCH_RESULTS)

    def research(self, question: str) -> tuple[Node, ...]:
        """Nodes of the memory that bear on a question, best first."""
        hits = self._recall.retrieve(question, k=RESEARCH_NODES)
        return tuple(self._bank.query_graph[hit.id] for hit in hits)

    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict found so far, oldest first, with how it stands."""
        return tuple(self._bank.conflicts.values())
