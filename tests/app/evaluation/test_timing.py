"""The order in which `bench` measures; durations do not matter here."""

from __future__ import annotations

import gc
from contextlib import nullcontext

from memory_bank.app.evaluation.figures import TURNS, Pairs, growth, time_alternating


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


def test_of_either_size_as_many_are_timed_and_none_waits_for_the_other_to_end() -> None:
    added: list[tuple[int, int]] = []

    class Bank:
        def __init__(self) -> None:
            self.size = 0

        def add(self, count: int) -> None:
            added.append((self.size, count))
            self.size += count

    growth(lambda: nullcontext(Bank()), small=10, large=100)
    large = [(start, count) for start, count in added if start >= 50]
    small = [(start, count) for start, count in added if (start, count) == (5, 5)]
    assert large == [(50 + 5 * turn, 5) for turn in range(TURNS)]
    assert len(small) == TURNS
    assert added[0] == (0, 50)  # not timed, like the first half of each small one
    assert added[1::3] == large  # each part of the growth, then the two halves of a small one


def test_a_cost_that_grows_with_the_size_is_seen() -> None:
    class Slowing:
        def __init__(self) -> None:
            self.held = list[int]()

        def add(self, count: int) -> None:
            for _ in range(count):
                self.held = [*self.held, 0]  # copies everything

    large, small = growth(lambda: nullcontext(Slowing()), small=300, large=30_000)
    assert large > 5 * small
