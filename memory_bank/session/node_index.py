"""Finds nodes: by hybrid retrieval over the graph, and by their nearest claims."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of
from memory_bank.judgement.nearest_claims import NearestClaims
from memory_bank.judgement.same_dispute import contradict_alike
from memory_bank.search.embedding import Embedder
from memory_bank.search.retrieval import Hit, NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.search.vector_index import VectorIndex, Vectors


@dataclass(eq=False)
class NodeIndex:
    """The indices over the graph. What changed in the graph is updated at the next query.

    `vectors` makes the store for the vectors of the nodes, given their dimension.
    """

    bank: Bank
    embedder: Embedder
    judge: PairJudge
    settings: RetrievalSettings
    vectors: Callable[[int], Vectors] = VectorIndex

    def __post_init__(self) -> None:
        graph = self.bank.query_graph
        self._claims = NearestClaims(self.embedder)
        self._index = RetrievalIndex(
            self.embedder, lambda node_id: NodeText(graph[node_id].embedding_text), self.vectors
        )

    @property
    def index(self) -> RetrievalIndex:
        """The index of the nodes, up to date with the graph."""
        self.refresh()
        return self._index

    @property
    def claims(self) -> int:
        """How many claims the nodes hold."""
        self.refresh()
        return len(self._claims)

    def retrieve(self, query: str) -> list[Hit]:
        """The best nodes for a query, best first, as many as the settings say."""
        return self.index.retrieve(query, self.settings)

    def close(self) -> None:
        """Remove the vectors from an external store; the next query makes them anew."""
        self._index.close()

    def candidates(self, node_id: str, exclude: Collection[str] = ()) -> tuple[str, ...]:
        """The nodes to compare a node with: similar nodes, then nodes with the nearest claims."""
        self.refresh()
        node = self.bank.query_graph[node_id]
        excluded = {node_id, *exclude}
        query = f"{node.context} {' '.join(node.keywords)}"
        vector = self._index.vector(node_id)
        hits = self._index.retrieve(query, self.settings, exclude=excluded, vector=vector)
        partners = [partner for partner in self._claims.partners(node_id) if partner not in excluded]
        return tuple(dict.fromkeys([*(hit.id for hit in hits), *partners]))

    def alike(self, one: Claim, other: Claim) -> bool:
        """Whether two claims say the same, by the pair model."""
        return says_the_same(statement_of(one), statement_of(other), self.judge)

    def alike_against(self, opponent: Claim, one: Claim, other: Claim) -> bool:
        """Whether two claims say the same, or say the same where they contradict a third."""
        return self.alike(one, other) or contradict_alike((opponent, one), (opponent, other), self.judge, self.embedder)

    def refresh(self) -> None:
        """Bring the indices up to date with the graph. Every query does this first."""
        graph = self.bank.query_graph
        for node_id in graph.take_changes():
            node = graph.get(node_id)
            if node is None:
                self._index.forget(node_id)
                self._claims.remove(node_id)
            else:
                self._index.mark(node_id)
                self._claims.set(node_id, node.claims)
