"""Long-term memory in Milvus: Milvus Lite in a file, or a server or cluster by its address.

No text of anyone is ever part of an expression: users, projects and ids stand in it as SHA-256 in hexadecimal, and
types are our own words. The primary key is made of user and id, so that an id means one user's record only.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from pydantic import ValidationError

from memory_bank.errors import LongTermError
from memory_bank.long_term.milvus_connection import DEADLINE, WRITING, Client, Left, MilvusConnection
from memory_bank.long_term.milvus_layout import KeyedLayout, Layout, OwnPartitions
from memory_bank.long_term.record import RECORD, RECORD_TYPES, RecordType, Scope
from memory_bank.long_term.store import (
    AnyRecord,
    Embedded,
    Hit,
    Vector,
    check_model,
    check_owner,
    newest_first,
    touched,
)
from memory_bank.modules.pymilvus_library import load_pymilvus

_PREFIX = "long_term_"
_LONGEST_BODY = 65_535
_BATCH = 500
Row = dict[str, Any]


class MilvusStore:
    """Records in one collection, named after the model that made the vectors. Have one for each file in a process.

    Several clients of a server may write at once; two that change the same record at the same moment keep the later.
    """

    def __init__(self, uri: str, model: str, *, deadline: float = DEADLINE) -> None:
        self._connection = MilvusConnection(uri, self._prepare, deadline)
        self._model = model
        self._layout: Layout = OwnPartitions() if self._connection.is_file else KeyedLayout()
        self._collection = ""
        self._dimension = 0
        self._unpurged: set[str] = set()  # users of whom something was deleted and may still be in the file
        self._writing = threading.RLock()  # Milvus Lite takes one write at a time

    def add(self, user: str, entries: Sequence[Embedded]) -> None:
        """Keep new records of a user."""
        check_owner(user, entries)
        rows = [_row(entry) for entry in entries]
        with self._writing:
            for start in range(0, len(rows), _BATCH):
                write = partial(self._upsert, rows[start : start + _BATCH], len(entries[start].vector))
                self._connection.call(write, WRITING)

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[Hit]:
        """The most similar records, as Milvus finds them."""

        def search(client: Client, left: Left) -> list[Hit]:
            where = self._where(scope.user)
            if where is None or not types:
                return []
            self._check(len(vector))
            (found,) = client.search(
                self._collection,
                data=[vector.tolist()],
                filter=_expression(scope, types),
                limit=k,
                output_fields=["body", "vector"],
                timeout=left(),
                **where,
            )
            return [_hit(scope.user, each) for each in found]

        return self._connection.call(search)

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record of that id."""
        rows = self._rows(user, _keyed(user, [record_id]), ["body"])
        return _record(user, rows[0]) if rows else None

    def update(self, user: str, entries: Sequence[Embedded]) -> int:
        """Replace records that are still there."""
        check_owner(user, entries)
        if not entries:
            return 0
        with self._writing:
            there = self._keys(user, _keyed(user, [entry.record.id for entry in entries]))
            known = [entry for entry in entries if _key(user, entry.record.id) in there]
            self.add(user, known)
            return len(known)

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of some records."""
        if not record_ids:
            return
        with self._writing:
            rows = self._rows(user, _keyed(user, record_ids), ["body", "vector"])
            self.add(user, [Embedded(touched(_record(user, row)), _vector(row)) for row in rows])

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records."""
        return self._remove(user, _keyed(user, record_ids)) if record_ids else 0

    def forget_all(self, scope: Scope) -> int:
        """Remove every record of a scope."""
        return self._remove(scope.user, _expression(scope, RECORD_TYPES))

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first. Milvus has no order: all are read."""
        rows = self._rows(scope.user, _expression(scope, types), ["body"])
        return newest_first((_record(scope.user, row) for row in rows), offset, limit)

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        rows = self._rows(scope.user, _expression(scope, RECORD_TYPES), ["count(*)"])
        return int(rows[0]["count(*)"]) if rows else 0

    def close(self) -> None:
        """End the connection and let go of the file."""
        self._connection.close()

    # -- the collection --------------------------------------------------------------------------------------

    def _prepare(self, client: Client, left: Left) -> None:
        """Find the collection, whichever model it is of: listing and forgetting need no model."""
        names = sorted(name for name in client.list_collections(timeout=left()) if name.startswith(_PREFIX))
        self._collection = _collection_name(self._model) if not names else names[0]
        self._dimension = 0
        if names:
            self._attach(client, left)

    def _attach(self, client: Client, left: Left) -> None:
        client.load_collection(self._collection, timeout=left())
        fields = client.describe_collection(self._collection, timeout=left())["fields"]
        self._dimension = next(int(field["params"]["dim"]) for field in fields if field["name"] == "vector")
        self._layout.attach(client, self._collection, left)

    def _create(self, client: Client, dimension: int, left: Left) -> None:
        kinds = load_pymilvus().DataType
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", kinds.VARCHAR, max_length=64, is_primary=True)
        schema.add_field("user_key", kinds.VARCHAR, max_length=64, is_partition_key=self._layout.is_keyed)
        schema.add_field("project_key", kinds.VARCHAR, max_length=64)
        schema.add_field("type", kinds.VARCHAR, max_length=16)
        schema.add_field("body", kinds.VARCHAR, max_length=_LONGEST_BODY)
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

    def _where(self, user: str) -> dict[str, list[str]] | None:
        """Where a user's rows are; None where there are none."""
        return self._layout.reading(_digest(user)) if self._dimension else None

    def _upsert(self, rows: list[Row], dimension: int, client: Client, left: Left) -> None:
        if not self._dimension:
            self._create(client, dimension, left)
        for row in rows:
            self._check(len(row["vector"]))
        target = self._layout.target(client, rows[0]["user_key"], left)
        client.upsert(self._collection, rows, timeout=left(), **target)

    def _rows(self, user: str, expression: str, fields: list[str], patience: int = 1) -> list[Row]:
        def query(client: Client, left: Left) -> list[Row]:
            where = self._where(user)
            if where is None:
                return []
            found = client.query(self._collection, filter=expression, output_fields=fields, timeout=left(), **where)
            return list(found)

        return self._connection.call(query, patience)

    def _keys(self, user: str, expression: str) -> set[str]:
        return {row["key"] for row in self._rows(user, expression, ["key"])}

    def _remove(self, user: str, expression: str) -> int:
        with self._writing:
            keys = self._keys(user, expression)
            if keys:
                self._unpurged.add(user)
                self._connection.call(
                    lambda client, left: client.delete(self._collection, filter=expression, timeout=left()), WRITING
                )
            if user in self._unpurged:  # also where an earlier purge failed
                self._layout.purge(
                    self._connection, _digest(user), lambda: self._rows(user, _whole(user), ["*"], WRITING)
                )
                self._unpurged.discard(user)
            return len(keys)


def _collection_name(model: str) -> str:
    return _PREFIX + re.sub(r"\W", "_", model, flags=re.ASCII)


def _digest(*parts: str | None) -> str:
    """Names of any sort as one that can stand in an expression: no two are the same."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _key(user: str, record_id: str) -> str:
    return _digest(user, record_id)


def _keyed(user: str, record_ids: Iterable[str]) -> str:
    """The primary keys alone, which no record of another user can have: no rows are gone through to find them."""
    return f"key in {json.dumps([_key(user, record_id) for record_id in record_ids])}"


def _whole(user: str) -> str:
    return f'user_key == "{_digest(user)}"'


def _expression(scope: Scope, types: Sequence[RecordType]) -> str:
    kinds = json.dumps([kind for kind in RECORD_TYPES if kind in types])
    project = "" if scope.project is None else f' and project_key == "{_digest(scope.project)}"'
    return f"{_whole(scope.user)}{project} and type in {kinds}"


def _row(entry: Embedded) -> Row:
    record = entry.record
    body = record.model_dump_json()
    if len(body.encode()) > _LONGEST_BODY:
        raise LongTermError(f"record {record.id} is too long to be kept; nothing was written: shorten it")
    return {
        "key": _key(record.user_id, record.id),
        "user_key": _digest(record.user_id),
        "project_key": _digest(record.project_id),
        "type": record.type,
        "body": body,
        "vector": entry.vector.tolist(),
    }


def _record(user: str, row: Row) -> AnyRecord:
    """The record of a row. `LongTermError` where it is damaged, or not this user's."""
    try:
        record = RECORD.validate_json(row["body"])
    except ValidationError as error:
        raise LongTermError(
            "a record of long-term memory is damaged; export what can be read, and forget it"
        ) from error
    if record.user_id != user:
        raise LongTermError("long-term memory gave a record of somebody else, which was not used; check the store")
    return record


def _hit(user: str, found: Row) -> Hit:
    entity = found["entity"]
    return Hit(_record(user, entity), float(found["distance"]), _vector(entity))


def _vector(row: Row) -> Vector:
    return np.asarray(row["vector"], dtype=np.float32)
