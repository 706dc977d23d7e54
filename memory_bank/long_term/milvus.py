"""A store in Milvus: Milvus Lite in a file, or a server or cluster by its address."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.milvus_connection import DEADLINE, WRITING, Client, MilvusConnection
from memory_bank.long_term.milvus_layout import Layout, OwnPartitions
from memory_bank.long_term.milvus_notes import Notes
from memory_bank.long_term.milvus_rows import (
    LONGEST_BODY,
    Row,
    digest,
    key_filter,
    key_of,
    record_of,
    row_of,
    scope_filter,
    user_filter,
)
from memory_bank.long_term.record import Scope
from memory_bank.long_term.record_type import RECORD_TYPES, RecordType
from memory_bank.long_term.store import (
    AnyRecord,
    EmbeddedRecord,
    FoundRecord,
    Vector,
    check_model,
    check_owner,
    newest_first,
)
from memory_bank.search.pymilvus_library import create_collection

_PREFIX = "long_term_"
_FLUSH_AFTER = 250
"""Written rows after which Milvus Lite is flushed: it searches its log ten times as slowly as its files."""
Result = TypeVar("Result")


class MilvusStore:
    """Records in one collection, named after the embedding model. Create only one for each file in a process.

    A new collection is made for `model`; an existing one may be of one of the models `others` instead.

    A file belongs to one process. A server may have several clients that write at once: once forgetting a record has
    returned, nobody gets it any more, unless it is added again. Of two simultaneous changes of a record the later wins.
    """

    def __init__(self, uri: str, model: str, *, others: Collection[str] = (), deadline: float = DEADLINE) -> None:
        self._connection = MilvusConnection(uri, self._prepare, deadline)
        self._model, self._others = model, others
        self._layout = OwnPartitions() if self._connection.is_file else Layout()
        self._notes = Notes(self._connection, shared=not self._connection.is_file)
        self._collection = ""
        self._dimension = 0
        self._purged_at_start = False
        self._unflushed = 0
        self._write_lock = threading.RLock()  # Milvus Lite takes one write at a time

    def model(self) -> str:
        """The embedding model: that of the existing collection, if it is known, else that of a new one."""
        return self._call(lambda _client: self._model)

    def add(self, user: str, entries: Sequence[EmbeddedRecord]) -> None:
        """Store records of a user."""
        check_owner(user, entries)
        if not entries:
            return
        rows = [row_of(entry) for entry in entries]
        accesses = {row["key"]: entry.record.access_count for row, entry in zip(rows, entries, strict=True)}
        with self._write_lock:
            self._call(partial(self._make_ready, [len(entry.vector) for entry in entries]), WRITING)
            self._notes.write_counted()
            self._notes.begin_anew(accesses)
            self._write(rows)

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[FoundRecord]:
        """The most similar records, as Milvus finds them."""

        def search(client: Client) -> list[FoundRecord]:
            where = self._where(digest(scope.user))
            if where is None or not types:
                return []
            self._check_dimension(len(vector))
            (results,) = client.search(
                self._collection,
                data=[vector.tolist()],
                filter=scope_filter(scope, types),
                limit=k,
                output_fields=["key", "body", "vector"],
                **where,
            )
            similarities = {result["entity"]["key"]: float(result["distance"]) for result in results}
            records = self._not_forgotten(scope.user, [result["entity"] for result in results], client)
            return [
                FoundRecord(record, similarities[row["key"]], np.asarray(row["vector"], dtype=np.float32))
                for record, row in records
            ]

        return self._call(search)

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record by id; None where there is none."""
        records = self._records(user, key_filter([key_of(user, record_id)]))
        return records[0] if records else None

    def update(self, user: str, entries: Sequence[EmbeddedRecord]) -> int:
        """Replace those records that still exist. One that is forgotten while it is written does not come back."""
        check_owner(user, entries)
        if not entries:
            return 0
        rows = {row["key"]: row for row in map(row_of, entries)}
        with self._write_lock:
            existing = self._keys(digest(user), key_filter(rows)) - self._notes.forgotten(rows)
            if not existing:
                return 0
            self._call(partial(self._make_ready, [len(entry.vector) for entry in entries]), WRITING)
            self._write([rows[key] for key in existing])
            forgotten_meanwhile = existing & self._notes.forgotten(existing)
            self._delete(forgotten_meanwhile)
            self._notes.write_counted()
            return len(existing - forgotten_meanwhile)

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of the records, in memory until the next write or the end of the process."""
        self._call(lambda _client: None)
        if self._dimension:
            self._notes.count(key_of(user, record_id) for record_id in record_ids)

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records and everything stored about them, and return how many there were."""
        return self._remove(user, key_filter(key_of(user, record_id) for record_id in record_ids)) if record_ids else 0

    def forget_all(self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES) -> int:
        """Remove every record of a scope, or those of the given types, and return how many there were."""
        return self._remove(scope.user, scope_filter(scope, types))

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first. Milvus cannot sort, so all are read."""
        return newest_first(self._records(scope.user, scope_filter(scope, types)), offset, limit)

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        rows = self._rows(digest(scope.user), scope_filter(scope, RECORD_TYPES), ["count(*)"])
        return int(rows[0]["count(*)"]) if rows else 0

    def close(self) -> None:
        """Write the counted accesses, and close the connection or file."""
        with self._write_lock:
            if self._connection.is_open:
                with contextlib.suppress(LongTermError):  # access counts are only used for pruning
                    self._notes.write_counted()
            self._connection.close()

    # -- the collection --------------------------------------------------------------------------------------

    def _call(self, operation: Callable[[Client], Result], patience: int = 1) -> Result:
        """Call an operation; the first call also purges what an earlier process deleted and left in the file."""
        result = self._connection.call(operation, patience)
        if not self._purged_at_start:
            self._purged_at_start = True
            with self._write_lock:
                self._purge()
        return result

    def _prepare(self, client: Client) -> None:
        """Find the collection, whatever its model is: listing and forgetting need no model."""
        names = sorted(name for name in client.list_collections() if name.startswith(_PREFIX))
        known = [model for model in (self._model, *self._others) if _collection_name(model) in names]
        self._model = known[0] if known else self._model
        self._collection = names[0] if names and not known else _collection_name(self._model)
        self._dimension = 0
        if names:
            self._attach(client)

    def _attach(self, client: Client) -> None:
        client.load_collection(self._collection)
        fields = client.describe_collection(self._collection)["fields"]
        self._notes.attach(client)
        self._layout.attach(client, self._collection)
        self._dimension = next(int(field["params"]["dim"]) for field in fields if field["name"] == "vector")

    def _make_ready(self, dimensions: Sequence[int], client: Client) -> None:
        """Create the collection if there is none. `LongTermError` for vectors that do not fit into it."""
        if not self._dimension:
            self._create(client, dimensions[0])
        for dimension in dimensions:
            self._check_dimension(dimension)

    def _create(self, client: Client, dimension: int) -> None:
        keyed = self._layout.is_keyed
        fields = {
            "key": {"type": "VARCHAR", "max_length": 64, "is_primary": True},
            "user_key": {"type": "VARCHAR", "max_length": 64, "is_partition_key": keyed},
            "project_key": {"type": "VARCHAR", "max_length": 64},
            "type": {"type": "VARCHAR", "max_length": 16},
            "body": {"type": "VARCHAR", "max_length": LONGEST_BODY},
            "vector": {"type": "FLOAT_VECTOR", "dim": dimension},
        }
        index = {"index_type": "AUTOINDEX" if keyed else "FLAT", "metric_type": "COSINE"}
        create_collection(client, self._collection, fields, index)
        self._attach(client)

    def _check_dimension(self, dimension: int) -> None:
        ours = self._collection == _collection_name(self._model)
        stored = self._model if ours else self._collection.removeprefix(_PREFIX)
        check_model((stored, self._dimension), (self._model, dimension))

    # -- rows ------------------------------------------------------------------------------------------------

    def _where(self, user_key: str) -> dict[str, list[str]] | None:
        """Arguments of a read that say where a user's rows are; None where there are none."""
        return self._layout.reading(user_key) if self._dimension else None

    def _query(self, user_key: str, condition: str, fields: list[str], client: Client) -> list[Row]:
        where = self._where(user_key)
        if where is None:
            return []
        return list(client.query(self._collection, filter=condition, output_fields=fields, **where))

    def _rows(self, user_key: str, condition: str, fields: list[str], patience: int = 1) -> list[Row]:
        return self._call(partial(self._query, user_key, condition, fields), patience)

    def _keys(self, user_key: str, condition: str) -> set[str]:
        return {row["key"] for row in self._rows(user_key, condition, ["key"])}

    def _records(self, user: str, condition: str) -> list[AnyRecord]:
        def read(client: Client) -> list[AnyRecord]:
            rows = self._query(digest(user), condition, ["key", "body"], client)
            return [record for record, _ in self._not_forgotten(user, rows, client)]

        return self._call(read)

    def _not_forgotten(self, user: str, rows: Sequence[Row], client: Client) -> list[tuple[AnyRecord, Row]]:
        """The records in rows that were read, without those that another process forgot meanwhile."""
        noted = self._notes.read([row["key"] for row in rows], client)
        remaining = (row for row in rows if row["key"] not in noted.forgotten)
        return [(record_of(user, row, noted.accesses[row["key"]]), row) for row in remaining]

    def _write(self, rows: Sequence[Row]) -> None:
        """Write rows of one user."""
        self._connection.write_each(
            rows,
            lambda batch, client: client.upsert(
                self._collection, list(batch), **self._layout.target(client, batch[0]["user_key"])
            ),
        )
        self._unflushed += len(rows)
        if self._connection.is_file and self._unflushed >= _FLUSH_AFTER:
            self._call(lambda client: client.flush(self._collection), WRITING)
            self._unflushed = 0

    def _delete(self, keys: Iterable[str]) -> None:
        self._connection.write_each(
            sorted(keys), lambda batch, client: client.delete(self._collection, filter=key_filter(batch))
        )

    def _remove(self, user: str, condition: str) -> int:
        """Mark, delete and purge rows, and return how many records that were; rows added meanwhile stay."""
        user_key = digest(user)
        with self._write_lock:
            keys = self._keys(user_key, condition)
            already_forgotten = self._notes.forgotten(keys)
            if keys:
                self._call(lambda client: self._layout.begin_purge(client, user_key), WRITING)
                self._notes.mark_forgotten(sorted(keys))
                self._delete(keys)
            self._purge()
            return len(keys - already_forgotten)

    def _purge(self) -> None:
        """Make deleted rows unreadable, including those of an earlier purge that failed or whose process ended."""
        try:
            for user_key in self._layout.unpurged():
                read = partial(self._rows, user_key, user_filter(user_key), ["*"], WRITING)
                self._layout.purge(self._connection, user_key, read)
        except LongTermError as error:
            raise LongTermError(
                "what was forgotten is found no more, but its words could not be removed from the file; that is done "
                f"at the next forgetting, or when memory is opened again ({error})"
            ) from error


def _collection_name(model: str) -> str:
    return _PREFIX + re.sub(r"\W", "_", model, flags=re.ASCII)
