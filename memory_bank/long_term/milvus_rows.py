"""Convert records to rows of Milvus and back, and build the filter expressions that find them.

An expression never contains anyone's text: users, projects and ids are in it as SHA-256 in hexadecimal, and types are
our own words. The primary key is made of user and id, so an id means one user's record only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from memory_bank.bank.errors import LongTermError, NotKeptError
from memory_bank.long_term.record import RECORD, Scope
from memory_bank.long_term.record_type import RECORD_TYPES, RecordType
from memory_bank.long_term.store import AnyRecord, EmbeddedRecord, with_accesses
from memory_bank.text.wording import Wording

LONGEST_BODY = 65_535
"""Most bytes of a record as JSON: the limit of a Milvus field."""
BATCH = 500
"""Most rows in a request."""
Row = dict[str, Any]


def digest(*parts: str | None) -> str:
    """A hash of names that is safe in an expression, and different for different names."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def key_of(user: str, record_id: str) -> str:
    """The primary key of a user's record."""
    return digest(user, record_id)


def key_filter(keys: Iterable[str]) -> str:
    """The filter for rows by primary key, which Milvus finds without a scan."""
    return f"key in {json.dumps(list(keys))}"


def user_filter(user_key: str) -> str:
    """The filter for all rows of a user."""
    return f'user_key == "{user_key}"'


def scope_filter(scope: Scope, types: Sequence[RecordType]) -> str:
    """The filter for a scope's rows of the given types."""
    kinds = json.dumps([kind for kind in RECORD_TYPES if kind in types])
    project = "" if scope.project is None else f' and project_key == "{digest(scope.project)}"'
    return f"{user_filter(digest(scope.user))}{project} and type in {kinds}"


def row_of(entry: EmbeddedRecord) -> Row:
    """A record as a row, without its access count (see `milvus_notes`).

    The oldest entries of its history are dropped if it is too long; `NotKeptError` if it is too long without any.
    """
    record = with_accesses(entry.record, 0)
    while len((body := record.model_dump_json()).encode()) > LONGEST_BODY:
        if not record.history:
            raise NotKeptError(
                Wording("record {record} is too long to be kept; nothing was written: shorten it", record=record.id)
            )
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
    """The record in a row. `LongTermError` where it is damaged, or belongs to another user."""
    try:
        record = RECORD.validate_json(row["body"])
    except ValidationError as error:
        raise LongTermError(
            Wording("a record of long-term memory is damaged; export what can be read, and forget it")
        ) from error
    if record.user_id != user:
        raise LongTermError("long-term memory gave a record of somebody else, which was not used; check the store")
    return with_accesses(record, accesses)
