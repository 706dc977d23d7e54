"""Cosine search over vectors that can be added, changed and removed. A query is compared with all of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.search.ranking import highest

_FIRST_CAPACITY = 64

Vector = NDArray[np.float32]


class Vectors(Protocol):
    """A vector index as retrieval uses it, in memory or in a database. Vectors have rows, 0 to n - 1, without gaps."""

    def __getitem__(self, row: int) -> Vector:
        """Return a copy of the vector in a row, shape (d,)."""

    def set(self, row: int, vector: Vector) -> None:
        """Replace the vector in a row; the row after the last is new."""

    def remove(self, row: int) -> None:
        """Remove a vector; that of the last row moves into its place."""

    def scores_of(self, rows: NDArray[np.intp], vector: Vector) -> Vector:
        """The dot products of the given rows with `vector`, in their order."""

    def nearest(self, vector: Vector, count: int, without: NDArray[np.intp]) -> NDArray[np.intp]:
        """The `count` rows with the highest scores, except those in `without`, ascending."""

    def close(self) -> None:
        """Release what is stored outside of this process, if anything is."""


class VectorsLostError(Exception):
    """The vectors are gone, because the index was closed or a database failed: they have to be computed again."""


class VectorIndex:
    """A float32 matrix, which grows by doubling. Not safe for several threads at once.

    Vectors are stored as they are. They must be L2-normalised for a dot product to be a cosine.
    """

    def __init__(self, dimension: int) -> None:
        self._matrix: Vector = np.empty((_FIRST_CAPACITY, dimension), dtype=np.float32)
        self._count = 0

    def __getitem__(self, row: int) -> Vector:
        """Return a copy of the vector in a row, shape (d,)."""
        vector: Vector = self._matrix[row].copy()
        return vector

    def set(self, row: int, vector: Vector) -> None:
        """Replace the vector in a row; the row after the last is new."""
        if row == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.empty_like(self._matrix)])
        self._matrix[row] = vector
        self._count = max(self._count, row + 1)

    def remove(self, row: int) -> None:
        """Remove a vector; that of the last row moves into its place."""
        self._count -= 1
        self._matrix[row] = self._matrix[self._count]

    def scores_of(self, rows: NDArray[np.intp], vector: Vector) -> Vector:
        """The dot products of the given rows with `vector`, in their order."""
        return _scores(self._matrix[rows], vector)

    def nearest(self, vector: Vector, count: int, without: NDArray[np.intp]) -> NDArray[np.intp]:
        """The `count` rows with the highest scores, and ties with the lowest, except those in `without`, ascending."""
        scores = _scores(self._matrix[: self._count], vector)
        scores[without] = -np.inf
        best = highest(scores, count)
        return best[scores[best] > -np.inf]

    def close(self) -> None:
        """Nothing is stored outside of this process."""


def _scores(matrix: Vector, vector: Vector) -> Vector:
    """The dot product of each row with a vector; equal rows score the same to the last bit, wherever they are."""
    # Not `matrix @ vector`: it works in blocks, which makes the last bit depend on the row, and its threads spin while
    # they wait, which takes ten times as long if the processors are busy.
    scores: Vector = np.vecdot(matrix, vector)
    return scores
