"""Runs sessions in background threads, so that whoever watches never waits for work."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from memory_bank.events import Event
from memory_bank.session import Session

_log = logging.getLogger(__name__)

Pace = Callable[[Event], float]
"""Seconds to wait after an event, so that a person can watch; a session is not slowed down without one."""


class Runner:
    """The sessions of this process by their address, each run by at most one thread. Shared by all pages."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._working: set[str] = set()

    def add(self, session: Session) -> None:
        """Make a session known under its id."""
        with self._lock:
            self._sessions[session.id] = session

    def get(self, session_id: str) -> Session | None:
        """The session of that id, if it was added to this process."""
        with self._lock:
            return self._sessions.get(session_id)

    def remove(self, session_id: str) -> None:
        """Forget a session; one that is running is cancelled and waited for."""
        with self._lock:
            session, thread = self._sessions.pop(session_id, None), self._threads.pop(session_id, None)
        if session is not None and thread is not None and thread.is_alive():
            session.cancel()
            thread.join()

    def start(self, session_id: str, pace: Pace | None = None) -> None:
        """Run a known session, or let it go on after a pause or a decision; nothing happens if it runs already."""
        with self._lock:
            if session_id in self._working:
                return
            session = self._sessions[session_id]
            thread = threading.Thread(target=self._run, args=(session, pace), name=f"session-{session_id}", daemon=True)
            self._threads[session_id] = thread
            self._working.add(session_id)
            thread.start()

    def running(self, session_id: str) -> bool:
        """Whether a thread is working on the session now."""
        with self._lock:
            return session_id in self._working

    def _run(self, session: Session, pace: Pace | None) -> None:
        """Run a session until it rests, and once more for what was decided in its last moment, when `start` did not."""
        while True:
            ended_well = _drain(session, pace)
            with self._lock:
                if not (ended_well and session.deciding and session.bank.status == "finished"):
                    self._working.discard(session.id)
                    return


def _drain(session: Session, pace: Pace | None) -> bool:
    """Run a session until it rests; False when that ended with an error."""
    try:
        for event in session.run():
            if pace is not None:
                time.sleep(pace(event))
    except Exception:  # noqa: BLE001 - whatever it is, it must not end the thread without a word
        # The session recorded its own failure for the person; the details are for whoever runs the server.
        _log.exception("session %s failed", session.id)
        return False
    return True
