"""Vector index of claims: finds the nodes with the most similar claims, however different the nodes are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.contradictions import MIN_SIMILARITY
from memory_bank.search.embedding import Embedder

MOST_PARTNERS = 8
"""Most nodes that are returned for a node."""
NEAREST = 3
"""Nearest claims of other nodes that are considered for each claim of a node."""
_BLOCK = 1024


class NearestClaims:
    """The claim vectors of all nodes in one matrix. A change costs as much as the claims of the one node."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = np.zeros((_BLOCK, embedder.dimension), np.float32)
        self._owner: list[str | None] = []
        self._sources = np.zeros(_BLOCK, np.int32)
        self._source_numbers: dict[str, int] = {}
        self._rows: dict[str, list[int]] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._owner) - len(self._free)

    def set(self, node_id: str, claims: tuple[Claim, ...]) -> None:
        """Index a node's claims, replacing any earlier ones."""
        self.remove(node_id)
        if not claims:
            return
        vectors = self._embedder.embed([claim.text for claim in claims])
        rows = [self._free_row() for _ in claims]
        self._vectors[rows] = vectors
        for row, claim in zip(rows, claims, strict=True):
            self._owner[row] = node_id
            self._sources[row] = self._source_numbers.setdefault(claim.source, len(self._source_numbers))
        self._rows[node_id] = rows

    def remove(self, node_id: str) -> None:
        """Remove a node's claims, if it has any."""
        for row in self._rows.pop(node_id, ()):
            self._owner[row] = None
            self._vectors[row] = 0
            self._free.append(row)

    def partners(self, node_id: str) -> list[str]:
        """Other nodes with claims similar to this node's claims; ties are ordered by id.

        First those with claims of other documents, which are compared in the first place, then those with claims of the
        same document; each most similar first.
        """
        rows = self._rows.get(node_id)
        if not rows or len(self._rows) < 2:
            return []
        similarity: NDArray[np.float32] = (self._vectors[rows] @ self._vectors[: len(self._owner)].T).round(6)
        similarity[:, rows] = -1
        sources = self._sources[: len(self._owner)]
        best: dict[str, tuple[bool, float]] = {}
        for row, own in zip(similarity, rows, strict=True):
            for elsewhere in (True, False):
                ranked = np.where((sources != sources[own]) == elsewhere, row, -1)
                # Equally near claims all count: which row a claim has depends on when it was added.
                nearest = ranked if len(ranked) <= NEAREST else np.partition(ranked, -NEAREST)[-NEAREST:]
                for column in np.flatnonzero(ranked >= max(float(nearest.min()), MIN_SIMILARITY)):
                    owner = self._owner[column]
                    if owner is not None:
                        best[owner] = max(best.get(owner, (False, 0.0)), (elsewhere, float(row[column])))
        return sorted(best, key=lambda other: (not best[other][0], -best[other][1], len(other), other))[:MOST_PARTNERS]

    def _free_row(self) -> int:
        """The index of an unused row; the matrix doubles when there is none."""
        if self._free:
            return self._free.pop()
        if len(self._owner) == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            self._sources = np.concatenate([self._sources, np.zeros_like(self._sources)])
        self._owner.append(None)
        return len(self._owner) - 1
