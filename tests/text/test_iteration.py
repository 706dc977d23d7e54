"""Groups of neighbours, what fits into a limited room, and what a generator returns at its end."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.iteration import Returning, grouped, packed, those_fitting


def counting(end: int) -> Generator[int, None, str]:
    yield from range(end)
    return f"counted to {end}"


@pytest.mark.parametrize("end", [0, 1, 5])
def test_what_is_yielded_comes_and_then_what_is_returned(end: int) -> None:
    counted = Returning(counting(end))
    assert list(counted) == list(range(end))
    assert counted.result == f"counted to {end}"


def test_there_is_no_result_before_the_end() -> None:
    counted = Returning(counting(2))
    assert next(iter(counted)) == 0
    with pytest.raises(AttributeError):
        _ = counted.result


def test_an_error_on_the_way_is_raised_where_it_comes_up() -> None:
    def failing() -> Generator[int, None, str]:
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(Returning(failing()))


@given(st.lists(st.integers(0, 9)), st.integers(0, 20))
def test_the_groups_are_the_sequence_and_each_begins_where_it_should(numbers: list[int], most: int) -> None:
    def is_full(group: list[int], number: int) -> bool:
        return sum(group) + number > most

    groups = list(grouped(numbers, is_full))
    assert [number for group in groups for number in group] == numbers
    assert all(groups)
    for group, following in pairwise(groups):
        assert is_full(group, following[0])
    assert not any(is_full(group[:end], group[end]) for group in groups for end in range(1, len(group)))


def test_what_is_too_large_is_passed_over_and_what_follows_may_still_fit() -> None:
    assert those_fitting(["aaa", "bbbb", "cc", "d"], 6, len) == ["aaa", "cc", "d"]
    assert those_fitting(["aaa"], 2, len) == those_fitting([], 2, len) == []


def test_groups_hold_as_many_as_fit_in_order_and_at_least_one() -> None:
    assert list(packed(["aa", "b", "cccc", "d", "ee"], 3, len)) == [["aa", "b"], ["cccc"], ["d", "ee"]]
    assert list(packed([], 3, len)) == []
