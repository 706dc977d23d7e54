"""What can go wrong with a server: away, silent, stopped in the midst, and used by several at once."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.milvus_rows import Row
from memory_bank.long_term.record_type import FACT_TYPES, RECORD_TYPES
from tests.long_term.conftest import MODEL, LiteServer
from tests.long_term.kept import EMBEDDER, embedded, episode, fact, scope, vector

KEPT, NEW = "the kettle is blue", "the kettle is red"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://name:secret@127.0.0.1:1", "http://[bad"])
def test_a_server_that_is_not_there_is_an_error_at_once_without_the_password(address: str) -> None:
    store = MilvusStore(address, MODEL, deadline=2)
    with within(6), pytest.raises(LongTermError, match="go on without it") as raised:
        store.search(scope("ann"), vector("kettle"), RECORD_TYPES, 3)
    assert "secret" not in str(raised.value)
    store.close()


def test_a_server_that_says_nothing_is_an_error_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        memory = LongTermMemory(
            MilvusStore(f"http://127.0.0.1:{silent.getsockname()[1]}", MODEL, deadline=0.5), lambda: EMBEDDER
        )
        with within(2), pytest.raises(LongTermError, match="LONG_TERM_URI"):
            memory.recall(scope("ann"), "kettle")
        memory.close()


@pytest.mark.slow
def test_memory_works_again_with_the_same_records_when_its_server_is_back(milvus_server: LiteServer) -> None:
    memory = LongTermMemory(MilvusStore(milvus_server.uri, MODEL, deadline=2), lambda: EMBEDDER)
    stored = [memory.remember(fact("ann", KEPT)).record, memory.remember(episode("ann", "find the kettle")).record]
    before = memory.recall(scope("ann"), "is the kettle blue")
    assert len(before.facts) == len(before.episodes) == 1
    milvus_server.stop()
    calls: list[Callable[[], object]] = [
        lambda: memory.recall(scope("ann"), "is the kettle blue"),
        lambda: memory.remember(fact("ann", "rain falls in spring")),
        lambda: memory.forget_all(scope("ann")),
        lambda: memory.records(scope("ann")),
    ]
    for call in calls:
        with within(14), pytest.raises(LongTermError, match="could not be reached") as raised:
            call()
        assert "\n" not in str(raised.value)
    milvus_server.start()
    assert {record.id for record in memory.records(scope("ann"))} == {record.id for record in stored}
    after = memory.recall(scope("ann"), "is the kettle blue")
    assert [hit.record.id for hit in (*after.facts, *after.episodes)] == [
        hit.record.id for hit in (*before.facts, *before.episodes)
    ]
    memory.remember(fact("ann", "rain falls in spring"))
    assert len(memory.records(scope("ann"))) == 3
    memory.close()


def test_a_server_that_stops_answering_is_an_error_at_the_deadline_and_works_on(milvus_server: LiteServer) -> None:
    store = MilvusStore(milvus_server.uri, MODEL, deadline=0.5)
    memory = LongTermMemory(store, lambda: EMBEDDER)
    memory.remember(fact("ann", KEPT))
    with milvus_server.halted():
        with within(2), pytest.raises(LongTermError, match="could not be reached"):
            memory.recall(scope("ann"), KEPT)
        with within(2), pytest.raises(LongTermError):
            memory.recall(scope("ann"), KEPT)
    assert [hit.record.content for hit in memory.recall(scope("ann"), KEPT).facts] == [KEPT]
    memory.close()


# -- several at once -----------------------------------------------------------------------------------------


@pytest.fixture
def two(lite_server: LiteServer, user: str) -> Iterator[tuple[MilvusStore, MilvusStore]]:
    """Two processes' stores; the user has one record, r1."""
    first, second = (MilvusStore(lite_server.uri, MODEL, deadline=30) for _ in range(2))
    first.add(user, embedded(fact(user, KEPT, id="r1")))
    yield first, second
    first.close()
    second.close()


def seen(store: MilvusStore, user: str) -> list[list[str]]:
    """What each way of reading gives."""
    got = store.get(user, "r1")
    return [
        [record.content for record in store.records(scope(user))],
        [hit.record.content for hit in store.search(scope(user), vector(KEPT), FACT_TYPES, 9)],
        [got.content] if got else [],
    ]


Write = Callable[[Sequence[Row]], None]


@pytest.mark.slow
def test_what_is_forgotten_while_another_writes_it_is_seen_by_nobody_at_any_moment(
    two: tuple[MilvusStore, MilvusStore], user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, forgetting = two
    ordinary: Write = writing._write
    between: list[list[list[str]]] = []

    def late(rows: Sequence[Row]) -> None:
        assert forgetting.forget(user, ["r1"]) == 1
        ordinary(rows)
        assert writing.count(scope(user)) == 1
        between.extend(seen(store, user) for store in two)

    monkeypatch.setattr(writing, "_write", late)
    assert writing.update(user, embedded(fact(user, NEW, id="r1"))) == 0
    assert between == [[[], [], []]] * 2
    assert [seen(store, user) for store in two] == [[[], [], []]] * 2
    assert writing.count(scope(user)) == 0
    monkeypatch.undo()
    writing.add(user, embedded(fact(user, NEW, id="r1")))
    assert [seen(store, user) for store in two] == [[[NEW]] * 3] * 2


def test_a_writer_that_dies_before_it_looks_brings_nothing_back(
    two: tuple[MilvusStore, MilvusStore], user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, forgetting = two
    ordinary: Write = writing._write

    def late(rows: Sequence[Row]) -> None:
        forgetting.forget(user, ["r1"])
        ordinary(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_write", late)
    with pytest.raises(KeyboardInterrupt):
        writing.update(user, embedded(fact(user, NEW, id="r1")))
    assert seen(forgetting, user) == [[], [], []]
    assert forgetting.count(scope(user)) == 1
    assert forgetting.forget_all(scope(user)) == 0
    assert forgetting.count(scope(user)) == 0


def test_counting_an_access_undoes_no_correction_and_brings_nothing_back(
    two: tuple[MilvusStore, MilvusStore], user: str
) -> None:
    recalling, other = two
    recalling.touch(user, ["r1"])
    assert other.update(user, embedded(fact(user, NEW, id="r1"))) == 1
    recalling.add(user, embedded(fact(user, "more", id="r2")))
    (record,) = [record for record in other.records(scope(user)) if record.id == "r1"]
    assert (record.content, record.access_count) == (NEW, 1)
    recalling.touch(user, ["r1", "r2"])
    other.forget(user, ["r1"])
    recalling.close()
    assert [(record.id, record.access_count) for record in other.records(scope(user))] == [("r2", 1)]
