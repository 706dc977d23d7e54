"""Cache vectors by the hashes of their texts: in memory, and across runs in a file, both of bounded size."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import SettingsError

_FILE_SIZE = 100_000  # vectors; about 200 MB
_BATCH = 500  # keys in one query: older versions of SQLite take at most 999
_log = logging.getLogger(__name__)


class CachedVectors:
    """Vectors of texts, computed if no cache has them: the `size` used last in memory, many more in a `file`.

    `identity` stands for all that a vector depends on besides its text: the model, and how it is run.
    """

    def __init__(self, identity: str, size: int, file: Path | None) -> None:
        self._identity = identity
        self._caches: list[MemoryCache | FileCache] = [MemoryCache(size)]
        if file is not None:
            self._caches.append(FileCache(file, _FILE_SIZE))

    def embed(
        self, texts: Sequence[str], compute: Callable[[list[str]], Sequence[NDArray[np.float32]]], dimension: int
    ) -> NDArray[np.float32]:
        """The vectors of the texts, shape (len(texts), dimension); `compute` gets all unknown texts at once."""
        keyed = (f"{self._identity}\0{text}".encode("utf-8", "surrogatepass") for text in texts)
        keys = [hashlib.blake2b(text, digest_size=16).digest() for text in keyed]
        text_of = dict(zip(keys, texts, strict=True))
        vectors: dict[bytes, NDArray[np.float32]] = {}
        for cache in self._caches:
            vectors |= cache.get([key for key in text_of if key not in vectors])
        missing = {key: text for key, text in text_of.items() if key not in vectors}
        computed = dict(zip(missing, compute(list(missing.values())), strict=True))
        vectors |= computed
        self._caches[0].put(vectors)
        for cache in self._caches[1:]:
            cache.put(computed)
        matrix = np.empty((len(keys), dimension), dtype=np.float32)
        for row, key in enumerate(keys):
            matrix[row] = vectors[key]
        return matrix


class MemoryCache:
    """The vectors used last, `size` of them. Safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that are in the cache."""
        with self._lock:
            cached = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in cached:
                self._vectors.move_to_end(key)
            return cached

    def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Store vectors; if there are too many, drop those used longest ago."""
        with self._lock:
            for key, vector in vectors.items():
                self._vectors[key] = vector.copy()  # a view would keep its whole batch in memory
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


class FileCache:
    """The vectors used last, `size` of them, in an SQLite file that several processes may share.

    `SettingsError` if the file cannot be opened. If it fails later (the disk is full), that is logged once, and the
    cache is not used any more.
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
        """Return the vectors that are in the cache."""
        cached: dict[bytes, NDArray[np.float32]] = {}
        if not (keys and self._works):
            return cached
        try:
            with self._lock, closing(self._open()) as database, database:
                for start in range(0, len(keys), _BATCH):
                    batch = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(batch))
                    rows = database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", batch)  # noqa: S608
                    cached |= {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
                self._note_use(database, cached)
        except sqlite3.Error as error:
            self._give_up(error)
        return cached

    def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Store vectors; if there are too many, drop those used longest ago."""
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
