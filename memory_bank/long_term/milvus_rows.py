"""Records as rows of Milvus, and the expressions that find them.

No text of anyone is ever part of an expression: users, projects and ids stand in it as SHA-256 in hexadecimal, and
types are our own words. The primary key is made of user and id, so that an id means one user's record only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from pydantic import ValidationError

from memory_bank.errors import LongTermError, NotKeptError
from memory_bank.long_term.record import RECORD, RECORD_TYPES, RecordType, Scope
from memory_bank.long_term.store import AnyRecord, Embedded, Vector, with_accesses

LONGEST_BODY = 65_535
"""Bytes of a record as JSON: what Milvus takes in one field."""
BATCH = 500
"""Rows in a request."""
Row = dict[str, Any]


def digest(*parts: str | None) -> str:
    """Names of any sort as one that can stand in an expression: no two are the same."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def key_of(user: str, record_id: str) -> str:
    """The primary key of a user's record."""
    return digest(user, record_id)


def keyed(keys: Iterable[str]) -> str:
    """The rows of some primary keys: none is gone through to find them."""
    return f"key in {json.dumps(list(keys))}"


def whole(user_key: str) -> str:
    """All rows of a user."""
    return f'user_key == "{user_key}"'


def expression(scope: Scope, types: Sequence[RecordType]) -> str:
    """A scope's rows of some types."""
    kinds = json.dumps([kind for kind in RECORD_TYPES if kind in types])
    project = "" if scope.project is None else f' and project_key == "{digest(scope.project)}"'
    return f"{whole(digest(scope.user))}{project} and type in {kinds}"


def row_of(entry: Embedded) -> Row:
    """A record as a row, without its accesses, which are not kept in it, nor the oldest of its history if it is long.

    `NotKeptError` where it is too long without any.
    """
    record = with_accesses(entry.record, 0)
    while len((body := record.model_dump_json()).encode()) > LONGEST_BODY:
        if not record.history:
            raise NotKeptError(f"record {record.id} is too long to be kept; nothing was written: shorten it")
        record = record.model_copy(update={"history": record.history[1:]})
    return {
        "key": key_of(record.user_id, record.id),
        "user_key": digest(record.user_id),
        "project_key": digest(record.project_id),
        "type": record.type,
        "body": body,
        "vector": entry.vector.tolist(),
    }


def record_of(user: str, row: Row, accesses: int) -> AnyRecord:
    """The record of a row. `LongTermError` where it is damaged, or not this user's."""
    try:
        record = RECORD.validate_json(row["body"])
    except ValidationError as error:
        raise LongTermError(
            "a record of long-term memory is damaged; export what can be read, and forget it"
        ) from error
    if record.user_id != user:
        raise LongTermError("long-term memory gave a record of somebody else, which was not used; check the store")
    return with_accesses(record, accesses)


def vector_of(row: Row) -> Vector:
    """The vector of a row."""
    return np.asarray(row["vector"], dtype=np.float32)


def batches(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """Runs of as many as go into a request."""
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))
