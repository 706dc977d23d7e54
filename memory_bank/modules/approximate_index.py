"""Nearest vectors among very many, most of which are not looked at.

The vectors are put into cells around centres (faiss, an inverted file), and a query is compared with those in the
cells nearest to it. The library is loaded when there are that many vectors, and never before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import faiss

_SHARE_SEARCHED, _LEAST_SEARCHED = 0.1, 32
_SAMPLE_OF_A_CELL = 40
_ROUNDS = 10
_HASH_TABLE = 2  # faiss.DirectMap.Hashtable, which the library's types leave out


class ApproximateIndex:
    """Row numbers and their vectors, in half precision: who wants exact scores computes them for what was found."""

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        """Take all rows of a matrix of shape (n, d), n at least 1. The same matrix gives the same index."""
        import faiss  # noqa: PLC0415

        faiss.omp_set_num_threads(1)  # its threads wait for each other actively, and there is one query at a time
        self._built_for, dimension = len(matrix), matrix.shape[1]
        cells = max(1, int(self._built_for**0.5))
        self._centres = faiss.IndexFlatIP(dimension)
        half = faiss.ScalarQuantizer.QT_fp16
        index = faiss.IndexIVFScalarQuantizer(self._centres, dimension, cells, half, faiss.METRIC_INNER_PRODUCT)
        index.nprobe = min(cells, max(_LEAST_SEARCHED, round(cells * _SHARE_SEARCHED)))
        index.cp.niter = _ROUNDS
        index.cp.min_points_per_centroid = 1
        index.train(matrix[:: max(1, self._built_for // (cells * _SAMPLE_OF_A_CELL))])
        index.set_direct_map_type(_HASH_TABLE)  # to remove a row without a look at all others
        index.add_with_ids(matrix, np.arange(self._built_for))
        self._index: faiss.IndexIVF = index
        self._selector = faiss.IDSelectorArray

    def outgrown(self, count: int) -> bool:
        """Whether the cells were made for so few rows that they should be made anew."""
        return count > 2 * self._built_for

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Add a row that is not there."""
        self._index.add_with_ids(vector[np.newaxis], np.array([row]))

    def remove(self, row: int) -> None:
        """Take a row out."""
        self._index.remove_ids(self._selector(np.array([row])))

    def nearest(self, vector: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        """At most `count` rows near a vector of shape (d,), nearest first."""
        rows: NDArray[np.intp] = self._index.search(vector[np.newaxis], count)[1][0]
        return rows[rows >= 0]
