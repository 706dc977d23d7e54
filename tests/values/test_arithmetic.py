from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.values.arithmetic import comes_out, difference_and_sum, numerals


@pytest.mark.parametrize(
    ("first", "second", "computed"),
    [
        ("It cost £4,200.", "It cost £4,800.", "difference £600, sum £9,000"),
        ("It is 3.5 km long.", "It is 1.25 km long.", "difference 2.25 km, sum 4.75 km"),
        ("It is 3 km long.", "It cost £3.", None),
    ],
)
def test_two_figures_of_one_unit_are_computed_with(first: str, second: str, computed: str | None) -> None:
    (one,), (other,) = numerals(first), numerals(second)
    assert difference_and_sum(one, other) == computed


@given(st.integers(10, 9_999_999), st.integers(10, 9_999_999))
def test_what_was_computed_comes_out_and_nothing_else(one: int, other: int) -> None:
    passages = [f"It is {one:,} metres long.", f"That is {other:,} metres long."]
    label = difference_and_sum(numerals(passages[0])[0], numerals(passages[1])[0])
    quoted = " ".join(f"“{passage}”" for passage in passages)
    assert comes_out(f"{label}: {quoted}", passages)
    assert not comes_out(f"difference {abs(one - other) + 1:,} metres, sum 1 metres: {quoted}", passages)
    assert comes_out(quoted, passages)
