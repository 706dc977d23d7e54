"""Long-term memory that ends with the process: for tests, and while there is no other."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from memory_bank.long_term.record import RECORD_TYPES, RecordType, Scope
from memory_bank.long_term.store import (
    AnyRecord,
    Embedded,
    Hit,
    Vector,
    check_model,
    check_owner,
    newest_first,
    with_accesses,
)


class InMemoryStore:
    """A dictionary for each user, searched exactly. `model` is the name of what made the vectors."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._dimension: int | None = None
        self._users: defaultdict[str, dict[str, tuple[AnyRecord, Vector]]] = defaultdict(dict)
        self._turn = threading.Lock()

    def model(self) -> str:
        """What made the vectors."""
        return self._model

    def add(self, user: str, entries: Sequence[Embedded]) -> None:
        """Keep new records of a user."""
        check_owner(user, entries)
        with self._turn:
            self._write(user, entries)

    def search(self, scope: Scope, vector: Vector, types: Sequence[RecordType], k: int) -> list[Hit]:
        """The most similar records, compared one by one."""
        with self._turn:
            if not self._users[scope.user]:
                return []
            self._check(vector)
            found = [
                Hit(record, float(np.vecdot(kept, vector)), kept)
                for record, kept in self._users[scope.user].values()
                if _inside(record, scope, types)
            ]
        return sorted(found, key=lambda hit: (-hit.similarity, hit.record.id))[:k]

    def get(self, user: str, record_id: str) -> AnyRecord | None:
        """A user's record of that id."""
        with self._turn:
            found = self._users[user].get(record_id)
        return found[0] if found else None

    def update(self, user: str, entries: Sequence[Embedded]) -> int:
        """Replace records that are still there."""
        check_owner(user, entries)
        with self._turn:
            own = self._users[user]
            there = [
                Embedded(with_accesses(entry.record, own[entry.record.id][0].access_count), entry.vector)
                for entry in entries
                if entry.record.id in own
            ]
            self._write(user, there)
        return len(there)

    def touch(self, user: str, record_ids: Sequence[str]) -> None:
        """Count an access to each of some records."""
        with self._turn:
            own = self._users[user]
            for record, vector in [own[key] for key in record_ids if key in own]:
                own[record.id] = with_accesses(record, record.access_count + 1), vector

    def forget(self, user: str, record_ids: Sequence[str]) -> int:
        """Remove records."""
        with self._turn:
            return sum(self._users[user].pop(record_id, None) is not None for record_id in record_ids)

    def forget_all(self, scope: Scope) -> int:
        """Remove every record of a scope."""
        return self.forget(scope.user, [record.id for record in self.records(scope)])

    def records(
        self, scope: Scope, types: Sequence[RecordType] = RECORD_TYPES, *, offset: int = 0, limit: int | None = None
    ) -> list[AnyRecord]:
        """The records of a scope, newest first."""
        with self._turn:
            found = [record for record, _ in self._users[scope.user].values() if _inside(record, scope, types)]
        return newest_first(found, offset, limit)

    def count(self, scope: Scope) -> int:
        """How many records a scope has."""
        return len(self.records(scope))

    def close(self) -> None:
        """There is nothing to let go of."""

    def _write(self, user: str, entries: Sequence[Embedded]) -> None:
        for entry in entries:
            self._check(entry.vector)
        self._users[user].update((entry.record.id, (entry.record, entry.vector.copy())) for entry in entries)

    def _check(self, vector: Vector) -> None:
        if self._dimension is None:
            self._dimension = len(vector)
        check_model((self._model, self._dimension), (self._model, len(vector)))


def _inside(record: AnyRecord, scope: Scope, types: Sequence[RecordType]) -> bool:
    return scope.project in (None, record.project_id) and record.type in types
