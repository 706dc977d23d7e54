"""Clocks: the system clock, and one that advances in steps so that an offline run is reproducible to the byte."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class SystemClock:
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


class StepClock:
    """A clock that advances by one step at each call of `now`, and whose `elapsed` is always zero.

    Two runs with a fresh `StepClock` write the same bytes.
    """

    def __init__(self, start: datetime = datetime(2024, 1, 1, tzinfo=UTC), step: float = 1.0) -> None:
        self._now = start
        self._step = timedelta(seconds=step)

    def now(self) -> datetime:
        """The time of the last reading plus one step."""
        self._now += self._step
        return self._now

    def elapsed(self) -> float:
        """Always 0.0: durations are not reproducible, so they are left out."""
        return 0.0

    def sleep(self, seconds: float) -> None:
        """Advance the time of day without waiting."""
        self._now += timedelta(seconds=seconds)


Clock = SystemClock | StepClock
"""The time source of a session."""
