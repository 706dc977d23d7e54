"""Neighbours that belong together form a group."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.grouping import grouped


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
