from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.clock import Clock
from tests.step_clock import StepClock


def test_the_system_clock_tells_the_time_in_utc() -> None:
    before = datetime.now(UTC)
    now = Clock().now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


def test_durations_never_go_back() -> None:
    clock = Clock()
    readings = [clock.elapsed() for _ in range(100)]
    assert readings == sorted(readings)


@given(st.integers(1, 50), st.sampled_from([0.001, 0.5, 1.0, 60.0]))
def test_a_step_clock_advances_by_its_step_whatever_the_machine_does(readings: int, step: float) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    clock = StepClock(start, step)
    assert [clock.now() for _ in range(readings)] == [
        start + timedelta(seconds=step) * n for n in range(1, readings + 1)
    ]
    assert clock.elapsed() == clock.elapsed() == 0.0


def test_two_fresh_step_clocks_agree() -> None:
    first, second = StepClock(), StepClock()
    assert [first.now() for _ in range(3)] == [second.now() for _ in range(3)]
