"""What the visitors of a server share: starts, decisions and deletions, one after another and without loss."""

from __future__ import annotations

import errno
import gc
import logging
import os
import shutil
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError, UsageError
from memory_bank.bank.events import Event, PersonDecided
from memory_bank.bank.settings import Settings
from memory_bank.long_term.owner import Owner
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from pages.shared import server
from pages.shared.background import failure
from pages.shared.server import NewSession, Server, logged, reason_of
from tests.builders import every_event, make_source
from tests.pages.conftest import Page
from tests.session.test_session import FIRST, SECOND, scripted, structure

PATIENCE = 10
"""Seconds after which what should have happened is taken for hung."""
Keep = Callable[[str, Sequence[Event]], str]


class Kitchen:
    """Makes parts for sessions; notes the settings of each, and holds them back while its door is shut."""

    def __init__(self) -> None:
        self.asked: list[Settings] = []
        self.door = threading.Event()
        self.door.set()
        self.error: Exception | None = None
        self.parts: Callable[[], Parts] = scripted

    def standard(self, settings: Settings) -> Parts:
        self.asked.append(settings)
        assert self.door.wait(PATIENCE)
        if self.error is not None:
            raise self.error
        return self.parts()


@pytest.fixture
def kitchen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kitchen]:
    made = Kitchen()
    monkeypatch.setattr(Parts, "standard", made.standard)
    yield made
    made.door.set()


@pytest.fixture
def here(store: SessionStore, kitchen: Kitchen) -> Server:
    return Server(Settings(embedding_model="hash", storage_dir=store.folder))


@pytest.fixture
def disputed(store: SessionStore) -> str:
    """A finished session in the store, with the conflict x1, that no server knows."""
    session = Session.create("When?", [FIRST, SECOND], sessions=store.folder, session_id="d", parts=scripted())
    list(session.run())
    return session.id


def other(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_steps": 7})


def rest(here: Server, session_id: str) -> None:
    """Until nothing is done about a session."""
    wait([here._known[session_id].request], PATIENCE)
    thread = here.runner._threads.get(session_id)
    if thread is not None:
        thread.join(PATIENCE)
    assert here.activity(session_id) == "idle"


def decisions(here: Server, session_id: str) -> list[str | None]:
    return [event.verdict for event in here.events(session_id) if isinstance(event, PersonDecided)]


def known(here: Server, session_id: str) -> Session:
    session = here.runner.get(session_id)
    assert session is not None
    return session


# -- deciding


def test_the_server_loads_what_a_first_session_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    loaded: list[str] = []
    all_loaded = threading.Event()
    for name in ("load_embedder", "detect_language"):
        monkeypatch.setattr(server, name, lambda *_given, name=name: loaded.append(name))

    def load_networks() -> None:
        loaded.append("load_pair_model")
        all_loaded.set()

    monkeypatch.setattr(server, "load_pair_model", load_networks)
    Server(Settings(storage_dir=tmp_path))
    assert all_loaded.wait(PATIENCE)
    assert loaded == ["load_embedder", "detect_language", "load_pair_model"]


def test_a_decision_runs_with_the_settings_of_who_decides(here: Server, disputed: str, kitchen: Kitchen) -> None:
    here.decide(disputed, "x1", "second", here.settings).result(PATIENCE)
    rest(here, disputed)
    here.decide(disputed, "x1", "first", other(here.settings)).result(PATIENCE)
    rest(here, disputed)
    assert known(here, disputed).settings == other(here.settings)
    here.decide(disputed, "x1", "second", other(here.settings)).result(PATIENCE)
    rest(here, disputed)
    assert len(kitchen.asked) == 2, "the same settings open nothing anew"
    assert decisions(here, disputed) == ["second", "first", "second"]


def test_a_decision_on_a_running_session_is_handed_to_that_run(here: Server, kitchen: Kitchen) -> None:
    reached, opened = threading.Event(), threading.Event()

    def slow(given: Any) -> Any:
        if "1955" in given.content:
            reached.set()
            assert opened.wait(PATIENCE)
        return structure(given)

    kitchen.parts = lambda: scripted("inconclusive", structure=slow)
    session_id = here.start(NewSession("When?", (FIRST, SECOND)), here.settings)
    assert reached.wait(PATIENCE)
    refused = here.decide(session_id, "x1", "first", other(here.settings))
    assert isinstance(refused.exception(PATIENCE), UsageError), "there is no conflict yet: the run was asked"
    assert len(kitchen.asked) == 1
    assert here.activity(session_id) == "running"
    opened.set()
    rest(here, session_id)
    assert known(here, session_id).settings == here.settings


def test_decisions_while_a_session_is_being_opened_are_all_taken(here: Server, disputed: str, kitchen: Kitchen) -> None:
    kitchen.door.clear()
    verdicts: tuple[Verdict, ...] = ("second", "first", "neither")
    handed = [here.decide(disputed, "x1", verdict, here.settings) for verdict in verdicts]
    assert here.activity(disputed) == "starting"
    kitchen.door.set()
    for each in handed:
        each.result(PATIENCE)
    rest(here, disputed)
    assert decisions(here, disputed) == list(verdicts)


def test_a_refused_decision_is_no_failure_to_start(here: Server, disputed: str) -> None:
    refused = here.decide(disputed, "x9", "first", here.settings)
    wait([refused], PATIENCE)
    assert "there is no conflict x9" in str(failure(refused))
    assert here.start_failure(disputed) is None


@pytest.mark.parametrize("act", ["decide", "proceed"])
def test_a_failure_to_start_is_forgotten_once_it_went_on(
    here: Server, disputed: str, kitchen: Kitchen, act: str
) -> None:
    kitchen.error = CorruptLogError("not now")
    here.resume(disputed, here.settings)
    rest(here, disputed)
    assert here.start_failure(disputed) == "not now"
    kitchen.error = None
    if act == "decide":
        here.decide(disputed, "x1", "second", here.settings)
    else:
        here.resume(disputed, here.settings)
    rest(here, disputed)
    assert here.start_failure(disputed) is None


def test_why_a_run_ended_that_the_disk_did_not_let_record_is_told_until_it_goes_on(
    here: Server, disputed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(log: EventLog, event: Event, take_effect: object = None) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(EventLog, "append", full)
        here.decide(disputed, "x1", "second", here.settings)
        rest(here, disputed)
    assert str(here.start_failure(disputed)).startswith("the disk is full; everything recorded so far is kept")
    here.resume(disputed, here.settings)
    rest(here, disputed)
    assert here.start_failure(disputed) is None
    assert decisions(here, disputed) == ["second"]


# -- deleting


def test_deleting_running_sessions_keeps_nobody_from_starting(here: Server, kitchen: Kitchen) -> None:
    reached, opened = threading.Semaphore(0), threading.Event()

    def slow(given: Any) -> Any:
        reached.release()
        assert opened.wait(PATIENCE)
        return structure(given)

    kitchen.parts = lambda: scripted(structure=slow)
    running = [here.start(NewSession("When?", (FIRST,)), here.settings) for _ in range(5)]
    for _ in running:
        assert reached.acquire(timeout=PATIENCE)
    gone = [here.delete(session_id) for session_id in running]
    assert not any(each.done() for each in gone)
    kitchen.parts = scripted
    session_id = here.start(NewSession("When?", (FIRST,)), here.settings)
    rest(here, session_id)
    assert known(here, session_id).bank.status == "finished"
    opened.set()
    for each in gone:
        each.result(PATIENCE)
    assert here.store.ids() == [session_id]


def test_a_session_that_is_being_opened_is_deleted_for_good(here: Server, disputed: str, kitchen: Kitchen) -> None:
    kitchen.door.clear()
    here.resume(disputed, here.settings)
    gone = here.delete(disputed)
    assert not gone.done()
    kitchen.door.set()
    gone.result(PATIENCE)
    assert here.store.ids() == []
    assert here.runner.get(disputed) is None


def test_a_session_that_is_being_deleted_is_not_opened_again(here: Server, disputed: str, kitchen: Kitchen) -> None:
    kitchen.door.clear()
    here.resume(disputed, here.settings)
    gone = here.delete(disputed)
    here.resume(disputed, other(here.settings))
    decided = here.decide(disputed, "x1", "first", here.settings)
    kitchen.door.set()
    gone.result(PATIENCE)
    assert isinstance(decided.exception(PATIENCE), SessionNotFoundError)
    assert other(here.settings) not in kitchen.asked
    assert here.runner.get(disputed) is None


def test_a_session_deleted_while_it_is_cancelled_is_gone(
    here: Server, disputed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.resume(disputed, here.settings)
    rest(here, disputed)
    monkeypatch.setattr(Session, "cancel", lambda session: here.delete(session.id).result(PATIENCE))
    here.cancel(disputed, here.settings)
    assert here.store.ids() == []


def test_what_could_not_be_deleted_is_said(here: Server, disputed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(shutil, "rmtree", held)
    said = "a file could not be used (Permission denied): make room or put that right, then try again"
    assert failure(here.delete(disputed)) == said, "not the path"


def test_what_rests_is_gone_at_once(here: Server, disputed: str) -> None:
    assert here.delete(disputed).done()
    assert here.store.ids() == []
    with pytest.raises(SessionNotFoundError):
        here.delete(disputed)


# -- cancelling


def test_a_paused_session_that_is_not_in_memory_is_cancelled_too(
    here: Server, store: SessionStore, kitchen: Kitchen
) -> None:
    session = Session.create("When?", [FIRST], sessions=store.folder, session_id="p", parts=scripted())
    session.pause()
    list(session.run())
    session.close()
    assert store.summary("p").status == "paused"
    here.cancel("p", other(here.settings))
    rest(here, "p")
    assert store.summary("p").status == "cancelled"
    assert kitchen.asked == [other(here.settings)]


# -- looking


@pytest.mark.parametrize("look", [Server.events, Server.version])
def test_a_session_that_goes_while_it_is_read_is_not_found(
    here: Server, disputed: str, monkeypatch: pytest.MonkeyPatch, look: Callable[[Server, str], object]
) -> None:
    monkeypatch.setattr(here.store, "find", lambda _id: here.store.folder / "gone")
    with pytest.raises(SessionNotFoundError):
        look(here, disputed)


def test_files_that_are_missing_are_found_without_the_log(here: Server, keep: Keep) -> None:
    session_id = keep("a", every_event())
    (here.store.folder / "a" / "events.jsonl").write_text("nonsense\n")
    assert here.lacks_files(session_id, [make_source("s1", "files/s1")])
    (here.store.folder / "a" / "files/s1").write_text("here")
    assert not here.lacks_files(session_id, [make_source("s1", "files/s1")])


def test_an_unexpected_error_is_logged_once_where_it_happened(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    work: Future[None] = ThreadPoolExecutor(1).submit(logged, broken)
    error = work.exception(PATIENCE)
    assert error is not None
    with caplog.at_level(logging.ERROR):
        assert reason_of(error) == reason_of(error) == "an unexpected RuntimeError; the server's log has the details"
    assert [str(record.exc_info and record.exc_info[1]) for record in caplog.records] == ["a bug"]


class Weight:
    """Something large."""


def test_an_error_that_is_kept_holds_nothing_of_what_it_was_raised_over() -> None:
    held: list[weakref.ref[Weight]] = []

    def broken(weight: Weight) -> None:
        held.append(weakref.ref(weight))
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise UsageError("not kept") from error

    with ThreadPoolExecutor(1) as threads:
        work = threads.submit(logged, broken, Weight())
    assert isinstance(work.exception(PATIENCE), UsageError)
    gc.collect()
    assert held[0]() is None


# -- on the page


def test_a_session_deleted_in_another_tab_while_it_is_drawn_is_said_to_be_gone(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = keep("a", every_event()[:5])

    def gone(*_given: object) -> bool:
        raise SessionNotFoundError("deleted in another tab")

    monkeypatch.setattr(Server, "lacks_files", gone)
    assert "There is no session at this address." in Page(run=session_id).messages


def test_a_session_has_its_owner_from_the_moment_it_is_asked_for(here: Server, kitchen: Kitchen) -> None:
    owner = Owner(user="ann", conversation_id="c1")
    kitchen.door.clear()
    session_id = here.start(NewSession("When?", owner=owner), Settings(storage_dir=here.store.folder))
    assert here.owner(session_id) == owner, "before there is a folder"
    kitchen.door.set()
    rest(here, session_id)
    assert Server(here.settings).owner(session_id) == owner, "in another process"
    wait([here.delete(session_id)])
    assert here.owner(session_id) is None


@pytest.mark.parametrize("session_id", ["nobody-has-this", "../../etc", "%00", ""])
def test_what_is_no_session_has_no_owner(here: Server, session_id: str) -> None:
    assert here.owner(session_id) is None


def test_sessions_are_looked_after_again_when_the_disk_failed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looked, again = threading.Semaphore(0), threading.Semaphore(0)

    def failing(*_given: object) -> list[str]:
        looked.release()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(server, "delete_expired", failing)
    monkeypatch.setattr(server.time, "sleep", lambda _seconds: again.acquire())
    Server(Settings(storage_dir=tmp_path, embedding_model="hash", sessions_kept_days=30))
    assert looked.acquire(timeout=PATIENCE)
    again.release()
    assert looked.acquire(timeout=PATIENCE)
    assert "old sessions could not be looked for" in caplog.text
