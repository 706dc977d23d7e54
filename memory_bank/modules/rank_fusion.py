"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): several rankings into one, whatever their scores mean."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

HEAD = 3
"""How slowly a place loses weight. The usual 60 is for long lists of equal worth; here the first few places count."""


def fuse(rankings: Iterable[Sequence[Item]]) -> dict[Item, float]:
    """Each item's weight, best first, in equals as they came. 1 is the first place in every ranking.

    An item that a ranking holds twice counts there at its better place.
    """
    weights: dict[Item, float] = {}
    count = 0
    for ranking in rankings:
        count += 1
        for place, item in enumerate(dict.fromkeys(ranking)):
            weights[item] = weights.get(item, 0.0) + HEAD / (HEAD + place)
    return {item: weights[item] / count for item in sorted(weights, key=weights.__getitem__, reverse=True)}
