"""Records and vectors for the tests of long-term memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_bank.long_term.record import Episode, Fact, Scope, Turn
from memory_bank.long_term.store import AnyRecord, EmbeddedRecord, Vector
from memory_bank.search.hash_embedder import HashEmbedder

EMBEDDER = HashEmbedder(32)
START = datetime(2024, 1, 1, tzinfo=UTC)
HOSTILE = [
    "ann",
    "Ann",
    'ann" or 1==1 or "',
    "ann' or '1'=='1",
    "ann\\",
    'ann\\" or user_key != "',
    "ann\x00bob",
    "ann\nbob",
    "*",
    "%",
    "{ann}",
    "a\u0301nn",
    "\u00e1nn",
    "安",
    "a" * 200,
    "../../etc/passwd",
    "null",
    "\u202ennb",
    "🙂",
]
"""Names of different people, some of which would break out of a filter or a path that is put together of text."""


def fact(user: str, content: str = "The kettle is blue.", **given: Any) -> Fact:
    """A fact of a user, of the first moment unless told otherwise."""
    return Fact(user_id=user, content=content, **{"created": START, "updated": START, **given})


def episode(user: str, goal: str, **given: Any) -> Episode:
    return Episode(user_id=user, goal=goal, **{"created": START, "updated": START, **given})


def turn(user: str, asked: str, **given: Any) -> Turn:
    return Turn(user_id=user, asked=asked, **{"created": START, "updated": START, "conversation_id": "c1", **given})


def vector(text: str) -> Vector:
    found: Vector = EMBEDDER.embed([text])[0]
    return found


def embedded(*records: AnyRecord) -> list[EmbeddedRecord]:
    return [EmbeddedRecord(record, vector(record.text)) for record in records]


def scope(user: str, project: str | None = None) -> Scope:
    return Scope(user=user, project=project)
