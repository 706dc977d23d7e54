"""A store in memory, which ends with the process."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

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
    with_accesses,
)


class InMemoryStore:
    """A dictionary for each user, searched exactly. `model` is the name of the embedding model."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._dimension: int | None = None
        self._users: defaultdict[str, dict[str, tuple[AnyRecord, Vector]]] = defaultdict(dict)
        self._lock = threading.Lock()

    def model(self) -> str:
        """The name of the embedding model."""
        return self._model

    def add(self, user: str, entries: Sequence[EmbeddedRecord]) -> None:
        """Store records of a user."""
        check_owner(user, entries)
        with self._lock:
            self._write(user, entries)

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[FoundRecord]:
        """The most similar records, by comparison with every one."""
        with self._lock:
            if not self._users[scope.user]:
                return []
            self._check_dimension(vector)
            hits = [
                FoundRecord(record, float(np.vecdot(stored, vector)), stored)
                for record, stored in self._users[scope.user].values()
                if _matches(record, scope, types)
            ]
        return sorted(hits, key=lambda hit: (-hit.similarity, hit.record.id))[:k]

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record by id; None where there is none."""
        with self._lock:
            entry = self._users[user].get(record_id)
        return entry[0] if entry else None

    def update(self, user: str, entries: Sequence[EmbeddedRecord]) -> int:
        """Replace those records that still exist, and return how many did."""
        check_owner(user, entries)
        with self._lock:
            own = self._users[user]
            existing = [
                EmbeddedRecord(with_accesses(entry.record, own[entry.record.id][0].access_count), entry.vector)
                for entry in entries
                if entry.record.id in own
            ]
            self._write(user, existing)
        return len(existing)

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of the records."""
        with self._lock:
            own = self._users[user]
            for record, vector in [own[key] for key in record_ids if key in own]:
                own[record.id] = with_accesses(record, record.access_count + 1), vector

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records and everything stored about them, and return how many there were."""
        with self._lock:
            return sum(self._users[user].pop(record_id, None) is not None for record_id in record_ids)

    def forget_all(self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES) -> int:
        """Remove every record of a scope, or those of the given types, and return how many there were."""
        return self.forget(scope.user, [record.id for record in self.records(scope, types)])

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first, from `offset` on."""
        with self._lock:
            records = [record for record, _ in self._users[scope.user].values() if _matches(record, scope, types)]
        return newest_first(records, offset, limit)

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        return len(self.records(scope))

    def close(self) -> None:
        """Nothing to release."""

    def _write(self, user: str, entries: Sequence[EmbeddedRecord]) -> None:
        for entry in entries:
            self._check_dimension(entry.vector)
        self._users[user].update((entry.record.id, (entry.record, entry.vector.copy())) for entry in entries)

    def _check_dimension(self, vector: Vector) -> None:
        if self._dimension is None:
            self._dimension = len(vector)
        check_model((self._model, self._dimension), (self._model, len(vector)))


def _matches(record: AnyRecord, scope: Scope, types: Sequence[RecordType]) -> bool:
    return scope.project in (None, record.project_id) and record.type in types
