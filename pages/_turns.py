"""A few pages are drawn at a time.

Python draws one after the other anyway; many at once hold up each other at every lock that they share, and with them
the sessions that work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2
PATIENCE = 5.0
"""Seconds after which a page that is still drawn keeps no other from it: it may be waiting for somebody's server."""


class Turns:
    """Places for pages that are being drawn. A page that has one keeps it for all of its parts."""

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._at_once, self._patience = at_once, patience
        self._changed = threading.Condition()
        self._begun: dict[int, float] = {}  # when each page that is being drawn began, by its thread

    @contextmanager
    def one(self) -> Iterator[None]:
        """While this page is drawn; waits for a place, but not for ever."""
        thread = threading.get_ident()
        if thread in self._begun:
            yield
            return
        with self._changed:
            while (seconds := self._until_free()) > 0:
                self._changed.wait(seconds)
            self._begun[thread] = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                del self._begun[thread]
                self._changed.notify()

    def _until_free(self) -> float:
        """Seconds until there is a place though no page ends: some have been drawn for longer than they are given."""
        latest = sorted(self._begun.values())[-self._at_once :]
        return latest[0] + self._patience - time.monotonic() if len(latest) == self._at_once else 0


TURNS = Turns()
"""Those of this process."""
