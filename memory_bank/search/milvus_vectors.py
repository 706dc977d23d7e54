"""Keep vectors in Milvus instead of memory, if a setting says so.

They are derived from the graph and can be rebuilt from it. Each index has its own collection with an unguessable name,
which is dropped when the index is closed or nothing refers to it any more. A killed process leaves its collections
behind, named `memory_bank_…`, to be dropped by whoever runs the database.
"""

from __future__ import annotations

import logging
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import LongTermError, SettingsError
from memory_bank.search.pymilvus_library import batches, create_collection, load_pymilvus
from memory_bank.search.vector_index import Vector, VectorIndex, Vectors, VectorsLostError
from memory_bank.text.wording import one_line

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_BATCH = 1_000
_MOST_HITS = 16_384  # limit of Milvus
_SECONDS = 10.0
_ALLOWED = "the address of a Milvus server that answers, or a file *.db of Milvus Lite that no other program has open"
_log = logging.getLogger(__name__)


class MilvusVectorStore:
    """A Milvus server, or a file of Milvus Lite. After a failure, which is logged once, memory is used instead."""

    def __init__(self, uri: str) -> None:
        """Connect; `SettingsError` if that is not possible."""
        without_password = uri.rpartition("@")[2]
        try:
            pymilvus = load_pymilvus()
        except LongTermError as error:
            raise SettingsError("VECTOR_URI", without_password, f"nothing, because {error}") from error
        from grpc import RpcError  # noqa: PLC0415

        try:
            self._client: MilvusClient = pymilvus.MilvusClient(uri=uri, timeout=_SECONDS)
        except (pymilvus.MilvusException, ValueError, OSError) as error:
            raise SettingsError("VECTOR_URI", without_password, _ALLOWED) from error
        self.failures = (pymilvus.MilvusException, RpcError)
        self._works = True
        weakref.finalize(self, self._client.close).atexit = False

    def vectors(self, dimension: int) -> Vectors:
        """Create an empty index: in Milvus, or in memory after a failure."""
        return MilvusVectors(self, self._client, dimension) if self._works else VectorIndex(dimension)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Turn a failure of the database into `VectorsLostError`, and use memory from then on."""
        try:
            yield
        except self.failures as error:
            if self._works:
                _log.warning("vectors are kept in memory from now on, Milvus failed: %s", one_line(str(error))[:300])
            self._works = False
            raise VectorsLostError from error


class MilvusVectors:
    """Vectors in a Milvus collection, with their rows as keys. Not safe for several threads at once.

    Changes are written in batches, before the next search at the latest; the first write creates the collection. Every
    method raises `VectorsLostError` once the collection was dropped or the database failed.
    """

    def __init__(self, store: MilvusVectorStore, client: MilvusClient, dimension: int) -> None:
        self._store = store
        self._client = client
        self._dimension = dimension
        self._count = 0
        self._unwritten: dict[int, Vector] = {}
        self._removed: set[int] = set()
        self._name = f"memory_bank_{uuid.uuid4().hex}"
        self._dropping: weakref.finalize[..., MilvusVectors] | None = None

    def __getitem__(self, row: int) -> Vector:
        """Return a copy of the vector in a row, shape (d,)."""
        vector: Vector = self._read([row])[0]
        return vector

    def set(self, row: int, vector: Vector) -> None:
        """Replace the vector in a row; the row after the last is new."""
        self._count = max(self._count, row + 1)
        self._removed.discard(row)
        self._unwritten[row] = vector
        if len(self._unwritten) >= _BATCH:
            self._write()

    def remove(self, row: int) -> None:
        """Remove a vector; that of the last row moves into its place."""
        last = self._count - 1
        if row != last:
            self.set(row, self._read([last])[0])
        self._count = last
        self._unwritten.pop(last, None)
        self._removed.add(last)

    def scores_of(self, rows: NDArray[np.intp], vector: Vector) -> Vector:
        """The dot products of the given rows with `vector`, in their order."""
        scores: Vector = np.vecdot(self._read(rows.tolist()), vector)
        return scores

    def nearest(self, vector: Vector, count: int, without: NDArray[np.intp]) -> NDArray[np.intp]:
        """The `count` rows with the highest scores, as far as the index of Milvus finds them, ascending."""
        limit = min(count + len(without), _MOST_HITS, self._count)
        if not limit:
            return np.empty(0, dtype=np.intp)
        self._write()
        with self._watched():
            hits = self._client.search(self._name, [vector], limit=limit, output_fields=["row"], timeout=_SECONDS)[0]
        excluded = set(without.tolist())
        rows = [hit["row"] for hit in hits if hit["row"] not in excluded]
        return np.sort(np.array(rows[:count], dtype=np.intp))

    def close(self) -> None:
        """Drop the collection, if there is one. The index cannot be used afterwards."""
        if self._dropping is not None:
            self._dropping()

    def _write(self) -> None:
        with self._watched():
            if self._dropping is None:
                vector = {"type": "FLOAT_VECTOR", "dim": self._dimension}
                fields = {"row": {"type": "INT64", "is_primary": True}, "vector": vector}
                index = {"index_type": "AUTOINDEX", "metric_type": "IP"}
                create_collection(self._client, self._name, fields, index, timeout=_SECONDS)
                self._dropping = weakref.finalize(self, _drop, self._client, self._name, self._store.failures)
                self._dropping.atexit = False  # Milvus Lite runs in threads of this process and does not answer then
            for rows in batches(sorted(self._removed), _BATCH):
                self._client.delete(self._name, ids=rows, timeout=_SECONDS)
            if self._unwritten:
                data = [{"row": row, "vector": vector} for row, vector in self._unwritten.items()]
                self._client.upsert(self._name, data, timeout=_SECONDS)
        self._removed.clear()
        self._unwritten.clear()

    def _read(self, rows: Sequence[int]) -> Vector:
        """The vectors of the given rows, shape (n, d), written or not."""
        known = {row: self._unwritten[row] for row in rows if row in self._unwritten}
        with self._watched():
            for batch in batches([row for row in rows if row not in known], _BATCH):
                entities = self._client.get(self._name, ids=batch, output_fields=["vector"], timeout=_SECONDS)
                known |= {entity["row"]: entity["vector"] for entity in entities}
        if not known.keys() >= set(rows):  # someone else deleted them
            raise VectorsLostError
        return np.array([known[row] for row in rows], dtype=np.float32).reshape(len(rows), self._dimension)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        if self._dropping is not None and not self._dropping.alive:
            raise VectorsLostError
        with self._store.watched():
            yield


def _drop(client: MilvusClient, name: str, failures: tuple[type[Exception], ...]) -> None:
    try:
        client.drop_collection(name, timeout=_SECONDS)
    except failures as error:
        _log.warning("the collection %s is left in Milvus and can be dropped: %s", name, one_line(str(error))[:300])
