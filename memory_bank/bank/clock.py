"""The time source of a session."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The system clock."""

    def now(self) -> datetime:
        """The time of day, UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Seconds since an arbitrary point, to measure durations."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait for that many seconds."""
        time.sleep(seconds)
