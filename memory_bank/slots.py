"""How many sessions work at a time: who waits comes in the order of asking, and nobody keeps others waiting long."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

SLICE = 5.0
"""Seconds that one works on, once others wait."""
_LOOK = 0.5


class Slots:
    """A fair queue for a limited number of places. For threads: each enters under its own name."""

    def __init__(self, limit: int, *, seconds: float = SLICE, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._slice, self._clock = limit, seconds, clock
        self._waiting: deque[str] = deque()
        self._since: dict[str, float] = {}
        self._changed = threading.Condition()

    def place(self, name: str) -> int | None:
        """Which in the queue somebody is, from 1; None for who does not wait."""
        with self._changed:
            return self._waiting.index(name) + 1 if name in self._waiting else None

    def enter(self, name: str, at_once: Callable[[], bool] = lambda: False) -> None:
        """Wait for a place. Who only comes to end (`at_once`) does not wait for one any longer."""
        with self._changed:
            self._waiting.append(name)
            while not (self._free > 0 and self._waiting[0] == name) and not at_once():
                self._changed.wait(_LOOK)  # nobody tells when `at_once` comes to hold
            self._waiting.remove(name)
            self._free -= 1
            self._since[name] = self._clock()
            self._changed.notify_all()

    def leave(self, name: str) -> None:
        """Give the place free."""
        with self._changed:
            del self._since[name]
            self._free += 1
            self._changed.notify_all()

    def give_way(self, name: str, at_once: Callable[[], bool] = lambda: False) -> None:
        """To the end of the queue with who had a place for long while others wait."""
        with self._changed:
            over = self._clock() - self._since[name] >= self._slice
            if not (self._waiting and over and self._free <= 0):
                return
        self.leave(name)
        self.enter(name, at_once)
