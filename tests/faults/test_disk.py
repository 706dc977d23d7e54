"""A disk that is full or fails in mid-run: the person is told, nothing is lost, and the session goes on afterwards."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.bank.errors import StorageError
from memory_bank.bank.events import Event, MemoryRecalled, SourceRefused
from memory_bank.bank.settings import Settings
from memory_bank.session.recorder import Recorder
from memory_bank.session.session import Session
from memory_bank.storage.event_log import DRAFT_NAME, EventLog, read_events
from memory_bank.storage.session_store import SessionStore
from tests.faults.files import FileFault, Files
from tests.faults.story import IMAGE, Kind, Story, difference, outcome

FULL = "the disk is full; everything recorded so far is kept: make room, then let the session go on"


def whole(folder: Path) -> Session:
    session = Story(folder, Kind()).create()
    list(session.run())
    return session


def test_a_disk_full_for_good_ends_the_run_in_words_and_the_same_session_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    session = Story(tmp_path / "full", Kind()).create()
    with Files(tmp_path, FileFault("write", 12, errno.ENOSPC, onwards=True)).patched():
        with pytest.raises(StorageError) as told:
            list(session.run())
        assert str(told.value) == session.unrecorded == FULL
        before = list(session.events)
        with pytest.raises(StorageError):  # there is no room yet
            list(session.run())
        assert session.events == before == list(read_events(session.folder / "events.jsonl"))
    list(session.run())
    assert session.unrecorded is None
    assert difference(outcome(session), outcome(whole(tmp_path / "whole"))) == ""


def test_a_disk_that_fails_once_is_recorded_as_the_end_of_the_run(tmp_path: Path) -> None:
    session = Story(tmp_path, Kind()).create()
    with Files(tmp_path, FileFault("write", 12, errno.EIO)).patched(), pytest.raises(StorageError):
        list(session.run())
    assert session.bank.status == "failed"
    assert session.unrecorded is None
    assert session.events[-1].reason == (  # type: ignore[union-attr]
        "a file could not be used (Input/output error); everything recorded so far is kept: put that right, then let "
        "the session go on"
    )


def test_what_could_not_be_recorded_as_recalled_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, record = Story(tmp_path, Kind(remembers=True)).create(), Recorder.record

    def full(recorder: Recorder, event: Event) -> Event:
        if isinstance(event, MemoryRecalled):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return record(recorder, event)

    monkeypatch.setattr(Recorder, "record", full)
    with pytest.raises(StorageError):
        list(session.run())
    monkeypatch.undo()
    list(session.run())
    assert session.bank.recalled is not None
    assert session.bank.recalled.fact_ids == ("told",)


def test_a_document_that_the_disk_does_not_give_is_not_refused_but_read_later(tmp_path: Path) -> None:
    session = Story(tmp_path, Kind()).create()
    with Files(tmp_path / "s" / "files", FileFault("read", 2, errno.EIO)).patched(), pytest.raises(StorageError):
        list(session.run())
    list(session.run())
    assert session.bank.status == "finished"
    assert not any(isinstance(event, SourceRefused) for event in session.events)


def test_a_session_lets_itself_be_run_again_after_its_log_could_not_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, close = Story(tmp_path, Kind()).create(), EventLog.close

    def closing(log: EventLog) -> None:
        close(log)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(EventLog, "close", closing)
    session.pause()
    with pytest.raises(OSError, match="Input"):
        list(session.run())
    monkeypatch.undo()
    list(session.run())
    assert session.bank.status == "finished"


def test_no_room_for_a_new_session_is_told_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    note = tmp_path / "note.txt"
    note.write_text("The mill closed in 1921.")
    store = tmp_path / "store"
    with Files(store, FileFault("write", 2, errno.ENOSPC, onwards=True)).patched():
        code = main(["run", "--task", "When?", "--doc", str(note), "--sessions", str(store), "--engine", "offline"])
    assert code == 2
    assert "No space left on device; make room and try again" in capsys.readouterr().err
    assert list(store.iterdir()) == []


def killed_while_made(folder: Path) -> SessionStore:
    """A store with what is left of a session whose process died while it was being made."""
    story = Story(folder, Kind())
    child = os.fork()
    if child == 0:
        EventLog.publish = lambda _log: os._exit(9)  # type: ignore[method-assign]
        story.create()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    return SessionStore(folder)


def test_a_session_whose_making_was_killed_is_none_and_its_remains_go_after_a_day(tmp_path: Path) -> None:
    store = killed_while_made(tmp_path)
    assert (tmp_path / "s" / DRAFT_NAME).is_file()
    assert store.ids() == []
    store.sweep()
    assert store.begins("s"), "its process might still live"
    long_ago = time.time() - 25 * 60 * 60
    os.utime(tmp_path / "s" / DRAFT_NAME, (long_ago, long_ago))
    store.sweep()
    assert not (tmp_path / "s").exists()


def test_what_is_no_sessions_in_the_folder_of_waiting_images_is_swept(tmp_path: Path) -> None:
    (tmp_path / ".waiting" / "doc-..not an id").mkdir(parents=True)
    Session.create("When?", settings=Settings(embedding_model="hash"), sessions=tmp_path)
    assert list(tmp_path.glob(".waiting/*")) == []


def test_images_of_a_session_that_is_being_made_are_not_swept_by_another(tmp_path: Path) -> None:
    killed_while_made(tmp_path)
    waiting = list(tmp_path.glob(".waiting/doc-s/*"))
    assert [path.read_bytes() for path in waiting] == [IMAGE.data]
    Session.create("When?", settings=Settings(embedding_model="hash"), sessions=tmp_path)
    assert list(tmp_path.glob(".waiting/doc-s/*")) == waiting
