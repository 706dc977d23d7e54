"""Vectors kept by their texts' hashes: in memory, and from one run to the next in a file, both up to a bound."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import SettingsError

_KEPT_IN_FILE = 100_000  # about 200 MB
_BATCH = 500  # keys in one question: SQLite takes no more than 999 in its older versions
_log = logging.getLogger(__name__)


class VectorCache(Protocol):
    """Vectors by hashes. Safe to share between threads; may forget at any time."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that are known."""
        ...

    def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Keep vectors, and forget those used longest ago where there are too many."""
        ...


class CachedVectors:
    """Vectors by hashes, computed where no cache has them: the `size` used last in memory, many more in a `file`."""

    def __init__(self, size: int, file: Path | None) -> None:
        self._caches: list[VectorCache] = [MemoryCache(size)]
        if file is not None:
            self._caches.append(FileCache(file, _KEPT_IN_FILE))

    def of(
        self, keyed: Mapping[bytes, str], compute: Callable[[list[str]], Sequence[NDArray[np.float32]]]
    ) -> dict[bytes, NDArray[np.float32]]:
        """The vector of each text by its key; `compute` is asked for all that are not known, at once."""
        vectors: dict[bytes, NDArray[np.float32]] = {}
        for cache in self._caches:
            vectors |= cache.get([key for key in keyed if key not in vectors])
        missing = {key: text for key, text in keyed.items() if key not in vectors}
        computed = dict(zip(missing, compute(list(missing.values())), strict=True))
        vectors |= computed
        self._caches[0].put(vectors)
        for cache in self._caches[1:]:
            cache.put(computed)
        return vectors


class MemoryCache:
    """The vectors used last, `size` of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that are known."""
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
            return found

    def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Keep vectors, and forget those used longest ago where there are too many."""
        with self._lock:
            for key, vector in vectors.items():
                self._vectors[key] = vector.copy()  # a view would keep its whole batch in memory
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


class FileCache:
    """The vectors used last, `size` of them, in an SQLite file that several processes may share.

    A file that cannot be opened is a `SettingsError`. If it fails later (the disk is full), that is logged once and
    vectors are computed as if there were none.
    """

    def __init__(self, file: Path, size: int) -> None:
        self._file, self._size = file, size
        self._lock = threading.Lock()
        self._works = True
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as database, database:
                database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, used INTEGER)")
                database.execute("CREATE INDEX IF NOT EXISTS by_use ON vectors (used)")
        except (OSError, sqlite3.Error) as error:
            raise SettingsError("EMBEDDING_CACHE", str(file), "a file that can be written, or none") from error

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that are known."""
        found: dict[bytes, NDArray[np.float32]] = {}
        if not (keys and self._works):
            return found
        try:
            with self._lock, closing(self._open()) as database, database:
                for start in range(0, len(keys), _BATCH):
                    some = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(some))
                    rows = database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608
                    found |= {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
                self._note_use(database, found)
        except sqlite3.Error as error:
            self._give_up(error)
        return found

    def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Keep vectors, and forget those used longest ago where there are too many."""
        if not (vectors and self._works):
            return
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        try:
            with self._lock, closing(self._open()) as database, database:
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, 0)", rows)
                self._note_use(database, vectors)
                too_many = database.execute("SELECT count(*) FROM vectors").fetchone()[0] - self._size
                oldest = "SELECT key FROM vectors ORDER BY used LIMIT ?"
                database.execute(f"DELETE FROM vectors WHERE key IN ({oldest})", (max(0, too_many),))  # noqa: S608
        except sqlite3.Error as error:
            self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=5)

    def _note_use(self, database: sqlite3.Connection, used: Mapping[bytes, object]) -> None:
        latest = database.execute("SELECT coalesce(max(used), 0) FROM vectors").fetchone()[0]
        database.executemany("UPDATE vectors SET used = ? WHERE key = ?", [(latest + 1, key) for key in used])

    def _give_up(self, error: sqlite3.Error) -> None:
        if self._works:
            _log.warning("vectors are not kept in %s any more: %s", self._file.name, error)
        self._works = False
