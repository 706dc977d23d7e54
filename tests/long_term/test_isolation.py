"""Random operations of several users, told to break out, against a plain dictionary of what should be there.

LONG_TERM_OPERATIONS=10000 does that many in one run instead of the few hundred of an ordinary one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.record_type import FACT_TYPES, RECORD_TYPES
from memory_bank.long_term.store import AnyRecord, Store, with_accesses
from tests.long_term.conftest import LiteServer
from tests.long_term.in_memory import InMemoryStore
from tests.long_term.kept import HOSTILE, embedded, fact, scope, vector

USERS = HOSTILE[:8]
PROJECTS = (None, *HOSTILE[:5])
IDS = ["r1", "r2", "R1", "r.1", "r-1", "r:1"]
ASKED_IDS = [*IDS, *HOSTILE, "' or id != '", "r1' or '1'=='1", "\ud800"]
OPERATIONS = int(os.environ.get("LONG_TERM_OPERATIONS", "0"))


class Reference:
    """What should be there, and the operations, each of which compares the store with it."""

    def __init__(self, store: Store, chance: random.Random) -> None:
        self.store, self.chance = store, chance
        self.kept: dict[tuple[str, str], AnyRecord] = {}
        self.done = 0

    def of(self, user: str, project: str | None = None) -> dict[str, AnyRecord]:
        inside = (record for (owner, _), record in self.kept.items() if owner == user)
        return {record.id: record for record in inside if project in (None, record.project_id)}

    def step(self) -> None:
        weighted: list[tuple[Callable[[str], None], int]] = [
            (self.add, 6),
            (self.search, 4),
            (self.get, 4),
            (self.update, 2),
            (self.touch, 2),
            (self.forget, 2),
            (self.forget_all, 1),
            (self.list, 1),
        ]
        (operation,) = self.chance.choices(*zip(*weighted, strict=True))
        operation(self.chance.choice(USERS))
        self.done += 1

    def new(self, user: str) -> AnyRecord:
        content = f"{self.chance.choice(HOSTILE)} keeps {self.chance.randrange(9)} kettles"
        return fact(user, content, id=self.chance.choice(IDS), project_id=self.chance.choice(PROJECTS))

    def add(self, user: str) -> None:
        records = list({record.id: record for record in (self.new(user) for _ in range(2))}.values())
        self.store.add(user, embedded(*records))
        self.kept.update(((user, record.id), record) for record in records)

    def search(self, user: str) -> None:
        project = self.chance.choice(PROJECTS)
        hits = self.store.search(scope(user, project), vector(self.chance.choice(HOSTILE)), FACT_TYPES, 99)
        assert {hit.record.id: hit.record for hit in hits} == self.of(user, project)

    def get(self, user: str) -> None:
        asked = self.chance.choice(ASKED_IDS)
        assert self.store.get(user, asked) == self.kept.get((user, asked))

    def update(self, user: str) -> None:
        record = self.new(user)
        there = (user, record.id) in self.kept
        assert self.store.update(user, embedded(record)) == int(there)
        if there:
            self.kept[user, record.id] = with_accesses(record, self.kept[user, record.id].access_count)

    def touch(self, user: str) -> None:
        asked = self.chance.choice(ASKED_IDS)
        self.store.touch(user, [asked])
        if (user, asked) in self.kept:
            record = self.kept[user, asked]
            self.kept[user, asked] = with_accesses(record, record.access_count + 1)

    def forget(self, user: str) -> None:
        asked = self.chance.choice(ASKED_IDS)
        assert self.store.forget(user, [asked]) == int((user, asked) in self.kept)
        self.kept.pop((user, asked), None)

    def forget_all(self, user: str) -> None:
        project = self.chance.choice(PROJECTS)
        gone = self.of(user, project)
        assert self.store.forget_all(scope(user, project)) == len(gone)
        self.kept = {key: record for key, record in self.kept.items() if not (key[0] == user and key[1] in gone)}

    def list(self, user: str) -> None:
        project = self.chance.choice(PROJECTS)
        assert {record.id: record for record in self.store.records(scope(user, project))} == self.of(user, project)

    def compare_all(self) -> None:
        """Every user's records are exactly what was kept of theirs."""
        for user in USERS:
            records = self.store.records(scope(user), RECORD_TYPES)
            assert {record.id: record for record in records} == self.of(user)
            assert self.store.count(scope(user)) == len(records)


def _try(store: Store, seed: int, operations: int) -> None:
    for user in USERS:
        store.forget_all(scope(user))
    reference = Reference(store, random.Random(seed))
    for _ in range(operations):
        reference.step()
    reference.compare_all()


@pytest.mark.skipif(OPERATIONS > 0, reason="LONG_TERM_OPERATIONS asks for the long run instead")
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_no_operation_in_memory_touches_a_record_of_another_user(seed: int) -> None:
    _try(InMemoryStore("hash"), seed, 200)


def _opened(kind: str, folder: Path, request: pytest.FixtureRequest) -> Store:
    if kind == "in memory":
        return InMemoryStore("hash")
    server: LiteServer | None = request.getfixturevalue("milvus_server") if kind == "a Milvus server" else None
    return MilvusStore(server.uri if server else str(folder / "memory.db"), "hash", deadline=60)


@pytest.mark.skipif(OPERATIONS > 0, reason="LONG_TERM_OPERATIONS asks for the long run instead")
@pytest.mark.parametrize("kind", ["a file of Milvus Lite", "a Milvus server"])
def test_no_operation_on_milvus_touches_a_record_of_another_user(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with closing(_opened(kind, tmp_path, request)) as store:
        _try(store, 1, 200)


@pytest.mark.skipif(OPERATIONS == 0, reason="set LONG_TERM_OPERATIONS to how many operations the long run has")
@pytest.mark.parametrize("kind", ["in memory", "a file of Milvus Lite", "a Milvus server"])
def test_the_long_run(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with closing(_opened(kind, tmp_path, request)) as store:
        _try(store, 2, OPERATIONS)


def test_the_operations_are_not_all_on_empty_memories() -> None:
    reference = Reference(InMemoryStore("hash"), random.Random(3))
    sizes = []
    for _ in range(300):
        reference.step()
        sizes.append(len(reference.kept))
    assert sum(sizes) / len(sizes) > 10
