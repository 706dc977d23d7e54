"""What all visitors of this server share: the sessions that run, and the parts they are built with.

Nothing here calls Streamlit but `server()`, and nothing makes a page wait: the embedding model is loaded, and
sessions are begun and run, in threads.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import streamlit as st

from memory_bank.bank.conflict import Verdict
from memory_bank.bank.event_log import LOG_NAME, read_events
from memory_bank.bank.source import Source
from memory_bank.connection import check_connection, model_servers
from memory_bank.embedding_choice import as_begun
from memory_bank.errors import AgentError, MemoryBankError, SessionNotFoundError, StorageError
from memory_bank.events import Event
from memory_bank.housekeeping import Bounds, clean
from memory_bank.long_term.owner import Owner, read_owner
from memory_bank.modules.embedding import load_embedder
from memory_bank.observability import configure
from memory_bank.runner import Pace, Runner
from memory_bank.session import Session
from memory_bank.session_store import SessionStore, Upload, is_session_id, new_session_id
from memory_bank.settings import Settings, load_settings
from memory_bank.source_reader import PagesRead

Activity = Literal["starting", "running", "still"]
Result = TypeVar("Result")

CLEANING = 3_600.0
"""Seconds between two looks at how old and how large the sessions are."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewSession:
    """What a person asks for: a task, material to work on, and a reference library to check against.

    `pace` slows the run down for whoever watches. `owner` is for whom it remembers, with long-term memory.
    """

    task: str
    documents: tuple[Upload, ...] = ()
    sources: tuple[Upload, ...] = ()
    pace: Pace | None = None
    owner: Owner | None = None


@dataclass(frozen=True)
class Decision:
    """What a person decides on a conflict: a verdict, or None to have it verified again; and why."""

    conflict_id: str
    verdict: Verdict | None
    reason: str = ""


@dataclass(frozen=True)
class Attempt:
    """A server of models that is being tried: its name, and the words of its success once they are there."""

    name: str
    outcome: Future[str]

    def result(self) -> tuple[bool | None, str]:
        """Whether it works (None: not known yet), and the words for that."""
        if not self.outcome.done():
            return None, ""
        error = self.outcome.exception()
        if error is None:
            return True, self.outcome.result()
        return False, error.reason if isinstance(error, AgentError) else reason_of(error)


@dataclass
class Server:
    """The sessions of this server. `settings` are those of the environment, for whoever chooses nothing else."""

    settings: Settings
    _runner: Runner = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _asked: dict[str, Future[None]] = field(default_factory=dict)  # of each session: what was asked for last
    _starts: dict[str, Future[None]] = field(default_factory=dict)  # and the last start
    _paces: dict[str, Pace] = field(default_factory=dict)
    _owners: dict[str, Owner] = field(default_factory=dict)  # of those begun here, before their folders are made
    _deleting: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.store = SessionStore(self.settings.storage_dir)
        self._runner = Runner(self.settings.max_running_sessions)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="start")
        self._tries = ThreadPoolExecutor(4, thread_name_prefix="try")  # apart: a server may be silent for long
        bounds = Bounds.of(self.settings)
        if bounds.any:
            threading.Thread(target=self._clean, args=(bounds,), name="clean", daemon=True).start()
        # so that the first session begins at once
        self._threads.submit(load_embedder, self.settings.embedding_model, self.settings.embedding_cache)

    # -- doing -----------------------------------------------------------------------------------------------

    def begin(self, new: NewSession, settings: Settings) -> str:
        """Have a session created and run; its id, at once. Follow `activity` and `events`."""
        session_id = new_session_id()

        def create() -> Session:
            return Session.create(
                new.task, new.documents, new.sources, settings=settings, session_id=session_id, owner=new.owner
            )

        if new.pace is not None:
            self._paces[session_id] = new.pace
        if new.owner is not None:
            self._owners[session_id] = new.owner
        self._start(session_id, lambda: self._runner.add(create()))
        return session_id

    def proceed(self, session_id: str, settings: Settings) -> None:
        """Have a session that is paused, failed or was interrupted go on from its log, with these settings."""
        self._start(session_id, lambda: self._opened(session_id, settings))

    def _start(self, session_id: str, prepare: Callable[[], object]) -> None:
        def start() -> None:
            prepare()
            self._runner.start(session_id, self._paces.get(session_id))

        self._starts[session_id] = self._in_turn(session_id, start)

    def _opened(self, session_id: str, settings: Settings) -> Session:
        """The session with these settings; one that runs goes on with its own."""
        known = self._runner.get(session_id)
        if known is not None and (
            known.settings == as_begun(settings, known.events[0]) or self._runner.running(session_id)
        ):
            return known
        session = Session.open(session_id, settings=settings)
        self._runner.add(session)
        return session

    def _in_turn(self, session_id: str, work: Callable[[], None]) -> Future[None]:
        """Have something done with a session once all that was asked for before is done.

        That one is ahead in the queue of the threads: waiting for it always ends. What comes after a wish to delete
        the session fails.
        """

        def do(before: Future[None] | None) -> None:
            if before is not None:
                wait([before])
            if session_id in self._deleting:
                raise SessionNotFoundError(f"session {session_id} is being deleted")
            work()

        with self._lock:
            asked = self._threads.submit(logged, do, self._asked.get(session_id))
            self._asked[session_id] = asked
        return asked

    def try_servers(self, settings: Settings) -> tuple[Attempt, ...]:
        """Have every model that the settings ask tried; none on the embedded engine. `SettingsError`."""
        return tuple(
            Attempt(f"{found.name}, {found.endpoint.model_name}", self._tries.submit(logged, check_connection, found))
            for found in model_servers(settings)
        )

    def pause(self, session_id: str) -> None:
        """Stop a running session at its next event; it can go on."""
        session = self._runner.get(session_id)
        if session is not None and self._runner.running(session_id):
            session.pause()

    def cancel(self, session_id: str, settings: Settings) -> None:
        """Stop a session at its next event for good; one that is not in memory is opened first, with the settings."""
        session = self._runner.get(session_id)
        if session is None:
            self._start(session_id, lambda: self._opened(session_id, settings).cancel())
        else:
            session.cancel()
            with suppress(KeyError):  # it was deleted meanwhile
                self._runner.start(session_id)  # one that is paused must take a step to record its end

    def decide(self, session_id: str, decision: Decision, settings: Settings) -> Future[None]:
        """Have a person's decision on a conflict take effect, with these settings unless the session runs.

        Done when the session has it; an error in it says why it was not taken.
        """

        def hand_over() -> None:
            self._opened(session_id, settings).decide(decision.conflict_id, decision.verdict, decision.reason)
            self._runner.start(session_id)
            self._starts.pop(session_id, None)  # why it could not be started before is out of date

        return self._in_turn(session_id, hand_over)

    def delete(self, session_id: str) -> Future[None]:
        """Remove a session and everything it holds; one that is worked on is stopped first, and goes when it has.

        Done when it is gone, which is at once where nothing works on it; an `OSError` in it says what stays.
        `SessionNotFoundError`.
        """
        self.store.find(session_id)
        at_once = self.activity(session_id) == "still"
        thread = ThreadPoolExecutor(1, thread_name_prefix="delete")  # of its own: a session may take long to stop
        gone = thread.submit(logged, self._delete, session_id)
        thread.shutdown(wait=at_once)
        return gone

    def _delete(self, session_id: str) -> None:
        with self._lock:
            self._deleting.add(session_id)
            asked = self._asked.get(session_id)
        try:
            if asked is not None:
                wait([asked])
            self._runner.remove(session_id)
            with suppress(SessionNotFoundError):  # it was deleted meanwhile
                self.store.delete(session_id)
        finally:
            with self._lock:
                self._deleting.discard(session_id)
                for kept in (self._asked, self._starts, self._paces, self._owners):
                    kept.pop(session_id, None)

    def _clean(self, bounds: Bounds) -> None:
        """Remove now and again what is beyond the bounds, as long as the process lives."""
        while True:
            try:
                removed = clean(self.store, bounds, lambda session_id: self._runner.get(session_id) is not None)
            except OSError:
                _log.exception("old sessions could not be looked for")
            else:
                if removed:
                    _log.warning("%d sessions were removed (SESSIONS_KEPT_DAYS, SESSIONS_MAX_MB)", len(removed))
            time.sleep(CLEANING)

    # -- looking ---------------------------------------------------------------------------------------------

    def busy(self) -> int:
        """How many sessions work or wait for others to give way."""
        return self._runner.busy()

    def load(self) -> dict[str, int]:
        """How many sessions work, wait for others to give way, and rest in memory."""
        return self._runner.load()

    def place(self, session_id: str) -> int | None:
        """Which in the queue a session is, from 1, while it waits for others to give way."""
        return self._runner.place(session_id)

    def activity(self, session_id: str) -> Activity:
        """Whether this process is preparing the session, working on it, or doing nothing about it."""
        with self._lock:
            asked = self._asked.get(session_id)
        waiting = asked is not None and not asked.done()  # before `running`, so that no start is missed in between
        if self._runner.running(session_id):
            return "running"
        return "starting" if waiting else "still"

    def start_failure(self, session_id: str) -> str | None:
        """Why a session could not be started, or ended without a record of it, the last time; None if it did not."""
        start = self._starts.get(session_id)
        error = start.exception() if start is not None and start.done() else None
        if error is not None:
            return reason_of(error)
        session = self._runner.get(session_id)
        return None if session is None else session.unrecorded

    def events(self, session_id: str) -> Sequence[Event]:
        """Everything that happened in a session; of a running one, a list that grows.

        `SessionNotFoundError` if there is none of that id; `CorruptLogError` if its log cannot be read.
        """
        session = self._runner.get(session_id)
        if session is not None:
            return session.events
        with _there(session_id):
            return list(read_events(self.store.find(session_id) / LOG_NAME))

    def owner(self, session_id: str) -> Owner | None:
        """For whom a session remembers; None for one without long-term memory, or none there. `CorruptLogError`."""
        if not is_session_id(session_id):
            return None
        return self._owners.get(session_id) or read_owner(self.store.folder / session_id)

    def reading(self, session_id: str) -> PagesRead | None:
        """How far the file has got that a session of this process is reading now."""
        session = self._runner.get(session_id)
        return None if session is None else session.reading

    def changes(self, session_id: str) -> object:
        """A value that changes whenever `events` would bring something new; cheap. `SessionNotFoundError`."""
        session = self._runner.get(session_id)
        if session is not None:
            return "live", len(session.events)
        with _there(session_id):
            return "stored", (self.store.find(session_id) / LOG_NAME).stat().st_size

    def lacks_files(self, session_id: str, sources: Iterable[Source]) -> bool:
        """Whether documents of a session are not here, as in an import: it cannot go on. `SessionNotFoundError`.

        It can without an image, which is refused by name.
        """
        folder = self.store.find(session_id)
        return any(not source.is_image and not (folder / source.path).is_file() for source in sources)


@contextmanager
def _there(session_id: str) -> Iterator[None]:
    """What is read in it may be deleted by another visitor meanwhile: `SessionNotFoundError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise SessionNotFoundError(f"session {session_id} was deleted") from error


_FOR_A_PERSON = (MemoryBankError, OSError)


def logged(work: Callable[..., Result], *given: object) -> Result:
    """Do something in a thread; an error in it that says nothing to a person goes to the server's log.

    The error is kept for long, and what it was raised over, as the files of a session, is not.
    """
    try:
        return work(*given)
    except Exception as error:
        if not isinstance(error, _FOR_A_PERSON):
            _log.exception("an error that is not for a person")
        del work, given
        _let_go(error)
        raise


def _let_go(error: BaseException | None) -> None:
    """Forget the values that an error's traceback holds, and those of the errors that led to it."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__


def reason_of(error: BaseException) -> str:
    """An error in words for a person; of one that is none of ours, `logged` has the details."""
    if isinstance(error, OSError):
        return str(StorageError.outside_session(error))
    if isinstance(error, _FOR_A_PERSON):
        return str(error)
    return f"an unexpected {type(error).__name__}; the server's log has the details"


@st.cache_resource(show_spinner=False)
def server() -> Server:
    """The one server of this process. `SettingsError` while a setting is wrong."""
    settings = load_settings()
    configure(settings.log_level or "WARNING", settings.log_format)
    gc.freeze()  # what the program consists of stays: a visitor does not wait until all of it is looked through again
    return Server(settings)
