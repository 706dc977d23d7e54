"""Where records are kept: one interface for every place.

Each operation names its user and touches no record of another, whatever is in a name, an id or a text. Similarities
are cosines, and a threshold on them is for nothing else. What cannot be done is a `LongTermError`, after a deadline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import LongTermError
from memory_bank.long_term.record import RECORD_TYPES, Episode, Fact, RecordType, Scope, Turn

Vector = NDArray[np.float32]
AnyRecord = Fact | Episode | Turn


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """A record with its vector, of length one."""

    record: AnyRecord
    vector: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """A record that was found: the cosine of its vector with the query's, -1 to 1, and the vector."""

    record: AnyRecord
    similarity: float
    vector: Vector


class Store(Protocol):
    """Safe to share between threads."""

    def model(self) -> str:
        """The name of the model that its vectors are made with."""
        ...

    def add(self, user: str, entries: Sequence[Embedded]) -> None:
        """Keep new records of a user; one with an id that the user has already takes its place."""
        ...

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[Hit]:
        """The `k` records of some types that are most similar, most similar first."""
        ...

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record of that id."""
        ...

    def update(self, user: str, entries: Sequence[Embedded]) -> int:
        """Replace records that are still there, and say how many were: what was forgotten does not come back.

        How often a record was recalled stays as it is.
        """
        ...

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of some records, those of them that are still there."""
        ...

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records with all that was kept of them, and say how many there were."""
        ...

    def forget_all(self, scope: Scope) -> int:
        """Remove every record of a scope, and say how many there were."""
        ...

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first, from `offset` on."""
        ...

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def newest_first(records: Iterable[AnyRecord], offset: int, limit: int | None) -> list[AnyRecord]:
    """A page of records in the order of a list."""
    ordered = sorted(records, key=lambda record: (record.created, record.id), reverse=True)
    return ordered[offset : None if limit is None else offset + limit]


def with_accesses(record: AnyRecord, count: int) -> AnyRecord:
    """The record, recalled so many times."""
    return record if record.access_count == count else record.model_copy(update={"access_count": count})


def check_owner(user: str, entries: Sequence[Embedded]) -> None:
    """`LongTermError` if a record that is to be written is another user's."""
    if any(entry.record.user_id != user for entry in entries):
        raise LongTermError("a record names another user than the one it was handed in for; nothing was written")


def check_model(stored: tuple[str, int], given: tuple[str, int]) -> None:
    """`LongTermError` where vectors of one model and dimension are put beside those of another."""
    if stored != given:
        raise LongTermError(
            f"long-term memory holds vectors of {stored[0]!r} ({stored[1]} numbers) and cannot compare those of "
            f"{given[0]!r} ({given[1]}); nothing was changed: set EMBEDDING_MODEL back, or export the records and "
            "import them into another LONG_TERM_URI"
        )
