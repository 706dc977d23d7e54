from __future__ import annotations

import numpy as np
import pytest

from memory_bank.search.ranking import highest, scaled_by_rank


@pytest.mark.parametrize(("count", "expected"), [(1, [1]), (2, [1, 3]), (3, [0, 1, 3, 4]), (9, [0, 1, 2, 3, 4])])
def test_the_highest_and_what_equals_the_lowest_of_them(count: int, expected: list[int]) -> None:
    assert highest(np.array([2.0, 9.0, 1.0, 5.0, 2.0]), count).tolist() == expected


def test_ranks_and_not_distances_count_and_equals_stay_equal() -> None:
    near = scaled_by_rank(np.array([0.9, 0.8, 0.8, 0.1]), np.array([0.9, 0.8, 0.8, 0.1]), last=3)
    far = scaled_by_rank(np.array([900.0, 8.0, 8.0, 1.0]), np.array([900.0, 8.0, 8.0, 1.0]), last=3)
    assert (near == far).all()
    assert near[0] == 1
    assert near[1] == near[2]
    assert near[3] == 0


def test_the_ninth_weighs_half_where_there_is_no_last() -> None:
    head = np.arange(20.0)[::-1]
    assert scaled_by_rank(head, head, last=None)[8] == 0.5


def test_a_single_candidate_is_the_best() -> None:
    assert scaled_by_rank(np.array([3.0]), np.array([3.0]), last=0).tolist() == [1.0]
