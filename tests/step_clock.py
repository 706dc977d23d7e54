"""A clock that advances in steps, so that a run is reproducible to the byte."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory_bank.bank.clock import Clock


class StepClock(Clock):
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
