"""Runs sessions in background threads, so that whoever watches never waits for work.

So many work at a time, and the others wait in a fair queue. What rests is kept in memory only while few do: it lies on
disk, and is opened again by whoever wants to go on with it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from memory_bank.events import Event, TextStreamed
from memory_bank.session import Session
from memory_bank.slots import Slots

_log = logging.getLogger(__name__)

Pace = Callable[[Event], float]
"""Seconds to wait after an event, so that a person can watch; a session is not slowed down without one."""


class Runner:
    """The sessions of this process by their address, each run by at most one thread. Shared by all pages."""

    def __init__(self, working: int = 8, resting: int = 8) -> None:
        """So many work at a time; so many that rest stay in memory, those that were asked for last."""
        self._slots, self._resting = Slots(working), resting
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._threads: dict[str, threading.Thread] = {}
        self._working: set[str] = set()

    def add(self, session: Session) -> None:
        """Make a session known under its id."""
        with self._lock:
            self._sessions[session.id] = session
            self._sessions.move_to_end(session.id)
            self._forget_some()

    def get(self, session_id: str) -> Session | None:
        """The session of that id, if it is in this process's memory."""
        with self._lock:
            if session_id in self._sessions:
                self._sessions.move_to_end(session_id)
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
            thread.start()  # first: where the system gives no more threads, the session does not count as working
            self._threads[session_id] = thread
            self._working.add(session_id)

    def running(self, session_id: str) -> bool:
        """Whether a thread is working on the session now, or waits to."""
        with self._lock:
            return session_id in self._working

    def place(self, session_id: str) -> int | None:
        """Which in the queue a session is, from 1, while it waits for others to give way."""
        return self._slots.place(session_id)

    def busy(self) -> int:
        """How many sessions work or wait for a place."""
        return len(self._working)

    def load(self) -> dict[str, int]:
        """How many sessions work, wait for a place, and rest in memory."""
        with self._lock:
            waiting = sum(self._slots.place(session_id) is not None for session_id in self._working)
            resting = len(self._sessions.keys() - self._working)
            return {"working": len(self._working) - waiting, "waiting": waiting, "resting": resting}

    def _run(self, session: Session, pace: Pace | None) -> None:
        """Run a session until it rests, and once more for what was decided in its last moment, when `start` did not."""
        while True:
            ended_well = self._drain(session, pace)
            with self._lock:
                if not (ended_well and session.deciding and session.bank.status == "finished"):
                    self._working.discard(session.id)
                    self._forget_some()
                    return

    def _drain(self, session: Session, pace: Pace | None) -> bool:
        """Run a session until it rests; False when that ended with an error."""
        self._slots.enter(session.id, lambda: session.stopping)
        try:
            for event in session.run():
                if isinstance(event, TextStreamed):
                    continue  # in the middle of a reply: it is read to its end, or its server waits for us
                if pace is not None:
                    time.sleep(pace(event))
                self._slots.give_way(session.id, lambda: session.stopping)
        except Exception:  # noqa: BLE001 - whatever it is, it must not end the thread without a word
            # The session recorded its own failure for the person; the details are for whoever runs the server.
            _log.exception("session %s failed", session.id)
            return False
        finally:
            self._slots.leave(session.id)
        return True

    def _forget_some(self) -> None:
        """Keep of what rests the sessions asked for last; never lose what a person has just asked for."""
        resting = [
            session_id
            for session_id, session in self._sessions.items()
            if session_id not in self._working and not (session.deciding or session.stopping)
        ]
        for session_id in resting[: -self._resting]:
            self._sessions.pop(session_id).close()
            self._threads.pop(session_id, None)
