"""Long-term memory in Milvus: Milvus Lite in a file, or a server or cluster by its address."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TypeVar

from memory_bank.errors import LongTermError
from memory_bank.long_term.milvus_connection import DEADLINE, WRITING, Client, Left, MilvusConnection
from memory_bank.long_term.milvus_layout import KeyedLayout, Layout, OwnPartitions
from memory_bank.long_term.milvus_notes import Notes
from memory_bank.long_term.milvus_rows import (
    LONGEST_BODY,
    Row,
    batches,
    digest,
    expression,
    key_of,
    keyed,
    record_of,
    row_of,
    vector_of,
    whole,
)
from memory_bank.long_term.record import RECORD_TYPES, RecordType, Scope
from memory_bank.long_term.store import AnyRecord, Embedded, Hit, Vector, check_model, check_owner, newest_first
from memory_bank.modules.pymilvus_library import load_pymilvus

_PREFIX = "long_term_"
_UNSAVED = 250
"""Rows that Milvus Lite may have in its log alone, in which it searches ten times as slowly as in its files."""
Result = TypeVar("Result")


class MilvusStore:
    """Records in one collection, named after the model that made the vectors. Have one for each file in a process.

    A new collection is of `model`; one that there is already may be of one of `others` instead.

    A file belongs to one process. Of a server's clients several may write at once: whatever they do, a record whose
    forgetting has returned is given to nobody after that, unless it is added anew. Two that change the same record at
    the same moment keep the later.
    """

    def __init__(self, uri: str, model: str, *, others: Collection[str] = (), deadline: float = DEADLINE) -> None:
        self._connection = MilvusConnection(uri, self._prepare, deadline)
        self._model, self._others = model, others
        self._layout: Layout = OwnPartitions() if self._connection.is_file else KeyedLayout()
        self._notes = Notes(self._connection, shared=not self._connection.is_file)
        self._collection = ""
        self._dimension = 0
        self._looked_back = False
        self._unsaved = 0
        self._writing = threading.RLock()  # Milvus Lite takes one write at a time

    def model(self) -> str:
        """The model that makes the vectors: the one that those that are there were made with, where it is known."""
        return self._call(lambda _client, _left: self._model)

    def add(self, user: str, entries: Sequence[Embedded]) -> None:
        """Keep new records of a user."""
        check_owner(user, entries)
        if not entries:
            return
        rows = [row_of(entry) for entry in entries]
        accesses = {row["key"]: entry.record.access_count for row, entry in zip(rows, entries, strict=True)}
        with self._writing:
            self._call(partial(self._make_ready, [len(entry.vector) for entry in entries]), WRITING)
            self._notes.write_counted()
            self._notes.begin_anew(accesses)
            self._write(rows)

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[Hit]:
        """The most similar records, as Milvus finds them."""

        def search(client: Client, left: Left) -> list[Hit]:
            where = self._where(digest(scope.user))
            if where is None or not types:
                return []
            self._check(len(vector))
            (found,) = client.search(
                self._collection,
                data=[vector.tolist()],
                filter=expression(scope, types),
                limit=k,
                output_fields=["key", "body", "vector"],
                timeout=left(),
                **where,
            )
            distances = {each["entity"]["key"]: float(each["distance"]) for each in found}
            known = self._known(scope.user, [each["entity"] for each in found], client, left)
            return [Hit(record, distances[row["key"]], vector_of(row)) for record, row in known]

        return self._call(search)

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record of that id."""
        found = self._records(user, keyed([key_of(user, record_id)]))
        return found[0] if found else None

    def update(self, user: str, entries: Sequence[Embedded]) -> int:
        """Replace records that are still there. One that is forgotten while it is written does not come back."""
        check_owner(user, entries)
        if not entries:
            return 0
        rows = {row["key"]: row for row in map(row_of, entries)}
        with self._writing:
            there = self._keys(digest(user), keyed(rows)) - self._notes.forgotten(rows)
            if not there:
                return 0
            self._call(partial(self._make_ready, [len(entry.vector) for entry in entries]), WRITING)
            self._write([rows[key] for key in there])
            late = there & self._notes.forgotten(there)
            self._delete(late)
            self._notes.write_counted()
            return len(there - late)

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of some records, in this process until its next write or its end."""
        self._call(lambda _client, _left: None)
        if self._dimension:
            self._notes.count(key_of(user, record_id) for record_id in record_ids)

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records."""
        return self._remove(user, keyed(key_of(user, each) for each in record_ids)) if record_ids else 0

    def forget_all(self, scope: Scope) -> int:
        """Remove every record of a scope."""
        return self._remove(scope.user, expression(scope, RECORD_TYPES))

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first. Milvus has no order: all are read."""
        return newest_first(self._records(scope.user, expression(scope, types)), offset, limit)

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        rows = self._rows(digest(scope.user), expression(scope, RECORD_TYPES), ["count(*)"])
        return int(rows[0]["count(*)"]) if rows else 0

    def close(self) -> None:
        """Write what is left to write, end the connection and let go of the file."""
        with self._writing:
            if self._connection.is_open:
                with contextlib.suppress(LongTermError):  # the accesses only tell what may be pruned
                    self._notes.write_counted()
            self._connection.close()

    # -- the collection --------------------------------------------------------------------------------------

    def _call(self, operation: Callable[[Client, Left], Result], patience: int = 1) -> Result:
        """The first call of a process also removes what an earlier one deleted and left in the file."""
        result = self._connection.call(operation, patience)
        if not self._looked_back:
            self._looked_back = True
            with self._writing:
                self._purge()
        return result

    def _prepare(self, client: Client, left: Left) -> None:
        """Find the collection, whichever model it is of: listing and forgetting need no model."""
        names = sorted(name for name in client.list_collections(timeout=left()) if name.startswith(_PREFIX))
        known = [model for model in (self._model, *self._others) if _collection_name(model) in names]
        self._model = known[0] if known else self._model
        self._collection = names[0] if names and not known else _collection_name(self._model)
        self._dimension = 0
        if names:
            self._attach(client, left)

    def _attach(self, client: Client, left: Left) -> None:
        client.load_collection(self._collection, timeout=left())
        fields = client.describe_collection(self._collection, timeout=left())["fields"]
        self._notes.attach(client, left)
        self._layout.attach(client, self._collection, left)
        self._dimension = next(int(field["params"]["dim"]) for field in fields if field["name"] == "vector")

    def _make_ready(self, dimensions: Sequence[int], client: Client, left: Left) -> None:
        """Make the collection where there is none. `LongTermError` for vectors that do not belong into it."""
        if not self._dimension:
            self._create(client, dimensions[0], left)
        for dimension in dimensions:
            self._check(dimension)

    def _create(self, client: Client, dimension: int, left: Left) -> None:
        kinds = load_pymilvus().DataType
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", kinds.VARCHAR, max_length=64, is_primary=True)
        schema.add_field("user_key", kinds.VARCHAR, max_length=64, is_partition_key=self._layout.is_keyed)
        schema.add_field("project_key", kinds.VARCHAR, max_length=64)
        schema.add_field("type", kinds.VARCHAR, max_length=16)
        schema.add_field("body", kinds.VARCHAR, max_length=LONGEST_BODY)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=dimension)
        index = client.prepare_index_params()
        index.add_index("vector", index_type="AUTOINDEX" if self._layout.is_keyed else "FLAT", metric_type="COSINE")
        client.create_collection(
            self._collection, schema=schema, index_params=index, consistency_level="Strong", timeout=left()
        )
        self._attach(client, left)

    def _check(self, dimension: int) -> None:
        ours = self._collection == _collection_name(self._model)
        stored = self._model if ours else self._collection.removeprefix(_PREFIX)
        check_model((stored, self._dimension), (self._model, dimension))

    # -- rows ------------------------------------------------------------------------------------------------

    def _where(self, user_key: str) -> dict[str, list[str]] | None:
        """Where a user's rows are; None where there are none."""
        return self._layout.reading(user_key) if self._dimension else None

    def _query(self, user_key: str, wanted: str, fields: list[str], client: Client, left: Left) -> list[Row]:
        where = self._where(user_key)
        if where is None:
            return []
        return list(client.query(self._collection, filter=wanted, output_fields=fields, timeout=left(), **where))

    def _rows(self, user_key: str, wanted: str, fields: list[str], patience: int = 1) -> list[Row]:
        return self._call(partial(self._query, user_key, wanted, fields), patience)

    def _keys(self, user_key: str, wanted: str) -> set[str]:
        return {row["key"] for row in self._rows(user_key, wanted, ["key"])}

    def _records(self, user: str, wanted: str) -> list[AnyRecord]:
        def read(client: Client, left: Left) -> list[AnyRecord]:
            rows = self._query(digest(user), wanted, ["key", "body"], client, left)
            return [record for record, _ in self._known(user, rows, client, left)]

        return self._call(read)

    def _known(self, user: str, rows: Sequence[Row], client: Client, left: Left) -> list[tuple[AnyRecord, Row]]:
        """The records of rows that were read, without those that somebody forgot meanwhile."""
        noted = self._notes.read([row["key"] for row in rows], client, left)
        left_over = (row for row in rows if row["key"] not in noted.forgotten)
        return [(record_of(user, row, noted.accesses[row["key"]]), row) for row in left_over]

    def _write(self, rows: Sequence[Row]) -> None:
        """Write rows of one user."""

        def write(some: Sequence[Row], client: Client, left: Left) -> None:
            target = self._layout.target(client, some[0]["user_key"], left)
            client.upsert(self._collection, list(some), timeout=left(), **target)

        for some in batches(rows):
            self._call(partial(write, some), WRITING)
        self._unsaved += len(rows)
        if self._connection.is_file and self._unsaved >= _UNSAVED:
            self._call(lambda client, left: client.flush(self._collection, timeout=left()), WRITING)
            self._unsaved = 0

    def _delete(self, keys: Iterable[str]) -> None:
        def delete(some: Sequence[str], client: Client, left: Left) -> None:
            client.delete(self._collection, filter=keyed(some), timeout=left())

        for some in batches(sorted(keys)):
            self._call(partial(delete, some), WRITING)

    def _remove(self, user: str, wanted: str) -> int:
        """Mark, delete, purge. What somebody adds to the scope after it was looked through, is not in it."""
        user_key = digest(user)
        with self._writing:
            keys = self._keys(user_key, wanted)
            before = self._notes.forgotten(keys)
            if keys:
                self._call(lambda client, left: self._layout.begin_purge(client, user_key, left), WRITING)
                self._notes.mark_forgotten(sorted(keys))
                self._delete(keys)
            self._purge()
            return len(keys - before)

    def _purge(self) -> None:
        """Make what was deleted unreadable, also where an earlier purge failed or its process ended."""
        try:
            for user_key in self._layout.unpurged():
                read = partial(self._rows, user_key, whole(user_key), ["*"], WRITING)
                self._layout.purge(self._connection, user_key, read)
        except LongTermError as error:
            raise LongTermError(
                "what was forgotten is found no more, but its words could not be removed from the file; that is done "
                f"at the next forgetting, or when memory is opened again ({error})"
            ) from error


def _collection_name(model: str) -> str:
    return _PREFIX + re.sub(r"\W", "_", model, flags=re.ASCII)
