"""What fits into a limited room."""

from __future__ import annotations

from memory_bank.text.fitting import packed, those_fitting


def test_what_is_too_large_is_passed_over_and_what_follows_may_still_fit() -> None:
    assert those_fitting(["aaa", "bbbb", "cc", "d"], 6, len) == ["aaa", "cc", "d"]
    assert those_fitting(["aaa"], 2, len) == those_fitting([], 2, len) == []


def test_groups_hold_as_many_as_fit_in_order_and_at_least_one() -> None:
    assert list(packed(["aa", "b", "cccc", "d", "ee"], 3, len)) == [["aa", "b"], ["cccc"], ["d", "ee"]]
    assert list(packed([], 3, len)) == []
