"""A few pages are drawn at a time.

Python draws one after the other anyway; many at once hold up each other at every lock that they share, and with them
the sessions that work.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2
PATIENCE = 5.0
"""Seconds after which a page is drawn though no other has ended: one may be waiting for somebody's server."""


class Turns:
    """Places for pages that are being drawn. A page that has one keeps it for all of its parts."""

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._places, self._patience = threading.Semaphore(at_once), patience
        self._mine = threading.local()

    @contextmanager
    def one(self) -> Iterator[None]:
        """While this page is drawn; waits for a place, but not for ever."""
        if getattr(self._mine, "drawing", False):
            yield
            return
        entered = self._places.acquire(timeout=self._patience)
        self._mine.drawing = True
        try:
            yield
        finally:
            self._mine.drawing = False
            if entered:
                self._places.release()


TURNS = Turns()
"""Those of this process."""
