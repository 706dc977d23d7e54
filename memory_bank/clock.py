"""Time as something handed in, so that an offline run can be reproduced to the byte."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where a session reads the time."""

    def now(self) -> datetime:
        """The time of day, UTC."""
        ...

    def elapsed(self) -> float:
        """Seconds since an arbitrary point, never going back; for durations."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The time of day, UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Seconds of the performance counter."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait as long."""
        time.sleep(seconds)


class StepClock:
    """A clock that advances by one step for each reading of `now` and stands still for durations.

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
        """Wait for nothing, and say so by the time of day."""
        self._now += timedelta(seconds=seconds)
