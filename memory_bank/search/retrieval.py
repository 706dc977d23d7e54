"""Retrieve nodes by keywords and by embedding (specification, section 1, retrieval).

`RetrievalIndex` does not know the graph: whoever changes a node calls `mark` or `forget`, and the next retrieval
updates both indices, at a cost in proportion to the number of changed nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory_bank.search.embedding import Embedder
from memory_bank.search.keyword_index import KeywordIndex
from memory_bank.search.ranking import highest, scaled_by_rank
from memory_bank.search.vector_index import VectorIndex, Vectors, VectorsLostError
from memory_bank.text.tokens import tokenize

Mode = Literal["keyword", "embedding", "hybrid"]
_KEYWORD_WEIGHT: dict[Mode, float] = {"keyword": 1.0, "embedding": 0.0}  # hybrid: `alpha` of the settings

_Result = TypeVar("_Result")
_DEPTH = 200
"""How many rows of each ranking are used even if k is smaller, so that a larger k does not change the first hits."""


class RetrievalSettings(BaseModel):
    """How a retrieval ranks: the number of hits, the mode, and in hybrid mode the weight of the keyword ranking."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    k: int = Field(default=5, ge=1)
    alpha: float = Field(default=0.5, ge=0, le=1)
    mode: Mode = "hybrid"


DEFAULT_SETTINGS = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class NodeText:
    """What the index needs of a node: its whole text, and its vector if that is known already.

    `words` is indexed for keywords instead of the text, if given.
    """

    text: str
    vector: NDArray[np.float32] | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found. `score`, 0 to 1, ranks the hits of one retrieval; others have no comparable scores."""

    id: str
    score: float


class RetrievalIndex:
    """A keyword index and a vector index of the same nodes. Safe to use from several threads."""

    def __init__(
        self, embedder: Embedder, describe: Callable[[str], NodeText], vectors: Callable[[int], Vectors] = VectorIndex
    ) -> None:
        """`describe` gives a node's text: of each marked node, and of all nodes when the vectors were lost.

        `vectors` makes an empty index for vectors of that dimension. If it is called again because vectors were lost,
        it must sooner or later return an index that does not lose them.
        """
        self._embedder = embedder
        self._describe = describe
        self._make_vectors = vectors
        self._ids: list[str] = []  # by row, which is the same in both indices
        self._rows: dict[str, int] = {}
        self._keywords = KeywordIndex()
        self._vectors = vectors(embedder.dimension)
        self._marked: dict[str, None] = {}  # a dict, because its order is that in which new nodes are added
        self._forgotten: dict[str, None] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return self._up_to_date(lambda: len(self._ids))

    def mark(self, node_id: str) -> None:
        """Note that a node is new or that its text changed."""
        with self._lock:
            self._marked[node_id] = None

    def forget(self, node_id: str) -> None:
        """Note that a node is gone."""
        with self._lock:
            self._marked.pop(node_id, None)
            self._forgotten[node_id] = None

    def refresh(self) -> None:
        """Update the indices, as every retrieval does first; all new texts are embedded together.

        An error in `describe` or in the embedder leaves everything unchanged, marks included.
        """
        self._up_to_date(lambda: None)

    def close(self) -> None:
        """Release vectors outside of this process. If the index is used again, they are computed again."""
        with self._lock:
            self._vectors.close()

    def vector(self, node_id: str) -> NDArray[np.float32]:
        """Return a copy of a node's vector, shape (dimension,), up to date; `KeyError` if there is none."""
        return self._up_to_date(lambda: self._vectors[self._rows[node_id]])

    def retrieve(
        self,
        query: str,
        settings: RetrievalSettings = DEFAULT_SETTINGS,
        *,
        exclude: Collection[str] = (),
        vector: NDArray[np.float32] | None = None,
    ) -> list[Hit]:
        """Return the best `settings.k` nodes, best first; ties by cosine, then by id, `n2` before `n10`.

        Candidates are all nodes that are not excluded. Keyword and embedding scores are each scaled to 0 … 1 by rank:
        their distances are not comparable, their orders are. A negative BM25 score, which occurs with only a few
        nodes, counts as zero, so that a shared word never counts against a node. Only the first 200 of each ranking
        (or `k`, if that is more) are ranked. Keyword mode finds only nodes that share a word with the query. `vector`
        is the query's, if it is known already.
        """
        tokens = tokenize(query)
        if vector is None and settings.mode != "keyword":
            vector = self._embedder.embed([query])[0]
        query_vector = None if settings.mode == "keyword" else vector
        return self._up_to_date(lambda: self._rank(exclude, tokens, query_vector, settings))

    def _up_to_date(self, use: Callable[[], _Result]) -> _Result:
        """Update the indices and use them; if vectors were lost, compute all of them again first."""
        with self._lock:
            while True:
                try:
                    self._apply_changes()
                    return use()
                except VectorsLostError:
                    self._start_over()

    def _apply_changes(self) -> None:
        marked = list(self._marked)
        nodes = [self._describe(node_id) for node_id in marked]
        unknown = [node.text for node in nodes if node.vector is None]
        embedded = iter(self._embedder.embed(unknown) if unknown else ())  # all at once
        vectors = [next(embedded) if node.vector is None else node.vector for node in nodes]
        for node_id in self._forgotten:
            if node_id in self._rows:
                self._remove(node_id)
        for node_id, node, vector in zip(marked, nodes, vectors, strict=True):
            row = self._rows.setdefault(node_id, len(self._ids))
            if row == len(self._ids):
                self._ids.append(node_id)
            self._vectors.set(row, vector)
            self._keywords.set(row, tokenize(node.text if node.words is None else node.words))
        self._marked.clear()
        self._forgotten.clear()

    def _remove(self, node_id: str) -> None:
        """Remove a node; the last one moves into its row."""
        row, last_id = self._rows[node_id], self._ids.pop()
        if last_id != node_id:
            self._ids[row], self._rows[last_id] = last_id, row
        del self._rows[node_id]
        self._keywords.remove(row)
        self._vectors.remove(row)

    def _start_over(self) -> None:
        """Empty both indices, and mark every node that was in them."""
        remaining = [node_id for node_id in self._ids if node_id not in self._forgotten]
        self._ids, self._rows = [], {}
        self._keywords, self._vectors = KeywordIndex(), self._make_vectors(self._embedder.dimension)
        self._forgotten.clear()
        self._marked = dict.fromkeys([*remaining, *self._marked])

    def _rank(
        self,
        exclude: Collection[str],
        tokens: list[str],
        vector: NDArray[np.float32] | None,
        settings: RetrievalSettings,
    ) -> list[Hit]:
        """Rank all rows except those excluded, by keywords alone if there is no vector."""
        excluded = np.array([self._rows[node_id] for node_id in exclude if node_id in self._rows], dtype=np.intp)
        scores, matching = self._keywords.scores(tokens)
        bm25 = np.maximum(scores, 0)
        matching[excluded] = False
        depth = max(_DEPTH, settings.k)
        lexical = np.flatnonzero(matching)
        lexical = lexical[highest(bm25[lexical], depth)]
        weight = _KEYWORD_WEIGHT.get(settings.mode, settings.alpha)
        candidates = len(self._ids) - len(excluded)
        rows, cosines, embedding_scores = lexical, np.zeros(len(lexical)), np.zeros(len(lexical))
        if vector is not None:
            near = self._vectors.nearest(vector, depth, excluded)
            in_either = np.zeros(len(bm25), dtype=bool)
            in_either[lexical] = in_either[near] = True
            rows = np.flatnonzero(in_either)
            cosines = self._vectors.scores_of(rows, vector).astype(np.float64)
            embedding_scores = scaled_by_rank(cosines, cosines[np.searchsorted(rows, near)], candidates - 1)
        keyword_scores = _scaled_bm25(bm25[rows], bm25[lexical], candidates)
        totals = weight * keyword_scores + (1 - weight) * embedding_scores
        head = highest(totals, settings.k)
        ids = [self._ids[row] for row in rows[head].tolist()]
        # Ties are not ordered by row: an index that was built anew has other rows.
        by_id = np.array(ids), np.array([len(node_id) for node_id in ids])
        order = np.lexsort((*by_id, -cosines[head], -totals[head]))[: settings.k].tolist()
        return [Hit(ids[position], float(totals[head[position]])) for position in order]


def _scaled_bm25(bm25: NDArray[np.float64], head: NDArray[np.float64], candidates: int) -> NDArray[np.float64]:
    """BM25 scores scaled by rank: a score of 0 gives 0, and a positive one gives 0 only if all candidates have one."""
    head = head[head > 0]
    last = candidates - 1 if len(head) == candidates else None
    return np.where(bm25 > 0, scaled_by_rank(bm25, head, last), 0)
