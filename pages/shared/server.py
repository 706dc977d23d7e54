"""The server's state, shared by all visitors: the sessions it starts, runs, stops and deletes.

Only `get_server()` calls Streamlit. Nothing makes a page wait: models are loaded, and sessions are started and run, in
threads.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import streamlit as st

from memory_bank.app.connection import check_connection, model_servers
from memory_bank.app.local_servers import LocalServer, find_local_servers
from memory_bank.app.runner import Pace, Runner
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import AgentError, MemoryBankError, ModelFileError, SessionNotFoundError, StorageError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import Settings, load_settings
from memory_bank.bank.source import Source
from memory_bank.bank.task_kind import TaskKind
from memory_bank.documents.source_reader import ReadingProgress
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.long_term.owner import Owner, read_owner
from memory_bank.search.embedding import load_embedder
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.session.observability import configure
from memory_bank.session.session import Session
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.retention import Bounds, delete_expired
from memory_bank.storage.session_store import SessionStore, Upload, is_session_id, new_session_id
from memory_bank.text.language_detection import detect_language
from memory_bank.text.wording import Wording

Activity = Literal["starting", "running", "idle"]
Result = TypeVar("Result")

CLEANING_SECONDS = 3_600.0
"""Time between two checks of how old and how large the stored sessions are."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewSession:
    """The session a person asks for: a task, documents to work on, and references (`sources`) to check them against.

    `pace` slows the run down for whoever watches. `owner` is the user whose long-term memory it uses, if any.
    """

    task: str
    documents: tuple[Upload, ...] = ()
    sources: tuple[Upload, ...] = ()
    pace: Pace | None = None
    owner: Owner | None = None


@dataclass(frozen=True)
class ConnectionTest:
    """A connection test of a model server: the server's name, and the success message once it is there."""

    name: str
    outcome: Future[str]

    def result(self) -> tuple[bool | None, str]:
        """Whether it works (None: not known yet), and the message for that."""
        if not self.outcome.done():
            return None, ""
        error = self.outcome.exception()
        if error is None:
            return True, self.outcome.result()
        return False, error.reason if isinstance(error, AgentError) else reason_of(error)


@dataclass
class _Known:
    """What this process knows of a session: its owner before its folder exists, its last `request` and last `start`."""

    pace: Pace | None = None
    owner: Owner | None = None
    request: Future[None] | None = None
    start: Future[None] | None = None
    deleting: bool = False


_NOTHING = _Known()


class Server:
    """The sessions of this server. `settings` come from the environment, for visitors who choose nothing else."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = SessionStore(settings.storage_dir)
        self.runner = Runner(settings.max_running_sessions)
        self._lock = threading.Lock()
        self._known: defaultdict[str, _Known] = defaultdict(_Known)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="start")
        # separate: a model server may take long to answer
        self._connection_threads = ThreadPoolExecutor(4, thread_name_prefix="try")
        bounds = Bounds.of(settings)
        if bounds.any:
            threading.Thread(target=self._clean, args=(bounds,), name="clean", daemon=True).start()
        self._threads.submit(logged, self._preload)

    def _preload(self) -> None:
        """Load what a first session needs while the person reads the start page. A session reports what is missing."""
        load_embedder(self.settings.embedding_model)
        detect_language("Its model is unpacked for the first sentence.")
        with suppress(ModelFileError):
            load_pair_model()

    # -- changing sessions -----------------------------------------------------------------------------------

    def start(self, new: NewSession, settings: Settings) -> str:
        """Create and run a session in a thread; return its id at once. Follow it with `activity` and `events`."""
        session_id = new_session_id()
        create = partial(Session.create, settings=settings, session_id=session_id, owner=new.owner)
        self._known[session_id] = _Known(new.pace, new.owner)
        self._enqueue_start(session_id, lambda: self.runner.add(create(new.task, new.documents, new.sources)))
        return session_id

    def resume(self, session_id: str, settings: Settings) -> None:
        """Resume a paused, failed or interrupted session from its log, with these settings."""
        self._enqueue_start(session_id, lambda: self._load(session_id, settings))

    def _enqueue_start(self, session_id: str, prepare: Callable[[], object]) -> None:
        def start() -> None:
            prepare()
            self.runner.start(session_id, self._known.get(session_id, _NOTHING).pace)

        self._known[session_id].start = self._enqueue(session_id, start)

    def _load(self, session_id: str, settings: Settings) -> Session:
        """The session with these settings. A running session keeps its own."""
        known = self.runner.get(session_id)
        if known is not None and (
            known.settings == settings_as_recorded(settings, known.bank.settings) or self.runner.running(session_id)
        ):
            return known
        session = Session.open(session_id, settings=settings)
        self.runner.add(session)
        return session

    def _enqueue(self, session_id: str, work: Callable[[], None]) -> Future[None]:
        """Run `work` on a session after all earlier requests for it are done.

        The earlier request is ahead in the thread pool's queue, so waiting for it always ends. Work requested while the
        session is being deleted fails.
        """

        def do(before: Future[None] | None) -> None:
            if before is not None:
                wait([before])
            if self._known.get(session_id, _NOTHING).deleting:
                raise SessionNotFoundError(Wording("session {session} is being deleted", session=session_id))
            work()

        with self._lock:
            known = self._known[session_id]
            known.request = self._threads.submit(logged, do, known.request)
            return known.request

    def test_connections(self, settings: Settings) -> tuple[ConnectionTest, ...]:
        """Test the connection to each model server of the settings; the embedded engine has none. `SettingsError`."""
        return tuple(
            ConnectionTest(
                f"{server.name}, {server.endpoint.model_name}",
                self._connection_threads.submit(logged, check_connection, server),
            )
            for server in model_servers(settings)
        )

    def look_for_models(self) -> Future[tuple[LocalServer, ...]]:
        """Look for model servers on this computer."""
        return self._connection_threads.submit(logged, find_local_servers)

    def pause(self, session_id: str) -> None:
        """Stop a running session at its next event. It can be resumed."""
        session = self.runner.get(session_id)
        if session is not None and self.runner.running(session_id):
            session.pause()

    def cancel(self, session_id: str, settings: Settings) -> None:
        """Stop a session for good at its next event. One that is not in memory is loaded first, with the settings."""
        session = self.runner.get(session_id)
        if session is None:
            self._enqueue_start(session_id, lambda: self._load(session_id, settings).cancel())
        else:
            session.cancel()
            with suppress(KeyError):  # it was deleted meanwhile
                self.runner.start(session_id)  # a paused session must take a step to record its end

    def decide(
        self, session_id: str, conflict_id: str, verdict: Verdict | None, settings: Settings, reason: str = ""
    ) -> Future[None]:
        """Hand a person's decision on a conflict to the session. A session that is not running uses these settings.

        Without a verdict the conflict is verified again. The future is done when the session has the decision; its
        error says why it was not accepted.
        """

        def hand_over() -> None:
            self._load(session_id, settings).decide(conflict_id, verdict, reason)
            self.runner.start(session_id)
            self._known[session_id].start = None  # an earlier start failure is out of date

        return self._enqueue(session_id, hand_over)

    def correct_kind(self, session_id: str, kind: TaskKind, settings: Settings) -> None:
        """Tell a session what its task is; it answers the task anew. A failure is the session's `start_failure`."""
        self._enqueue_start(session_id, lambda: self._load(session_id, settings).correct_kind(kind))

    def delete(self, session_id: str) -> Future[None]:
        """Delete a session and all its files. A running session is stopped first.

        The future is done when the session is gone: at once if the session is idle. An `OSError` in it says which files
        remain. `SessionNotFoundError`.
        """
        self.store.find(session_id)
        idle = self.activity(session_id) == "idle"
        thread = ThreadPoolExecutor(1, thread_name_prefix="delete")  # its own thread: a session may take long to stop
        deletion = thread.submit(logged, self._delete, session_id)
        thread.shutdown(wait=idle)
        return deletion

    def _delete(self, session_id: str) -> None:
        with self._lock:
            known = self._known[session_id]
            known.deleting = True
        try:
            if known.request is not None:
                wait([known.request])
            self.runner.remove(session_id)
            with suppress(SessionNotFoundError):  # it was deleted meanwhile
                self.store.delete(session_id)
        finally:
            with self._lock:
                self._known.pop(session_id, None)

    def _clean(self, bounds: Bounds) -> None:
        """Delete sessions beyond the bounds, again and again while the process lives."""
        while True:
            try:
                removed = delete_expired(self.store, bounds, lambda session_id: self.runner.get(session_id) is not None)
            except OSError:
                _log.exception("old sessions could not be looked for")
            else:
                if removed:
                    _log.warning("%d sessions were removed (SESSIONS_KEPT_DAYS, SESSIONS_MAX_MB)", len(removed))
            time.sleep(CLEANING_SECONDS)

    # -- reading ---------------------------------------------------------------------------------------------

    def activity(self, session_id: str) -> Activity:
        """Whether this process is starting the session, running it, or doing neither."""
        with self._lock:
            request = self._known.get(session_id, _NOTHING).request
        waiting = request is not None and not request.done()  # before `running`, so that no start is missed in between
        if self.runner.running(session_id):
            return "running"
        return "starting" if waiting else "idle"

    def start_failure(self, session_id: str) -> str | None:
        """Why the last start failed, or why the session ended without recording it; None if neither happened."""
        start = self._known.get(session_id, _NOTHING).start
        error = start.exception() if start is not None and start.done() else None
        if error is not None:
            return reason_of(error)
        session = self.runner.get(session_id)
        return None if session is None else session.unrecorded

    def events(self, session_id: str) -> Sequence[Event]:
        """All events of a session. For a running session, the list grows.

        `SessionNotFoundError` if there is no such session; `CorruptLogError` if its log cannot be read.
        """
        session = self.runner.get(session_id)
        if session is not None:
            return session.events
        with _not_deleted(session_id):
            return list(read_events(self.store.find(session_id) / LOG_NAME))

    def owner(self, session_id: str) -> Owner | None:
        """The owner of a session; None without long-term memory, or if there is no session. `CorruptLogError`."""
        if not is_session_id(session_id):
            return None
        return self._known.get(session_id, _NOTHING).owner or read_owner(self.store.folder / session_id)

    def reading(self, session_id: str) -> ReadingProgress | None:
        """The progress of the file that a session of this process is reading now."""
        session = self.runner.get(session_id)
        return None if session is None else session.reading

    def version(self, session_id: str) -> object:
        """A value that changes whenever `events` has something new. Cheap to ask. `SessionNotFoundError`."""
        session = self.runner.get(session_id)
        if session is not None:
            return "live", len(session.events)
        with _not_deleted(session_id):
            return "stored", (self.store.find(session_id) / LOG_NAME).stat().st_size

    def lacks_files(self, session_id: str, sources: Iterable[Source]) -> bool:
        """Whether document files of a session are missing, as in an import, so that it cannot go on.

        A missing image does not count: the session refuses it by name and goes on. `SessionNotFoundError`.
        """
        folder = self.store.find(session_id)
        return any(not source.is_image and not (folder / source.path).is_file() for source in sources)


@contextmanager
def _not_deleted(session_id: str) -> Iterator[None]:
    """Raise `SessionNotFoundError` if another visitor deletes the session while it is read."""
    try:
        yield
    except FileNotFoundError as error:
        raise SessionNotFoundError(f"session {session_id} was deleted") from error


_SHOWN_ERRORS = (MemoryBankError, OSError)
"""Errors whose message is meant for a person."""


def logged(work: Callable[..., Result], *given: object) -> Result:
    """Run `work`; write an unexpected error to the server's log and raise it again.

    The error is kept for a long time. The local variables of its frames, such as a session's files, are released.
    """
    try:
        return work(*given)
    except Exception as error:
        if not isinstance(error, _SHOWN_ERRORS):
            _log.exception("an error that is not for a person")
        del work, given
        cause: BaseException | None = error
        while cause is not None:
            traceback.clear_frames(cause.__traceback__)
            cause = cause.__context__
        raise


def reason_of(error: BaseException) -> str:
    """An error in words for a person. For an unexpected error, the details are in the log, written by `logged`."""
    if isinstance(error, OSError):
        return str(StorageError.outside_session(error))
    if isinstance(error, _SHOWN_ERRORS):
        return str(error)
    return Wording("an unexpected {error}; the server's log has the details", error=type(error).__name__)


@st.cache_resource(show_spinner=False)
def get_server() -> Server:
    """The one server of this process. `SettingsError` while a setting is invalid."""
    settings = load_settings()
    configure(settings.log_level or "WARNING", settings.log_format)
    gc.freeze()  # garbage collection skips the program itself from now on, so that visitors do not wait for it
    return Server(settings)
