"""Scores of different kinds made comparable: by how many candidates score higher."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_HALF = 8
"""The rank that counts half as much as the best: about as far as an answer reads a list."""

_Scores = NDArray[np.floating[Any]]


def highest(scores: _Scores, count: int) -> NDArray[np.intp]:
    """The places of the `count` highest scores, and of all that equal the lowest of these, ascending."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])


def scaled_by_rank(scores: _Scores, head: _Scores, last: int | None) -> NDArray[np.float64]:
    """Take scores to 0 … 1 by their ranks in `head`, the highest of all: 1 for the best, 0 for the rank `last`.

    Where `last` is None, 0 is not reached, however low the rank. How far one score is above another counts for
    nothing: BM25 spreads them as the question's words have it, and cosines all lie close together.
    """
    ranks = len(head) - np.searchsorted(np.sort(head), scores, side="right")
    lowest = 0.0 if last is None else _weight(last)
    return (_weight(ranks) - lowest) / (1 - lowest) if lowest < 1 else np.ones(len(scores))


def _weight(rank: Any) -> Any:  # noqa: ANN401 - a number, or an array of them
    return _HALF / (_HALF + rank)
