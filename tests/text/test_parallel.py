"""Work side by side: its order, its bounds, and what becomes of it when nobody waits any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.parallel import in_order, loaded_once

WAIT = 10.0
"""Seconds after which a test that waits for another thread fails."""


def never(_result: object) -> None:
    pytest.fail("nothing was late")


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("judge")]


def gives(value: int) -> Callable[[], int]:
    return lambda: value


def fails() -> int:
    raise ValueError("two")


@given(st.lists(st.integers(), max_size=12), st.integers(1, 5))
def test_results_come_in_the_order_of_the_work(values: list[int], limit: int) -> None:
    assert list(in_order(map(gives, values), limit, never)) == values
    assert threads() == []


def test_whatever_ends_first_comes_in_its_place() -> None:
    second_is_done = threading.Event()

    def first() -> str:
        assert second_is_done.wait(WAIT)
        return "first"

    def second() -> str:
        second_is_done.set()
        return "second"

    assert list(in_order([first, second], 2, never)) == ["first", "second"]


def test_as_many_as_the_limit_run_at_a_time_and_never_more() -> None:
    limit, running, most = 3, 0, 0
    lock, together = threading.Lock(), threading.Barrier(3)

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(WAIT)  # passed only by three at once
        with lock:
            running -= 1

    assert len(list(in_order([work] * 9, limit, never))) == 9
    assert most == limit


def test_work_is_taken_only_when_there_is_room() -> None:
    taken: list[int] = []

    def work() -> Iterator[Callable[[], int]]:
        for number in range(6):
            taken.append(number)
            yield gives(number)

    with closing(in_order(work(), 2, lambda _result: None)) as results:
        assert taken == []
        assert next(results) == 0
        assert taken == [0, 1]
        assert next(results) == 1
        assert taken == [0, 1, 2]


def test_an_exception_is_raised_in_its_place_and_the_rest_is_late() -> None:
    late: list[int] = []
    results = in_order([gives(1), fails, gives(3), gives(4)], 3, late.append)
    assert next(results) == 1
    with pytest.raises(ValueError, match="two"):
        next(results)
    assert late[0] == 3
    assert threads() == []


def test_who_stops_early_hands_over_what_is_running_in_order() -> None:
    released = threading.Event()
    late: list[int] = []

    def waits(value: int) -> Callable[[], int]:
        return lambda: value if released.wait(WAIT) else -1

    results = in_order([gives(1), waits(2), waits(3), gives(4)], 3, late.append)
    assert next(results) == 1
    released.set()
    results.close()
    assert late == [2, 3]
    assert threads() == []


def test_so_does_work_that_cannot_go_on() -> None:
    late: list[int] = []

    def work() -> Iterator[Callable[[], int]]:
        yield gives(1)
        yield gives(2)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        list(in_order(work(), 4, late.append))
    assert late == [1, 2]
    assert threads() == []


def test_a_failure_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    late: list[int] = []
    results = in_order([gives(1), fails, gives(3)], 3, late.append)
    next(results)
    results.close()
    assert late == [3]
    assert "no longer waited for" in caplog.text


def test_one_that_is_never_begun_does_nothing() -> None:
    done: list[int] = []
    in_order([lambda: done.append(1)], 2, never).close()
    assert done == []
    assert list(in_order([], 2, never)) == []


def test_what_several_threads_need_at_once_is_loaded_once() -> None:
    begun: list[str] = []

    @loaded_once
    def model(name: str) -> list[str]:
        begun.append(name)
        time.sleep(0.05)
        return [name]

    first, second, other = in_order([lambda: model("a"), lambda: model("a"), lambda: model("b")], 3, never)
    assert first is second
    assert (first, other, sorted(begun)) == (["a"], ["b"], ["a", "b"])


def test_what_could_not_be_loaded_is_tried_again() -> None:
    begun: list[None] = []

    @loaded_once
    def model() -> int:
        begun.append(None)
        return 1 // (len(begun) - 1)

    with pytest.raises(ZeroDivisionError):
        model()
    assert (model(), model(), len(begun)) == (1, 1, 2)
