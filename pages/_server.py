"""What all visitors of this server share: the sessions that run, and the parts they are built with.

Nothing here calls Streamlit but `server()`, and nothing makes a page wait: the embedding model is loaded, and
sessions are begun and run, in threads.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st

from memory_bank.bank.event_log import LOG_NAME, read_events
from memory_bank.connection import check_connection, model_servers
from memory_bank.errors import AgentError, MemoryBankError
from memory_bank.events import Event
from memory_bank.modules.embedding import load_embedder
from memory_bank.runner import Pace, Runner
from memory_bank.session import Parts, Session
from memory_bank.session_store import SessionStore, Upload, new_session_id
from memory_bank.settings import Settings, load_settings

Activity = Literal["starting", "running", "still"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewSession:
    """What a person asks for: a task, material to work on, and a reference library to check against.

    `pace` slows the run down for whoever watches.
    """

    task: str
    documents: tuple[Upload, ...] = ()
    sources: tuple[Upload, ...] = ()
    pace: Pace | None = None


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
        return False, error.reason if isinstance(error, AgentError) else _reason(error, self.name)


@dataclass
class Server:
    """The sessions of this server. `settings` are those of the environment, for whoever chooses nothing else."""

    settings: Settings
    _runner: Runner = field(default_factory=Runner)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _starting: dict[str, Future[None]] = field(default_factory=dict)
    _paces: dict[str, Pace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = SessionStore(self.settings.storage_dir)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="start")
        self._tries = ThreadPoolExecutor(4, thread_name_prefix="try")  # apart: a server may be silent for long
        self._threads.submit(load_embedder, self.settings.embedding_model)  # so that the first session begins at once

    # -- doing -----------------------------------------------------------------------------------------------

    def begin(self, new: NewSession, settings: Settings) -> str:
        """Have a session created and run; its id, at once. Follow `activity` and `events`."""
        session_id = new_session_id()

        def create(parts: Parts) -> Session:
            return Session.create(
                new.task,
                new.documents,
                new.sources,
                settings=settings,
                session_id=session_id,
                parts=parts,
            )

        if new.pace is not None:
            self._paces[session_id] = new.pace
        self._start(session_id, settings, create)
        return session_id

    def proceed(self, session_id: str, settings: Settings) -> None:
        """Have a session that is paused, failed or was interrupted go on from its log, with these settings."""
        known = self._runner.get(session_id)
        if known is not None and known.settings == settings:
            self._runner.start(session_id, self._paces.get(session_id))
            return
        self._start(session_id, settings, lambda parts: Session.open(session_id, settings=settings, parts=parts))

    def _start(self, session_id: str, settings: Settings, make: Callable[[Parts], Session]) -> None:
        def start() -> None:
            if not self._runner.running(session_id):
                self._runner.add(make(Parts.standard(settings)))
            self._runner.start(session_id, self._paces.get(session_id))

        with self._lock:
            if session_id not in self._starting or self._starting[session_id].done():
                self._starting[session_id] = self._threads.submit(start)

    def try_servers(self, settings: Settings) -> tuple[Attempt, ...]:
        """Have every model that the settings ask tried; none on the embedded engine. `SettingsError`."""
        return tuple(
            Attempt(f"{found.name}, {found.endpoint.model_name}", self._tries.submit(check_connection, found))
            for found in model_servers(settings)
        )

    def pause(self, session_id: str) -> None:
        """Stop a running session at its next event; it can go on."""
        session = self._runner.get(session_id)
        if session is not None and self._runner.running(session_id):
            session.pause()

    def cancel(self, session_id: str) -> None:
        """Stop a session at its next event for good."""
        session = self._runner.get(session_id)
        if session is not None:
            session.cancel()
            self._runner.start(session_id)  # one that is paused must take a step to record its end

    def delete(self, session_id: str) -> None:
        """Remove a session and everything it holds, stopping it first. `SessionNotFoundError`."""
        self._runner.remove(session_id)
        with self._lock:
            self._starting.pop(session_id, None)
        self.store.delete(session_id)

    # -- looking ---------------------------------------------------------------------------------------------

    def activity(self, session_id: str) -> Activity:
        """Whether this process is preparing the session, working on it, or doing nothing about it."""
        with self._lock:
            starting = self._starting.get(session_id)
        if starting is not None and not starting.done():
            return "starting"
        return "running" if self._runner.running(session_id) else "still"

    def start_failure(self, session_id: str) -> str | None:
        """Why a session could not be started, in words for a person, or None."""
        with self._lock:
            starting = self._starting.get(session_id)
        error = starting.exception() if starting is not None and starting.done() else None
        if error is None:
            return None
        return _reason(error, f"session {session_id}")

    def events(self, session_id: str) -> Sequence[Event]:
        """Everything that happened in a session; of a running one, a list that grows.

        `SessionNotFoundError` if there is none of that id; `CorruptLogError` if its log cannot be read.
        """
        session = self._runner.get(session_id)
        if session is not None:
            return session.events
        return list(read_events(self.store.find(session_id) / LOG_NAME))

    def changes(self, session_id: str) -> object:
        """A value that changes whenever `events` would bring something new; cheap."""
        session = self._runner.get(session_id)
        if session is not None:
            return "live", len(session.events)
        log = self.store.find(session_id) / LOG_NAME
        return "stored", log.stat().st_size

    def lacks_files(self, session_id: str) -> bool:
        """Whether documents that a session still needs are not here, as in an import: it cannot go on."""
        folder = self.store.find(session_id)
        added = (event.source for event in self.events(session_id) if event.type == "source_added")
        return any(not (folder / source.path).is_file() for source in added)


def _reason(error: BaseException, what: str) -> str:
    """An error in words for a person; one that is none of ours goes to the server's log."""
    if isinstance(error, MemoryBankError | OSError):
        return str(error)
    _log.error("%s could not be started", what, exc_info=error)
    return f"an unexpected {type(error).__name__}; the server's log has the details"


@st.cache_resource(show_spinner=False)
def server() -> Server:
    """The one server of this process. `SettingsError` while a setting is wrong."""
    return Server(load_settings())
