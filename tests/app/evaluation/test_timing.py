"""The order in which `bench` measures; durations do not matter here."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from memory_bank.app.evaluation.figures import TURNS, Pairs, growth, time_alternating, traced_memory


def test_what_came_first_comes_second_the_next_time() -> None:
    order: list[str] = []
    pairs = time_alternating(lambda: order.append("a"), lambda: order.append("b"), 4)
    assert "".join(order) == "abbaabba"
    assert len(pairs.values) == len(pairs.references) == 4


def test_what_was_there_before_is_not_searched_for_garbage_in_the_middle() -> None:
    kept = [[number] for number in range(100_000)]
    searched: list[bool] = []

    def search() -> None:
        gc.collect()
        searched.append(any(one is kept for one in gc.get_objects()))

    time_alternating(search, search, 2)
    assert searched == [False] * 4
    assert any(one is kept for one in gc.get_objects()), "afterwards it is as before"


def test_pairs_are_told_in_the_unit_that_is_asked_for() -> None:
    pairs = Pairs.of([(1, 2), (3, 4), (2, 1)], scale=1000)
    assert (pairs.value, pairs.reference, pairs.ratios) == (2000, 2000, (0.5, 0.75, 2))


def test_traced_memory_is_that_which_is_held() -> None:
    held: list[bytes] = []
    assert traced_memory(lambda: held.append(b"x" * 8 * 2**20)) == pytest.approx(8, abs=0.5)


def test_a_cost_that_grows_with_the_size_is_seen_and_the_first_half_is_not_timed() -> None:
    added: list[tuple[int, int]] = []

    def make() -> Callable[[int], None]:
        held = list[int]()

        def add(count: int) -> None:
            added.append((len(held), count))
            for _ in range(count):
                held[:] = [*held, 0]  # copies everything

        return add

    large, small = growth(make, small=300, large=20_000)
    assert large > 5 * small
    assert added[0] == (0, 10_000)
    assert added[1::3] == [(10_000 + 1_000 * turn, 1_000) for turn in range(TURNS)]
    assert set(added[2::3]) == {(0, 150)}
    assert set(added[3::3]) == {(150, 150)}
