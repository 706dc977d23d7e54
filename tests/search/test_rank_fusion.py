"""Rank fusion: worked examples and properties."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.search.ranking import RANK_CONSTANT, fuse

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=5)


@pytest.mark.parametrize(
    ("rankings", "expected"),
    [
        ([], []),
        ([[]], []),
        ([["a", "b"]], ["a", "b"]),
        ([["a", "b"], ["b", "a"]], ["a", "b"]),  # a tie: in the order of appearance
        ([["a", "b", "c"], ["c", "b"]], ["c", "b", "a"]),  # both found them
        ([["a", "x", "y", "z"], ["b", "x", "y", "z"]], ["x", "y", "a", "z", "b"]),
    ],
)
def test_what_several_rankings_have_near_the_top_comes_first(rankings: list[list[str]], expected: list[str]) -> None:
    assert list(fuse(rankings)) == expected


def test_first_in_every_ranking_weighs_one() -> None:
    assert fuse([["a", "b"], ["a", "c"]]) == {
        "a": 1.0,
        "b": RANK_CONSTANT / (RANK_CONSTANT + 1) / 2,
        "c": RANK_CONSTANT / (RANK_CONSTANT + 1) / 2,
    }


def test_an_item_counts_once_in_a_ranking() -> None:
    assert fuse([["a", "a", "b"]]) == fuse([["a", "b"]])


@given(RANKINGS)
def test_fusion_keeps_every_item_and_weighs_by_falling_order(rankings: Sequence[Sequence[str]]) -> None:
    fused = fuse(rankings)
    assert set(fused) == {item for ranking in rankings for item in ranking}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
    assert all(0 < weight <= 1 for weight in fused.values())
