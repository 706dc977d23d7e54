"""Notes on records, in a Milvus collection of their own: access counts, and marks of forgotten records.

Milvus has no conditional write: to read a row and write it back may undo a change that another process made in between.
So accesses are not counted in the row of a record, and on a server a forgotten record leaves a mark. A writer looks for
marks after it has written, a reader after it has read.

A note holds a SHA-256 and a number, and nobody's text. A process counts its accesses in memory until its next write.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from memory_bank.long_term.milvus_connection import WRITING, Client, MilvusConnection
from memory_bank.long_term.milvus_rows import BATCH, key_filter
from memory_bank.search.pymilvus_library import batches, create_collection

_COLLECTION = "notes_long_term"
_ACCESSES, _FORGOTTEN = "a", "f"
_DUMMY_VECTOR = [1.0, 0.0]  # a collection must have vectors


@dataclass(frozen=True, slots=True)
class Noted:
    """The notes on some records, by key."""

    accesses: Counter[str]
    forgotten: frozenset[str]


class Notes:
    """The notes of a store; `shared` if other processes may write at the same time, as on a server."""

    def __init__(self, connection: MilvusConnection, *, shared: bool) -> None:
        self._connection, self._shared = connection, shared
        self._kinds = (_ACCESSES, _FORGOTTEN) if shared else (_ACCESSES,)
        self._counted: Counter[str] = Counter()  # accesses that are not written yet
        self._counted_lock = threading.Lock()

    def attach(self, client: Client) -> None:
        """Load the collection, or create it."""
        if client.has_collection(_COLLECTION):
            client.load_collection(_COLLECTION)
            return
        fields: dict[str, dict[str, Any]] = {
            "key": {"type": "VARCHAR", "max_length": 65, "is_primary": True},
            "number": {"type": "INT64"},
            "vector": {"type": "FLOAT_VECTOR", "dim": len(_DUMMY_VECTOR)},
        }
        create_collection(client, _COLLECTION, fields, {"index_type": "FLAT", "metric_type": "L2"})

    def read(self, keys: Iterable[str], client: Client) -> Noted:
        """The notes on some records; read the records before, so that none forgotten meanwhile is missed."""
        numbers = self._read_numbers(keys, client)
        with self._counted_lock:
            accesses = Counter(self._counted)
        accesses.update({key[1:]: number for key, number in numbers.items() if key[0] == _ACCESSES})
        return Noted(accesses, frozenset(key[1:] for key in numbers if key[0] == _FORGOTTEN))

    def count(self, keys: Iterable[str]) -> None:
        """Count an access to each of some records, in memory for now."""
        with self._counted_lock:
            self._counted.update(keys)

    def write_counted(self) -> None:
        """Write the counted accesses. If two processes do so for a record at the same moment, one count is lost."""
        with self._counted_lock:
            counted, self._counted = self._counted, Counter()
        try:
            written = self._connection.call(partial(self._read_numbers, list(counted)), WRITING)
            self._write([(_ACCESSES + key, written.get(_ACCESSES + key, 0) + counted[key]) for key in counted])
        except BaseException:
            with self._counted_lock:
                self._counted.update(counted)
            raise

    def mark_forgotten(self, keys: Sequence[str]) -> None:
        """Mark records as forgotten, so that nobody shows or updates them; call it before their rows are deleted."""
        if self._shared:
            self._write([(_FORGOTTEN + key, 1) for key in keys])
        self._remove([_ACCESSES + key for key in keys])
        self._discard_counted(keys)

    def begin_anew(self, accesses: dict[str, int]) -> None:
        """Reset the notes on records that are stored as new, before they are written."""
        noted = self._connection.call(partial(self.read, list(accesses)), WRITING)
        self._discard_counted(accesses)
        self._remove([_FORGOTTEN + key for key in noted.forgotten])
        self._remove([_ACCESSES + key for key in accesses if noted.accesses[key] and not accesses[key]])
        self._write([(_ACCESSES + key, number) for key, number in accesses.items() if number])

    def forgotten(self, keys: Iterable[str]) -> frozenset[str]:
        """Which of some records are marked as forgotten; a writer calls it after writing them."""
        if not self._shared:
            return frozenset()
        return self._connection.call(partial(self.read, list(keys)), WRITING).forgotten

    def _read_numbers(self, keys: Iterable[str], client: Client) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for batch in batches([kind + key for key in keys for kind in self._kinds], BATCH):
            rows = client.query(_COLLECTION, filter=key_filter(batch), output_fields=["key", "number"])
            numbers.update((row["key"], row["number"]) for row in rows)
        return numbers

    def _discard_counted(self, keys: Iterable[str]) -> None:
        with self._counted_lock:
            for key in keys:
                self._counted.pop(key, None)

    def _write(self, numbers: Sequence[tuple[str, int]]) -> None:
        rows = [{"key": key, "number": number, "vector": _DUMMY_VECTOR} for key, number in numbers]
        self._connection.write_each(rows, lambda batch, client: client.upsert(_COLLECTION, batch))

    def _remove(self, keys: Sequence[str]) -> None:
        self._connection.write_each(keys, lambda batch, client: client.delete(_COLLECTION, filter=key_filter(batch)))
