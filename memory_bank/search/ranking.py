"""Make scores of different kinds comparable by their ranks, and merge rankings whose scores are not."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=Hashable)

RANK_CONSTANT = 3
"""How slowly weight falls with rank. The usual 60 suits long lists of equal worth; here the first few ranks matter."""
_HALF_WEIGHT_RANK = 8
"""The rank with half the weight of the best: about as far down a list as an answer reads."""

_Scores = NDArray[np.floating[Any]]


def highest(scores: _Scores, count: int) -> NDArray[np.intp]:
    """The positions of the `count` highest scores, and of all that equal the lowest of these, ascending."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])


def scaled_by_rank(scores: _Scores, head: _Scores, last: int | None) -> NDArray[np.float64]:
    """Scale scores to 0 … 1 by their ranks among `head`, the highest scores: 1 for the best, 0 for the rank `last`.

    If `last` is None, 0 is never reached. The distance between two scores is ignored: for BM25 it depends on the
    words of the question, and cosines all lie close together.
    """
    ranks = len(head) - np.searchsorted(np.sort(head), scores, side="right")
    lowest = 0.0 if last is None else _weight(last)
    return (_weight(ranks) - lowest) / (1 - lowest) if lowest < 1 else np.ones(len(scores))


def _weight(rank: Any) -> Any:  # noqa: ANN401 - a number, or an array of them
    return _HALF_WEIGHT_RANK / (_HALF_WEIGHT_RANK + rank)


def fuse(rankings: Sequence[Sequence[Item]]) -> dict[Item, float]:
    """Fused weight of each item, best first; ties in the order of appearance. 1 means first in every ranking.

    An item that is twice in a ranking counts there at its better rank.
    """
    weights: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking)):
            weights[item] = weights.get(item, 0.0) + RANK_CONSTANT / (RANK_CONSTANT + rank)
    return {item: weights[item] / len(rankings) for item in sorted(weights, key=weights.__getitem__, reverse=True)}
