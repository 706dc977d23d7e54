"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): merge rankings whose scores are not comparable."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

RANK_CONSTANT = 3
"""How slowly weight falls with rank. The usual 60 suits long lists of equal worth; here the first few ranks matter."""


def fuse(rankings: Iterable[Sequence[Item]]) -> dict[Item, float]:
    """Fused weight of each item, best first; ties in the order of appearance. 1 means first in every ranking.

    An item that is twice in a ranking counts there at its better rank.
    """
    weights: dict[Item, float] = {}
    count = 0
    for ranking in rankings:
        count += 1
        for rank, item in enumerate(dict.fromkeys(ranking)):
            weights[item] = weights.get(item, 0.0) + RANK_CONSTANT / (RANK_CONSTANT + rank)
    return {item: weights[item] / count for item in sorted(weights, key=weights.__getitem__, reverse=True)}
