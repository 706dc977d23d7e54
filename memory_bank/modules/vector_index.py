"""Exact cosine search over vectors that come, change and go (specification, section 1).

An approximate index or a vector database can stand behind the same methods: it gives its nearest rows their own
scores and all others the lowest of these, since whoever ranks looks at the head only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory_bank.modules.row_table import RowTable

_FIRST_CAPACITY = 64


class VectorIndex:
    """A float32 matrix with a row for each id, which grows by doubling. Not safe for several threads at once.

    The vectors are taken to be L2-normalised, so that a dot product is a cosine; they are stored as they are.
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
        """Numbers in a vector."""
        return self._dimension

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, item_id: str) -> NDArray[np.float32]:
        """Return a copy of the vector of an id, shape (d,). `KeyError` if it is not there."""
        row = self._table.get(item_id)
        if row is None:
            raise KeyError(item_id)
        vector: NDArray[np.float32] = self._matrix[row].copy()
        return vector

    def set(self, item_id: str, vector: ArrayLike) -> None:
        """Add or replace a vector of shape (d,); `ValueError` on another shape, NaN or infinity."""
        values = self._checked(vector)
        row = self._table.get(item_id)
        if row is None:
            row = self._table.add(item_id)
            if row == len(self._matrix):
                self._grow()
        self._matrix[row] = values

    def remove(self, item_id: str) -> None:
        """Take a vector out; the last row moves into its place. `KeyError` if it is not there."""
        row, last = self._table.remove(item_id)
        self._matrix[row] = self._matrix[last]

    def scores(self, vector: ArrayLike) -> NDArray[np.float32]:
        """The dot product of every row with `vector`: float32 of shape (n,), in the order of `ids`.

        A score does not depend on where its row stands: equal vectors score the same to the last bit.
        """
        # Not `matrix @ vector`: its blocks make the last bit depend on the row, and its threads, which wait for each
        # other actively, take ten times as long when the processors are busy with something else.
        scores: NDArray[np.float32] = np.vecdot(self._matrix[: len(self)], self._checked(vector))
        return scores

    def _checked(self, vector: ArrayLike) -> NDArray[np.float32]:
        values: NDArray[np.float32] = np.asarray(vector, dtype=np.float32)
        if values.shape != (self.dimension,):
            raise ValueError(f"a vector of shape {values.shape} does not fit an index of dimension {self.dimension}")
        if not np.isfinite(values).all():
            raise ValueError("a vector with NaN or infinite numbers cannot be compared")
        return values

    def _grow(self) -> None:
        capacity = max(_FIRST_CAPACITY, 2 * len(self._matrix))
        matrix = np.empty((capacity, self.dimension), dtype=np.float32)
        matrix[: len(self._matrix)] = self._matrix
        self._matrix = matrix
