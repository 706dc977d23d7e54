"""Finding nodes: hybrid retrieval over the graph, and those with the nearest claims."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of
from memory_bank.judgement.nearest_claims import NearestClaims
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.retrieval import Hit, NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.modules.vector_index import VectorIndex, Vectors


class Recall:
    """Keeps the indices in step with the graph: what changed is brought up to date at the next question."""

    def __init__(
        self,
        bank: Bank,
        embedder: Embedder,
        judge: PairJudge,
        settings: RetrievalSettings,
        vectors: Callable[[int], Vectors] = VectorIndex,
    ) -> None:
        """Follow a bank; `vectors` makes where the vectors of its nodes are kept."""
        self.embedder = embedder
        self._bank = bank
        self._claims = NearestClaims(embedder)
        self._judge = judge
        self._settings = settings
        self._index = RetrievalIndex(embedder, self._describe, vectors)

    @property
    def index(self) -> RetrievalIndex:
        """The index of the nodes, up to date with the graph."""
        self.refresh()
        return self._index

    def retrieve(self, query: str) -> list[Hit]:
        """The best nodes for a query, as many as the settings say, best first."""
        return self.index.retrieve(query, self._settings)

    def with_neighbours(self, node_ids: Iterable[str]) -> list[str]:
        """Some nodes, and after all of them each one's direct neighbours, in the order of the nodes."""
        found = list(node_ids)
        around = (neighbour for node_id in found for neighbour in self._bank.query_graph.neighbours(node_id))
        return list(dict.fromkeys([*found, *around]))

    def close(self) -> None:
        """Let go of vectors outside of this process; the next question makes them anew."""
        self._index.close()

    def candidates(self, node_id: str, exclude: Collection[str] = ()) -> tuple[str, ...]:
        """What Memory Analysis compares a node with: similar nodes, and those with the nearest claims."""
        self.refresh()
        node = self._bank.query_graph[node_id]
        left_out = {node_id, *exclude}
        query = f"{node.context} {' '.join(node.keywords)}"
        vector = self._index.vector(node_id)
        hits = self._index.retrieve(query, self._settings, exclude=left_out, vector=vector)
        partners = [found for found in self._claims.partners(node_id) if found not in left_out]
        return tuple(dict.fromkeys([*(hit.id for hit in hits), *partners]))

    def alike(self, one: Claim, other: Claim) -> bool:
        """Whether two claims say the same."""
        return says_the_same(statement_of(one), statement_of(other), self._judge)

    def refresh(self) -> None:
        """Bring the indices up to date with the graph, as every question does first."""
        graph = self._bank.query_graph
        for node_id in graph.take_changes():
            node = graph.get(node_id)
            if node is None:
                self._index.forget(node_id)
                self._claims.remove(node_id)
            else:
                self._index.mark(node_id)
                self._claims.set(node_id, node.claims)

    def _describe(self, node_id: str) -> NodeText:
        return NodeText(self._bank.query_graph[node_id].embedding_text)


def topic_of(bank: Bank, node_id: str) -> str:
    """What a node's claims are about: the title of the document it came from; empty where there is none."""
    titles = (entry.metadata.get("title") for entry in bank.trees.entries(node_id))
    return next((str(title) for title in titles if title), "")
