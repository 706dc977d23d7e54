"""Finding nodes by words and by meaning (specification, section 1, retrieval).

`RetrievalIndex` follows a graph that it does not know: whoever changes a node says so with `mark` or
`forget`, and the next retrieval brings both indices up to date, at a cost in proportion to what was marked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory_bank.modules.embedding import Embedder
from memory_bank.modules.keyword_index import KeywordIndex
from memory_bank.modules.ranking import highest, scaled_by_rank
from memory_bank.modules.tokens import tokenize
from memory_bank.modules.vector_index import VectorIndex, Vectors, VectorsLostError

Mode = Literal["keyword", "embedding", "hybrid"]
_KEYWORD_WEIGHT: dict[Mode, float] = {"keyword": 1.0, "embedding": 0.0}  # hybrid: as the settings say

_Rows = NDArray[np.intp]
_Found = TypeVar("_Found")
_DEPTH = 200
"""How far down each part's ranking is read, whatever k is, so that more hits do not change the first ones."""


class RetrievalSettings(BaseModel):
    """How a retrieval ranks: how many hits, by what, and in hybrid mode the weight of the keyword part."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    k: int = Field(default=5, ge=1)
    alpha: float = Field(default=0.5, ge=0, le=1)
    mode: Mode = "hybrid"


DEFAULT_SETTINGS = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class NodeText:
    """What the index has to know of a node: all its text, and its vector where that is known already.

    `words` is what keywords are looked for in, where that is not the text.
    """

    text: str
    vector: NDArray[np.float32] | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found. `score`, 0 to 1, ranks the hits of one retrieval and means nothing beyond it.

    `keyword` is the node's BM25, not below 0, and `embedding` its cosine, both unscaled; there is no cosine
    in keyword mode.
    """

    id: str
    score: float
    keyword: float
    embedding: float | None


class RetrievalIndex:
    """Keyword and vector index over the same nodes. Safe to use from several threads."""

    def __init__(
        self,
        embedder: Embedder,
        describe: Callable[[str], NodeText],
        vectors: Callable[[int], Vectors] = VectorIndex,
    ) -> None:
        """Follow the nodes that `describe` gives the texts of: those that are marked, and all when vectors are lost.

        `vectors` makes an empty index for vectors of so many numbers; after a few calls it must be one that stays.
        """
        self._embedder = embedder
        self._describe = describe
        self._make_vectors = vectors
        # Both tables are told the same additions and removals, hence a node has the same row in both.
        self._keywords = KeywordIndex()
        self._vectors = vectors(embedder.dimension)
        self._marked: dict[str, None] = {}  # a dict for its order, in which new nodes are added
        self._forgotten: dict[str, None] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        with self._lock:
            self.refresh()
            return len(self._keywords)

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
        """Bring the indices up to date, as every retrieval does first; all new texts are embedded together.

        An error of `describe` or of the embedder leaves everything as it was, marks included.
        """
        self._up_to_date(lambda: None)

    def close(self) -> None:
        """Let go of vectors outside of this process. The index can be used again, which makes them anew."""
        with self._lock:
            self._vectors.close()

    def vector(self, node_id: str) -> NDArray[np.float32]:
        """Return a copy of a node's vector, shape (dimension,), up to date; `KeyError` if there is none."""
        return self._up_to_date(lambda: self._vectors[node_id])

    def retrieve(
        self,
        query: str,
        settings: RetrievalSettings = DEFAULT_SETTINGS,
        *,
        exclude: Collection[str] = (),
        vector: NDArray[np.float32] | None = None,
    ) -> list[Hit]:
        """Return the best `settings.k` nodes, best first; equals by meaning, then by id, `n2` before `n10`.

        Candidates are all nodes but those excluded. Each part is scaled to 0 … 1 among them by rank: scores of
        different kinds say different things by their distances, and the same by their order. BM25 below zero,
        which occurs among a handful of nodes, counts as zero, so that a shared word never tells against a node.
        Only the first 200 of each part (or `k`, if that is more) are told apart. Keyword mode finds only nodes
        that share a word with the query. `vector` is the query's own, where it is known.
        """
        tokens = tokenize(query)
        if vector is None and settings.mode != "keyword":
            vector = self._embedder.embed([query])[0]
        meant = None if settings.mode == "keyword" else vector
        return self._up_to_date(lambda: self._rank(self._rows(exclude), tokens, meant, settings))

    def _up_to_date(self, use: Callable[[], _Found]) -> _Found:
        """Bring the indices up to date and use them; where vectors were lost, all are made anew first."""
        with self._lock:
            while True:
                try:
                    self._take_changes()
                    return use()
                except VectorsLostError:
                    self._start_over()

    def _take_changes(self) -> None:
        marked = list(self._marked)
        nodes = [self._describe(node_id) for node_id in marked]
        vectors = self._vectors_of(nodes)
        for node_id in self._forgotten:
            if self._keywords.row(node_id) is not None:
                self._keywords.remove(node_id)
                self._vectors.remove(node_id)
        for node_id, node, vector in zip(marked, nodes, vectors, strict=True):
            self._vectors.set(node_id, vector)
            self._keywords.set(node_id, tokenize(node.text if node.words is None else node.words))
        self._marked.clear()
        self._forgotten.clear()

    def _start_over(self) -> None:
        """Empty both tables, and mark every node that was there."""
        left = [node_id for node_id in self._keywords.ids if node_id not in self._forgotten]
        self._keywords, self._vectors = KeywordIndex(), self._make_vectors(self._embedder.dimension)
        self._forgotten.clear()
        self._marked = dict.fromkeys([*left, *self._marked])

    def _vectors_of(self, nodes: list[NodeText]) -> list[NDArray[np.float32]]:
        """Embed the nodes whose vector is not known, all at once."""
        unknown = [node.text for node in nodes if node.vector is None]
        embedded = iter(self._embedder.embed(unknown) if unknown else ())
        return [next(embedded) if node.vector is None else node.vector for node in nodes]

    def _rows(self, exclude: Collection[str]) -> _Rows:
        """Return the rows of those of the ids that are there."""
        rows = (self._keywords.row(node_id) for node_id in exclude)
        return np.array([row for row in rows if row is not None], dtype=np.intp)

    def _rank(
        self, excluded: _Rows, tokens: list[str], vector: NDArray[np.float32] | None, settings: RetrievalSettings
    ) -> list[Hit]:
        """Rank all rows but those excluded, by keywords alone where there is no vector."""
        bm25 = np.maximum(self._keywords.scores(tokens), 0)
        matching = self._keywords.matching(tokens)
        matching[excluded] = False
        depth = max(_DEPTH, settings.k)
        shared = np.flatnonzero(matching)
        shared = shared[highest(bm25[shared], depth)]
        weight = _KEYWORD_WEIGHT.get(settings.mode, settings.alpha)
        candidates = len(self._keywords) - len(excluded)
        rows, cosines, meaning = shared, np.zeros(len(shared)), np.zeros(len(shared))
        if vector is not None:
            near = self._vectors.nearest(vector, depth, excluded)
            either = np.zeros(len(bm25), dtype=bool)
            either[shared] = either[near] = True
            rows = np.flatnonzero(either)
            cosines = self._vectors.scores_of(rows, vector).astype(np.float64)
            meaning = scaled_by_rank(cosines, cosines[np.searchsorted(rows, near)], candidates - 1)
        words = _scaled_words(bm25[rows], bm25[shared], candidates)
        totals = weight * words + (1 - weight) * meaning
        head = highest(totals, settings.k)
        ids = [self._keywords.ids[row] for row in rows[head].tolist()]
        by_id = np.array(ids), np.array([len(node_id) for node_id in ids])  # an index made anew ranks alike
        return [
            Hit(
                id=ids[place],
                score=float(totals[head[place]]),
                keyword=float(bm25[rows[head[place]]]),
                embedding=None if vector is None else float(cosines[head[place]]),
            )
            for place in np.lexsort((*by_id, -cosines[head], -totals[head]))[: settings.k].tolist()
        ]


def _scaled_words(bm25: NDArray[np.float64], head: NDArray[np.float64], candidates: int) -> NDArray[np.float64]:
    """BM25 scaled by rank; where not all candidates have any, those without it are the last, however many have it."""
    head = head[head > 0]
    last = candidates - 1 if len(head) == candidates else None
    return np.where(bm25 > 0, scaled_by_rank(bm25, head, last), 0)
