"""Sessions beyond the bounds are deleted, least recently used first, but none that is in use."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.retention import Bounds, delete_expired
from memory_bank.storage.session_store import FILES, SessionStore
from tests.faults.files import FileFault, Files

DAY = 86_400.0
NOW = 1_000 * DAY


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Three sessions of 1,000 bytes, used 30, 20 and 10 days ago."""
    store = SessionStore(tmp_path)
    for days in (10, 20, 30):
        folder = store.create(f"{days:032x}")
        (folder / "files" / "s1").write_bytes(b"x" * 900)
        (folder / LOG_NAME).write_bytes(b"x" * 100)
        os.utime(folder / LOG_NAME, (NOW - days * DAY,) * 2)
    return store


def left(store: SessionStore) -> list[int]:
    return sorted(int(session_id, 16) for session_id in store.ids())


@pytest.mark.parametrize(
    ("bounds", "stay"),
    [
        (Bounds(), [10, 20, 30]),
        (Bounds(age=timedelta(days=15)), [10]),
        (Bounds(age=timedelta(days=30)), [10, 20, 30]),
        (Bounds(bytes=3_000), [10, 20, 30]),
        (Bounds(bytes=2_999), [10, 20]),
        (Bounds(bytes=0), []),
        (Bounds(age=timedelta(days=25), bytes=1_000), [10]),
    ],
)
def test_what_is_too_old_or_too_much_goes_oldest_first(store: SessionStore, bounds: Bounds, stay: list[int]) -> None:
    removed = delete_expired(store, bounds, lambda _session: False, lambda: NOW)
    assert left(store) == stay
    assert sorted(int(session_id, 16) for session_id in removed) == sorted({10, 20, 30} - set(stay))


def test_a_session_in_use_stays_and_the_next_ones_go_in_its_place(store: SessionStore) -> None:
    delete_expired(store, Bounds(bytes=1_000), lambda session_id: int(session_id, 16) == 30, lambda: NOW)
    assert left(store) == [30]


def test_what_cannot_be_removed_is_told_and_the_others_go(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    remove = shutil.rmtree

    def refuse(path: Path) -> None:
        if f"{30:032x}" in path.name:
            raise PermissionError(13, "Permission denied")
        remove(path)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    removed = delete_expired(store, Bounds(bytes=0), lambda _session: False, lambda: NOW)
    assert sorted(int(session_id, 16) for session_id in removed) == [10, 20]
    assert f"session {30:032x} could not be removed" in caplog.text


def test_what_is_no_session_is_left_alone(store: SessionStore) -> None:
    (store.folder / "long_term.db").write_bytes(b"x" * 5_000)
    (store.folder / "notes").mkdir()
    delete_expired(store, Bounds(bytes=0), lambda _session: False, lambda: NOW)
    assert sorted(path.name for path in store.folder.iterdir()) == ["long_term.db", "notes"]


def test_a_session_that_another_process_runs_stays(store: SessionStore) -> None:
    (store.folder / f"{30:032x}" / LOG_NAME).write_bytes(b"")
    with closing(EventLog(store.folder / f"{30:032x}")) as log:
        log.claim()
        os.utime(store.folder / f"{30:032x}" / LOG_NAME, (NOW - 30 * DAY,) * 2)
        assert delete_expired(store, Bounds(age=timedelta(days=25)), lambda _session: False, lambda: NOW) == []
    assert left(store) == [10, 20, 30]


def test_a_session_in_which_a_file_is_just_moved_is_as_old_as_its_log(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved, is_file = store.folder / f"{10:032x}" / FILES / "s2.part", Path.is_file
    moved.write_bytes(b"x")

    def seen(path: Path) -> bool:
        there = is_file(path)
        if path == moved:
            moved.unlink()
        return there

    monkeypatch.setattr(Path, "is_file", seen)
    assert delete_expired(store, Bounds(age=timedelta(days=40)), lambda _session: False, lambda: NOW) == []
    assert left(store) == [10, 20, 30]


def test_what_a_removal_left_is_removed_the_next_time(store: SessionStore) -> None:
    with Files(store.folder, FileFault("rmdir", 1, errno.EIO)).patched():
        delete_expired(store, Bounds(age=timedelta(days=25)), lambda _session: False, lambda: NOW)
    assert left(store) == [10, 20]
    delete_expired(store, Bounds(), lambda _session: False, lambda: NOW)
    assert sorted(path.name for path in store.folder.iterdir()) == [f"{days:032x}" for days in (10, 20)]
