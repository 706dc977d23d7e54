"""What is kept in Milvus beside the records, by their keys: how often each was recalled, and which were forgotten.

Milvus has no write on a condition: whoever reads a row and writes it back may undo what somebody else did between the
two. So an access is never counted in the row of its record, and on a server a record that is forgotten leaves a mark:
whoever writes looks for marks after that, and whoever reads looks for them after it has read.

A note holds a SHA-256 and a number, and no word of anyone. The accesses of this process are counted in it alone until
its next write.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from memory_bank.long_term.milvus_connection import WRITING, Client, Left, MilvusConnection
from memory_bank.long_term.milvus_rows import Row, batches, keyed
from memory_bank.modules.pymilvus_library import load_pymilvus

_COLLECTION = "notes_long_term"
_ACCESSES, _FORGOTTEN = "a", "f"
_NOWHERE = [1.0, 0.0]  # a collection must have vectors


@dataclass(frozen=True, slots=True)
class Noted:
    """What is known of some records, by key."""

    accesses: Counter[str]
    forgotten: frozenset[str]


class Notes:
    """The notes of a store; `shared` where other processes may write at once, as on a server."""

    def __init__(self, connection: MilvusConnection, *, shared: bool) -> None:
        self._connection, self._shared = connection, shared
        self._kinds = (_ACCESSES, _FORGOTTEN) if shared else (_ACCESSES,)
        self._counted: Counter[str] = Counter()  # accesses that are not written yet
        self._counting = threading.Lock()

    def attach(self, client: Client, left: Left) -> None:
        """Find the collection, or make it."""
        if client.has_collection(_COLLECTION, timeout=left()):
            client.load_collection(_COLLECTION, timeout=left())
            return
        kinds = load_pymilvus().DataType
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", kinds.VARCHAR, max_length=65, is_primary=True)
        schema.add_field("number", kinds.INT64)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=len(_NOWHERE))
        index = client.prepare_index_params()
        index.add_index("vector", index_type="FLAT", metric_type="L2")
        client.create_collection(
            _COLLECTION, schema=schema, index_params=index, consistency_level="Strong", timeout=left()
        )

    def read(self, keys: Iterable[str], client: Client, left: Left) -> Noted:
        """What is noted of some records, which must have been read before."""
        numbers = self._stored(keys, client, left)
        with self._counting:
            accesses = Counter(self._counted)
        accesses.update({key[1:]: number for key, number in numbers.items() if key[0] == _ACCESSES})
        return Noted(accesses, frozenset(key[1:] for key in numbers if key[0] == _FORGOTTEN))

    def count(self, keys: Iterable[str]) -> None:
        """Count an access to each of some records, in this process for now."""
        with self._counting:
            self._counted.update(keys)

    def write_counted(self) -> None:
        """Write what was counted. Of two processes that do it for a record at one moment, one counts for nothing."""
        with self._counting:
            counted, self._counted = self._counted, Counter()
        try:
            stored = self._connection.call(partial(self._stored, list(counted)), WRITING)
            self._write([(_ACCESSES + key, stored.get(_ACCESSES + key, 0) + counted[key]) for key in counted])
        except BaseException:
            with self._counting:
                self._counted.update(counted)
            raise

    def mark_forgotten(self, keys: Sequence[str]) -> None:
        """Let no one show or keep these from now on; before the rows are deleted."""
        if self._shared:
            self._write([(_FORGOTTEN + key, 1) for key in keys])
        self._remove([_ACCESSES + key for key in keys])
        self._drop_counted(keys)

    def begin_anew(self, accesses: dict[str, int]) -> None:
        """Drop what is noted of records that are kept as new, before they are written."""
        noted = self._connection.call(partial(self.read, list(accesses)), WRITING)
        self._drop_counted(accesses)
        self._remove([_FORGOTTEN + key for key in noted.forgotten])
        self._remove([_ACCESSES + key for key in accesses if noted.accesses[key] and not accesses[key]])
        self._write([(_ACCESSES + key, number) for key, number in accesses.items() if number])

    def forgotten(self, keys: Iterable[str]) -> frozenset[str]:
        """Which of some records were forgotten, those that were written a moment ago."""
        if not self._shared:
            return frozenset()
        return self._connection.call(partial(self.read, list(keys)), WRITING).forgotten

    def _stored(self, keys: Iterable[str], client: Client, left: Left) -> dict[str, int]:
        found: dict[str, int] = {}
        for some in batches([kind + key for key in keys for kind in self._kinds]):
            rows = client.query(_COLLECTION, filter=keyed(some), output_fields=["key", "number"], timeout=left())
            found.update((row["key"], row["number"]) for row in rows)
        return found

    def _drop_counted(self, keys: Iterable[str]) -> None:
        with self._counting:
            for key in keys:
                self._counted.pop(key, None)

    def _write(self, numbers: Sequence[tuple[str, int]]) -> None:
        for some in batches(numbers):
            rows = [{"key": key, "number": number, "vector": _NOWHERE} for key, number in some]
            self._connection.call(partial(_upsert, rows), WRITING)

    def _remove(self, keys: Sequence[str]) -> None:
        for some in batches(keys):
            self._connection.call(partial(_delete, some), WRITING)


def _upsert(rows: list[Row], client: Client, left: Left) -> None:
    client.upsert(_COLLECTION, rows, timeout=left())


def _delete(keys: Sequence[str], client: Client, left: Left) -> None:
    client.delete(_COLLECTION, filter=keyed(keys), timeout=left())
