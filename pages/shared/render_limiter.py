"""Limit how many pages are drawn at the same time.

Python draws one after the other anyway. Many at once would delay each other at every lock they share, and with them the
running sessions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SLOTS = 2
MAX_HOLD_SECONDS = 5.0
"""After this time a page no longer blocks the others: it may be waiting for somebody's server."""


class RenderSlots:
    """Slots for pages being drawn. A page that holds one keeps it for all of its parts."""

    def __init__(self, count: int = SLOTS, max_seconds: float = MAX_HOLD_SECONDS) -> None:
        self._count, self._max_seconds = count, max_seconds
        self._changed = threading.Condition()
        self._started: dict[int, float] = {}  # by thread: when its page began to be drawn

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a slot while a page is drawn. Waits for a free one, but not for ever."""
        thread = threading.get_ident()
        if thread in self._started:
            yield
            return
        with self._changed:
            while (seconds := self._until_free()) > 0:
                self._changed.wait(seconds)
            self._started[thread] = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                del self._started[thread]
                self._changed.notify()

    def _until_free(self) -> float:
        """Seconds until a slot is free even if no page ends: a page that exceeds its time no longer counts."""
        latest = sorted(self._started.values())[-self._count :]
        return latest[0] + self._max_seconds - time.monotonic() if len(latest) == self._count else 0


RENDER_SLOTS = RenderSlots()
"""The slots of this process."""
