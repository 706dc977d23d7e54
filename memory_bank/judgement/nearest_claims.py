"""Claims by the vectors of their words: finds the nodes with the nearest claims, however unlike the nodes are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.contradictions import LEAST_LIKENESS
from memory_bank.modules.embedding import Embedder

MOST_PARTNERS = 8
"""Nodes that are found for a node."""
NEAREST = 3
"""Claims of other nodes that are looked at for each claim of a node."""
_BLOCK = 1024


class NearestClaims:
    """The claims of all nodes in one matrix. A change costs what the claims of the one node cost."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = np.zeros((_BLOCK, embedder.dimension), np.float32)
        self._owner: list[str | None] = []
        self._rows: dict[str, list[int]] = {}
        self._free: list[int] = []

    def set(self, node_id: str, claims: tuple[Claim, ...]) -> None:
        """Index a node's claims, replacing what was there."""
        self.remove(node_id)
        if not claims:
            return
        vectors = self._embedder.embed([claim.text for claim in claims])
        rows = [self._row() for _ in claims]
        self._vectors[rows] = vectors
        for row in rows:
            self._owner[row] = node_id
        self._rows[node_id] = rows

    def remove(self, node_id: str) -> None:
        """Forget a node's claims; nothing happens if it has none."""
        for row in self._rows.pop(node_id, ()):
            self._owner[row] = None
            self._vectors[row] = 0
            self._free.append(row)

    def partners(self, node_id: str) -> list[str]:
        """Other nodes with claims near this node's claims, those with the nearest first; equals by id."""
        rows = self._rows.get(node_id)
        if not rows or len(self._rows) < 2:
            return []
        likeness: NDArray[np.float32] = self._vectors[rows] @ self._vectors[: len(self._owner)].T
        likeness[:, rows] = -1
        best: dict[str, float] = {}
        for row in likeness:
            for column in np.argsort(-row, kind="stable")[:NEAREST]:
                owner = self._owner[column]
                if owner is not None and row[column] >= LEAST_LIKENESS:
                    best[owner] = max(best.get(owner, 0.0), float(row[column]))
        return sorted(best, key=lambda found: (-round(best[found], 6), len(found), found))[:MOST_PARTNERS]

    def _row(self) -> int:
        if self._free:
            return self._free.pop()
        if len(self._owner) == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        self._owner.append(None)
        return len(self._owner) - 1
