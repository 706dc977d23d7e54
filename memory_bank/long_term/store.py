"""What every store of records does, and what they share: `milvus`, and the one that the tests have.

Each operation names its user and touches no record of another, whatever is in a name, an id or a text. Any thread may
call it. Similarities are cosines, so thresholds for them fit no other score. To add a record with an id that the user
already has replaces that record; to update one that was forgotten does not bring it back, and leaves access counts as
they are. What cannot be done within a deadline raises `LongTermError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.record import Episode, Fact, Scope, Turn
from memory_bank.long_term.record_type import RECORD_TYPES, RecordType
from memory_bank.text.wording import Wording

Vector = NDArray[np.float32]
AnyRecord = Fact | Episode | Turn


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedRecord:
    """A record with its unit vector."""

    record: AnyRecord
    vector: Vector


@dataclass(frozen=True, slots=True, eq=False)
class FoundRecord:
    """A search result: a record, the cosine of its vector with the query's (-1 to 1), and its vector."""

    record: AnyRecord
    similarity: float
    vector: Vector


class Store(Protocol):
    """The records of all users, each with its vector."""

    def model(self) -> str:
        """The name of the embedding model."""

    def add(self, user: str, entries: Sequence[EmbeddedRecord]) -> None:
        """Store records of a user."""

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[FoundRecord]:
        """The most similar records."""

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record by id; None where there is none."""

    def update(self, user: str, entries: Sequence[EmbeddedRecord]) -> int:
        """Replace those records that still exist, and return how many did."""

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of the records."""

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records and everything stored about them, and return how many there were."""

    def forget_all(self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES) -> int:
        """Remove every record of a scope, or those of the given types, and return how many there were."""

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first, from `offset` on."""

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""

    def close(self) -> None:
        """Release what it holds."""


def newest_first(records: Iterable[AnyRecord], offset: int, limit: int | None) -> list[AnyRecord]:
    """A page of records, sorted from newest to oldest."""
    ordered = sorted(records, key=lambda record: (record.created, record.id), reverse=True)
    return ordered[offset : None if limit is None else offset + limit]


def with_accesses(record: AnyRecord, count: int) -> AnyRecord:
    """The record with another access count."""
    return record if record.access_count == count else record.model_copy(update={"access_count": count})


def check_owner(user: str, entries: Sequence[EmbeddedRecord]) -> None:
    """Raise `LongTermError` if a record to be written belongs to another user."""
    if any(entry.record.user_id != user for entry in entries):
        raise LongTermError("a record names another user than the one it was handed in for; nothing was written")


def check_model(stored: tuple[str, int], given: tuple[str, int]) -> None:
    """Raise `LongTermError` if two (model, dimension) pairs differ: their vectors cannot be compared."""
    if stored != given:
        raise LongTermError(
            Wording(
                "long-term memory holds vectors of {model} ({number} numbers) and cannot compare those of "
                "{other_model} ({last} numbers); nothing was changed: set EMBEDDING_MODEL back, or export the records "
                "and import them into another LONG_TERM_URI",
                model=repr(stored[0]),
                number=stored[1],
                other_model=repr(given[0]),
                last=given[1],
            )
        )
