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


class NearestClaims:
    """The claim vectors of all nodes, and the documents that the claims are of."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._nodes: dict[str, tuple[NDArray[np.float32], list[int]]] = {}
        self._source_numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(len(sources) for _, sources in self._nodes.values())

    def set(self, node_id: str, claims: tuple[Claim, ...]) -> None:
        """Index a node's claims, replacing any earlier ones."""
        self.remove(node_id)
        if claims:
            vectors = self._embedder.embed([claim.text for claim in claims])
            numbers = self._source_numbers
            self._nodes[node_id] = vectors, [numbers.setdefault(claim.source, len(numbers)) for claim in claims]

    def remove(self, node_id: str) -> None:
        """Remove a node's claims, if it has any."""
        self._nodes.pop(node_id, None)

    def partners(self, node_id: str) -> list[str]:
        """Other nodes with claims similar to this node's claims; ties are ordered by id.

        First those with claims of other documents, which are compared in the first place, then those with claims of the
        same document; each most similar first.
        """
        others = {other: indexed for other, indexed in self._nodes.items() if other != node_id}
        if node_id not in self._nodes or not others:
            return []
        own_vectors, own_sources = self._nodes[node_id]
        owners = [other for other, (_, sources) in others.items() for _ in sources]
        sources = np.array([source for _, sources in others.values() for source in sources])
        similarity = np.concatenate([own_vectors @ vectors.T for vectors, _ in others.values()], axis=1).round(6)
        best: dict[str, tuple[bool, float]] = {}
        for row, own in zip(similarity, own_sources, strict=True):
            for elsewhere in (True, False):
                ranked = np.where((sources != own) == elsewhere, row, -1)
                # Equally near claims all count: which place a claim has depends on when it was added.
                nearest = ranked if len(ranked) <= NEAREST else np.partition(ranked, -NEAREST)[-NEAREST:]
                for column in np.flatnonzero(ranked >= max(float(nearest.min()), MIN_SIMILARITY)):
                    best[owners[column]] = max(best.get(owners[column], (False, 0.0)), (elsewhere, float(row[column])))
        return sorted(best, key=lambda other: (not best[other][0], -best[other][1], len(other), other))[:MOST_PARTNERS]
