"""Run sessions in background threads, so that the page never blocks.

A limited number run at a time; the others wait in a fair queue. Only a few idle sessions stay in memory: the others are
on disk and are opened again when somebody continues with them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from memory_bank.bank.events import Event, TextStreamed
from memory_bank.session.session import Session

SLICE = 5.0
"""Seconds that a session keeps its slot while others wait."""
_POLL_SECONDS = 0.5
_log = logging.getLogger(__name__)

Pace = Callable[[Event], float]
"""Seconds to wait after an event, so that a person can follow. Without a pace a session is not slowed down."""


class FairQueue:
    """A limited number of slots, given out in the order of asking. Thread-safe; each thread uses its own name."""

    def __init__(self, limit: int, *, seconds: float = SLICE, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._slice, self._clock = limit, seconds, clock
        self._waiting: deque[str] = deque()
        self._since: dict[str, float] = {}
        self._changed = threading.Condition()

    def place(self, name: str) -> int | None:
        """The position of a name in the queue, from 1; None if it does not wait."""
        with self._changed:
            return self._waiting.index(name) + 1 if name in self._waiting else None

    def enter(self, name: str, at_once: Callable[[], bool] = lambda: False) -> None:
        """Wait for a slot. The wait also ends when `at_once()` is true, so that a session can be stopped."""
        with self._changed:
            self._waiting.append(name)
            while not (self._free > 0 and self._waiting[0] == name) and not at_once():
                self._changed.wait(_POLL_SECONDS)  # nothing notifies us when `at_once()` becomes true
            self._waiting.remove(name)
            self._free -= 1
            self._since[name] = self._clock()
            self._changed.notify_all()

    def leave(self, name: str) -> None:
        """Free the slot."""
        with self._changed:
            del self._since[name]
            self._free += 1
            self._changed.notify_all()

    def give_way(self, name: str, at_once: Callable[[], bool] = lambda: False) -> None:
        """Free the slot and queue again, if others wait and the time slice is over."""
        with self._changed:
            slice_over = self._clock() - self._since[name] >= self._slice
            if not (self._waiting and slice_over and self._free <= 0):
                return
        self.leave(name)
        self.enter(name, at_once)


class Runner:
    """The sessions of this process by id, each run by at most one thread. Shared by all pages."""

    def __init__(self, working: int = 8, resting: int = 8) -> None:
        """At most `working` sessions run at a time; the `resting` idle ones used last stay in memory."""
        self._slots, self._resting = FairQueue(working), resting
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._threads: dict[str, threading.Thread] = {}
        self._working: set[str] = set()

    def add(self, session: Session) -> None:
        """Register a session under its id."""
        with self._lock:
            self._sessions[session.id] = session
            self._sessions.move_to_end(session.id)
            self._close_idle()

    def get(self, session_id: str) -> Session | None:
        """The session with this id, if it is in memory."""
        with self._lock:
            if session_id in self._sessions:
                self._sessions.move_to_end(session_id)
            return self._sessions.get(session_id)

    def remove(self, session_id: str) -> None:
        """Remove a session; if it is running, cancel it and wait for its end."""
        with self._lock:
            session, thread = self._sessions.pop(session_id, None), self._threads.pop(session_id, None)
        if session is not None and thread is not None and thread.is_alive():
            session.cancel()
            thread.join()

    def start(self, session_id: str, pace: Pace | None = None) -> None:
        """Run a registered session, or continue it after a pause or a decision. No effect if it is running."""
        with self._lock:
            if session_id in self._working:
                return
            session = self._sessions[session_id]
            thread = threading.Thread(target=self._run, args=(session, pace), name=f"session-{session_id}", daemon=True)
            thread.start()  # first: if no thread can be started, the session must not count as working
            self._threads[session_id] = thread
            self._working.add(session_id)

    def running(self, session_id: str) -> bool:
        """Whether a thread is running the session, or waiting for a slot."""
        with self._lock:
            return session_id in self._working

    def place(self, session_id: str) -> int | None:
        """The position of a session in the queue, from 1; None if it does not wait."""
        return self._slots.place(session_id)

    def busy(self) -> int:
        """How many sessions are running or waiting for a slot."""
        return len(self._working)

    def load(self) -> dict[str, int]:
        """How many sessions are running, waiting for a slot, and idle in memory."""
        with self._lock:
            waiting = sum(self._slots.place(session_id) is not None for session_id in self._working)
            resting = len(self._sessions.keys() - self._working)
            return {"working": len(self._working) - waiting, "waiting": waiting, "resting": resting}

    def _run(self, session: Session, pace: Pace | None) -> None:
        """Run a session until it is idle, and again if a decision came while it ended, when `start` had no effect."""
        while True:
            succeeded = self._drain(session, pace)
            with self._lock:
                if not (succeeded and session.deciding and session.bank.status == "finished"):
                    self._working.discard(session.id)
                    self._close_idle()
                    return

    def _drain(self, session: Session, pace: Pace | None) -> bool:
        """Run a session until it is idle. Returns False if it ended with an error."""
        self._slots.enter(session.id, lambda: session.stopping)
        try:
            for event in session.run():
                if isinstance(event, TextStreamed):
                    continue  # in the middle of a reply: waiting here would keep the model server waiting
                if pace is not None:
                    time.sleep(pace(event))
                self._slots.give_way(session.id, lambda: session.stopping)
        except Exception:  # noqa: BLE001 - no error may end the thread without a log entry
            # The session has recorded its failure for the person; the traceback is for the operator.
            _log.exception("session %s failed", session.id)
            return False
        finally:
            self._slots.leave(session.id)
        return True

    def _close_idle(self) -> None:
        """Close the idle sessions not used lately, except those with a decision or a stop request pending."""
        resting = [
            session_id
            for session_id, session in self._sessions.items()
            if session_id not in self._working and not (session.deciding or session.stopping)
        ]
        for session_id in resting[: -self._resting]:
            self._sessions.pop(session_id).close()
            self._threads.pop(session_id, None)
