"""Cosine search over vectors that can be added, changed and removed. A query is compared with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory_bank.search.ranking import highest
from memory_bank.search.row_table import RowTable

_FIRST_CAPACITY = 64
_NO_ROWS: NDArray[np.intp] = np.empty(0, dtype=np.intp)


class Vectors(Protocol):
    """A vector index as retrieval uses it, in memory or in a database.

    Rows are assigned as in a `RowTable`: a new id takes the row after the last, the last row takes a removed one's
    place.
    """

    def __getitem__(self, item_id: str) -> NDArray[np.float32]:
        """Return a copy of the vector of an id, shape (d,). `KeyError` if it is not in the index."""
        ...

    def set(self, item_id: str, vector: ArrayLike) -> None:
        """Add or replace a vector of shape (d,); `ValueError` on another shape, NaN or infinity."""
        ...

    def remove(self, item_id: str) -> None:
        """Remove a vector; the last row moves into its place. `KeyError` if it is not in the index."""
        ...

    def scores_of(self, rows: NDArray[np.intp], vector: ArrayLike) -> NDArray[np.float32]:
        """The dot products of the given rows with `vector`, in their order."""
        ...

    def nearest(self, vector: ArrayLike, count: int, without: NDArray[np.intp]) -> NDArray[np.intp]:
        """The `count` rows with the highest scores, except those in `without`, ascending."""
        ...

    def close(self) -> None:
        """Release what is stored outside of this process, if anything is."""
        ...


class VectorsLostError(Exception):
    """The vectors are gone, because the index was closed or a database failed: they have to be computed again."""


def validated_vector(vector: ArrayLike, dimension: int) -> NDArray[np.float32]:
    """The vector as an array; `ValueError` if its shape is not (dimension,) or it holds NaN or infinity."""
    values: NDArray[np.float32] = np.asarray(vector, dtype=np.float32)
    if values.shape != (dimension,):
        raise ValueError(f"a vector of shape {values.shape} does not fit an index of dimension {dimension}")
    if not np.isfinite(values).all():
        raise ValueError("a vector with NaN or infinite numbers cannot be compared")
    return values


class VectorIndex:
    """A float32 matrix with a row for each id, which grows by doubling. Not safe for several threads at once.

    Vectors are stored as they are. They must be L2-normalised for a dot product to be a cosine.
    """

    def __init__(self, dimension: int) -> None:
        self._table = RowTable()
        self._dimension = dimension
        self._matrix: NDArray[np.float32] = np.empty((0, dimension), dtype=np.float32)

    @property
    def ids(self) -> Sequence[str]:
        """The ids in the order of `scores`."""
        return self._table.ids

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        return self._dimension

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, item_id: str) -> NDArray[np.float32]:
        """Return a copy of the vector of an id, shape (d,). `KeyError` if it is not in the index."""
        row = self._table.get(item_id)
        if row is None:
            raise KeyError(item_id)
        vector: NDArray[np.float32] = self._matrix[row].copy()
        return vector

    def set(self, item_id: str, vector: ArrayLike) -> None:
        """Add or replace a vector of shape (d,); `ValueError` on another shape, NaN or infinity."""
        values = validated_vector(vector, self._dimension)
        row = self._table.get(item_id)
        if row is None:
            row = self._table.add(item_id)
            if row == len(self._matrix):
                self._grow()
        self._matrix[row] = values

    def remove(self, item_id: str) -> None:
        """Remove a vector; the last row moves into its place. `KeyError` if it is not in the index."""
        row, last = self._table.remove(item_id)
        self._matrix[row] = self._matrix[last]

    def scores(self, vector: ArrayLike) -> NDArray[np.float32]:
        """The dot product of every row with `vector`: float32 of shape (n,), in the order of `ids`.

        A score does not depend on the position of its row: equal vectors score the same to the last bit.
        """
        # Not `matrix @ vector`: it works in blocks, which makes the last bit depend on the row, and its threads spin
        # while they wait, which takes ten times as long if the processors are busy.
        scores: NDArray[np.float32] = np.vecdot(self._matrix[: len(self)], validated_vector(vector, self._dimension))
        return scores

    def scores_of(self, rows: NDArray[np.intp], vector: ArrayLike) -> NDArray[np.float32]:
        """The dot products of the given rows with `vector`, in their order."""
        scores: NDArray[np.float32] = np.vecdot(self._matrix[rows], validated_vector(vector, self._dimension))
        return scores

    def nearest(self, vector: ArrayLike, count: int, without: NDArray[np.intp] = _NO_ROWS) -> NDArray[np.intp]:
        """The `count` rows with the highest scores, and ties with the lowest, except those in `without`, ascending."""
        scores = self.scores(vector)
        scores[without] = -np.inf
        best = highest(scores, count)
        return best[scores[best] > -np.inf]

    def close(self) -> None:
        """Nothing is stored outside of this process."""

    def _grow(self) -> None:
        capacity = max(_FIRST_CAPACITY, 2 * len(self._matrix))
        matrix = np.empty((capacity, self.dimension), dtype=np.float32)
        matrix[: len(self._matrix)] = self._matrix
        self._matrix = matrix
