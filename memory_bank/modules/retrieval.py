"""Finding nodes by words and by meaning (specification, section 1, retrieval).

`RetrievalIndex` follows a graph that it does not know: whoever changes a node says so with `mark` or
`forget`, and the next retrieval brings both indices up to date, at a cost in proportion to what was marked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory_bank.modules.embedding import Embedder
from memory_bank.modules.keyword_index import KeywordIndex
from memory_bank.modules.tokens import tokenize
from memory_bank.modules.vector_index import VectorIndex

Mode = Literal["keyword", "embedding", "hybrid"]
_KEYWORD_WEIGHT: dict[Mode, float] = {"keyword": 1.0, "embedding": 0.0}  # hybrid: as the settings say

_Rows = NDArray[np.intp]
_Floats = NDArray[np.float64]


class RetrievalSettings(BaseModel):
    """How a retrieval ranks: how many hits, by what, and in hybrid mode the weight of the keyword part."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    k: int = Field(default=5, ge=1)
    alpha: float = Field(default=0.5, ge=0, le=1)
    mode: Mode = "hybrid"


DEFAULT_SETTINGS = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class NodeText:
    """What the index has to know of a node: all its text, and its vector where that is known already."""

    text: str
    vector: NDArray[np.float32] | None = None


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


def expand(
    hits: Iterable[Hit],
    neighbours: Callable[[str], Iterable[str]],
    timestamp: Callable[[str], datetime],
    *,
    exclude: Collection[str] = (),
) -> list[str]:
    """Return the ids of the hits and of each one's direct neighbours, newest first, without those excluded.

    Of nodes equally new, hits come first, best first, then neighbours in the order of their hits.
    """
    found = [hit.id for hit in hits]
    around = [neighbour for hit_id in found for neighbour in neighbours(hit_id)]
    unique = [node_id for node_id in dict.fromkeys([*found, *around]) if node_id not in exclude]
    return sorted(unique, key=timestamp, reverse=True)  # a reversed sort keeps the order of equals too


class RetrievalIndex:
    """Keyword and vector index over the same nodes. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, describe: Callable[[str], NodeText]) -> None:
        """Follow the nodes that `describe` gives the texts of; it is asked for marked ids only."""
        self._embedder = embedder
        self._describe = describe
        # Both tables are told the same additions and removals, hence a node has the same row in both.
        self._keywords = KeywordIndex()
        self._vectors = VectorIndex(embedder.dimension)
        self._order: dict[str, int] = {}
        self._additions = 0
        self._marked: dict[str, None] = {}  # a dict for its order, in which new nodes are added
        self._forgotten: dict[str, None] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        with self._lock:
            self.refresh()
            return len(self._order)

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
        with self._lock:
            marked = list(self._marked)
            nodes = [self._describe(node_id) for node_id in marked]
            vectors = self._vectors_of(nodes)
            for node_id in self._forgotten:
                if self._order.pop(node_id, None) is not None:
                    self._keywords.remove(node_id)
                    self._vectors.remove(node_id)
            for node_id, node, vector in zip(marked, nodes, vectors, strict=True):
                self._vectors.set(node_id, vector)
                self._keywords.set(node_id, tokenize(node.text))
                self._order.setdefault(node_id, self._additions)
                self._additions += 1
            self._marked.clear()
            self._forgotten.clear()

    def vector(self, node_id: str) -> NDArray[np.float32]:
        """Return a copy of a node's vector, shape (dimension,), up to date; `KeyError` if there is none."""
        with self._lock:
            self.refresh()
            return self._vectors[node_id]

    def retrieve(
        self,
        query: str,
        settings: RetrievalSettings = DEFAULT_SETTINGS,
        *,
        exclude: Collection[str] = (),
        vector: NDArray[np.float32] | None = None,
    ) -> list[Hit]:
        """Return the best `settings.k` nodes, best first, equals in the order in which they were added.

        Candidates are all nodes but those excluded. Each part is scaled to 0 … 1 between its lowest and its
        highest value among them; a part with the same value for all is 0 for all. BM25 below zero, which
        occurs among a handful of nodes, counts as zero, so that a shared word never tells against a node.
        Keyword mode finds only nodes that share a word with the query. `vector` is the query's own, where it
        is known.
        """
        tokens = tokenize(query)
        if vector is None and settings.mode != "keyword":
            vector = self._embedder.embed([query])[0]
        with self._lock:
            self.refresh()
            rows = self._candidates(exclude)
            if not len(rows):
                return []
            return self._rank(rows, tokens, None if settings.mode == "keyword" else vector, settings)

    def _vectors_of(self, nodes: list[NodeText]) -> list[NDArray[np.float32]]:
        """Embed the nodes whose vector is not known, all at once."""
        unknown = [node.text for node in nodes if node.vector is None]
        embedded = iter(self._embedder.embed(unknown) if unknown else ())
        return [next(embedded) if node.vector is None else node.vector for node in nodes]

    def _candidates(self, exclude: Collection[str]) -> _Rows:
        """Return the rows of all nodes but those excluded, ascending."""
        excluded = [row for node_id in exclude if (row := self._keywords.row(node_id)) is not None]
        return np.delete(np.arange(len(self._order)), excluded)

    def _rank(
        self, rows: _Rows, tokens: list[str], vector: NDArray[np.float32] | None, settings: RetrievalSettings
    ) -> list[Hit]:
        """Rank the rows, by keywords alone where there is no vector."""
        weight = _KEYWORD_WEIGHT.get(settings.mode, settings.alpha)
        bm25 = np.maximum(self._keywords.scores(tokens)[rows], 0)
        totals = _scaled(bm25, weight)
        cosines = None
        if vector is None:
            matching = self._keywords.matching(tokens)[rows]
            rows, bm25, totals = rows[matching], bm25[matching], totals[matching]
        else:
            cosines = self._vectors.scores(vector)[rows].astype(np.float64)
            totals += _scaled(cosines, 1 - weight)
        head = _head(totals, settings.k)
        added = np.array([self._order[self._keywords.ids[row]] for row in rows[head]])
        best = head[np.lexsort((added, -totals[head]))][: settings.k]
        return [
            Hit(
                id=self._keywords.ids[rows[place]],
                score=float(totals[place]),
                keyword=float(bm25[place]),
                embedding=None if cosines is None else float(cosines[place]),
            )
            for place in best
        ]


def _scaled(values: _Floats, weight: float) -> _Floats:
    """Take values to 0 … weight between their lowest and highest; to 0 where all are the same."""
    low, high = values.min(), values.max()
    if high <= low:
        return np.zeros_like(values)
    scaled: _Floats = (values - low) / (high - low) * weight
    return scaled


def _head(totals: _Floats, k: int) -> _Rows:
    """The places of the k highest totals, and of all that equal the lowest of these, in no order."""
    if len(totals) <= k:
        return np.arange(len(totals))
    return np.flatnonzero(totals >= np.partition(totals, len(totals) - k)[len(totals) - k])
