"""A fair queue that limits how many sessions run at the same time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

SLICE = 5.0
"""Seconds that a session keeps its slot while others wait."""
_POLL_SECONDS = 0.5


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
