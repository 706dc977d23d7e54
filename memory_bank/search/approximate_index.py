"""Approximate nearest-neighbour search in a large set of vectors.

The vectors are grouped into cells around centroids (an inverted file of faiss). A query is compared only with the
vectors in the cells nearest to it. faiss is imported only when there are enough vectors to need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import faiss

_SHARE_SEARCHED, _LEAST_SEARCHED = 0.1, 32  # of the cells
_SAMPLES_PER_CELL = 40
_ITERATIONS = 10  # of k-means
_HASH_TABLE = 2  # faiss.DirectMap.Hashtable, which is missing from the library's types


class ApproximateIndex:
    """Row numbers and their vectors, in half precision: exact scores must be computed for the rows found."""

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        """Index all rows of a matrix of shape (n, d), n at least 1. The same matrix gives the same index."""
        import faiss  # noqa: PLC0415

        faiss.omp_set_num_threads(1)  # its threads spin while they wait, and queries come one at a time
        self._built_for, dimension = len(matrix), matrix.shape[1]
        cells = max(1, int(self._built_for**0.5))
        self._centroids = faiss.IndexFlatIP(dimension)
        half = faiss.ScalarQuantizer.QT_fp16
        index = faiss.IndexIVFScalarQuantizer(self._centroids, dimension, cells, half, faiss.METRIC_INNER_PRODUCT)
        index.nprobe = min(cells, max(_LEAST_SEARCHED, round(cells * _SHARE_SEARCHED)))
        index.cp.niter = _ITERATIONS
        index.cp.min_points_per_centroid = 1
        index.train(matrix[:: max(1, self._built_for // (cells * _SAMPLES_PER_CELL))])
        index.set_direct_map_type(_HASH_TABLE)  # removes a row without a scan of all others
        index.add_with_ids(matrix, np.arange(self._built_for))
        self._index: faiss.IndexIVF = index
        self._selector = faiss.IDSelectorArray

    def outgrown(self, count: int) -> bool:
        """Whether the index was built for so few rows that it should be built anew."""
        return count > 2 * self._built_for

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Add a row that is not in the index."""
        self._index.add_with_ids(vector[np.newaxis], np.array([row]))

    def remove(self, row: int) -> None:
        """Remove a row."""
        self._index.remove_ids(self._selector(np.array([row])))

    def nearest(self, vector: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        """At most `count` rows near a vector of shape (d,), nearest first."""
        rows: NDArray[np.intp] = self._index.search(vector[np.newaxis], count)[1][0]
        return rows[rows >= 0]
