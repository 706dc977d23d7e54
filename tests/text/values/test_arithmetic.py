from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.values.arithmetic import difference_and_sum, is_computed_correctly, numerals


@pytest.mark.parametrize(
    ("first", "second", "computed"),
    [
        ("It cost £4,200.", "It cost £4,800.", "difference £600, sum £9,000"),
        ("It is 3.5 km long.", "It is 1.25 km long.", "difference 2.25 km, sum 4.75 km"),
        ("It is 8\u00a0849 m high.", "It is 9 849 m high.", "difference 1,000 m, sum 18,698 m"),
        ("It is 3 km long.", "It cost £3.", None),
    ],
)
def test_two_figures_of_one_unit_are_computed_with(first: str, second: str, computed: str | None) -> None:
    (one,), (other,) = numerals(first), numerals(second)
    assert difference_and_sum(one, other) == computed


BAND, TENT, POSTERS = "| Band | £300 | 5 |", "| Tent | £120 | 4 |", "| Posters | £45.50 | 1 |"


@pytest.mark.parametrize(
    ("label", "passages", "right"),
    [
        ("sum £465.5", [TENT, BAND, POSTERS], True),
        ("sum £466.5", [TENT, BAND, POSTERS], False),
        ("3 items, sum £465.5", [TENT, BAND, POSTERS], True),
        ("3 items, sum £420", [TENT, BAND, POSTERS], False),
        ("2 items, sum £465.5", [TENT, BAND, POSTERS], False),
        ("3 items", ["a jar", "a label", "a chair"], True),
        ("4 items", ["a jar", "a label", "a chair"], False),
        ("difference 77 days", ["It began on 3 February 2024.", "It ended on 20 April 2024."], True),
        ("difference 76 days", ["It began on 3 February 2024.", "It ended on 20 April 2024."], False),
        ("difference 77 days", ["It began on 3 February 2024."], False),
        ("difference 39 days", ["It came on 3 April.", "It is painted on 12 May."], True),
        ("difference 39 days", ["It came on 3 April 2024.", "It is painted on 12 May."], True),
        ("difference 30 days", ["It came on 3 February.", "It is painted on 5 March."], False),
        ("difference 31 days", ["It came on 3 February 2024.", "It is painted on 5 March."], True),
        ("difference £180", [TENT, BAND], True),
        ("difference £181", [TENT, BAND], False),
        ("difference £180, sum £420", [TENT, BAND], True),
        ("summer fair", ["It began on 3 February 2024."], True),
    ],
)
def test_every_kind_of_label_is_computed_again(label: str, passages: list[str], *, right: bool) -> None:
    quoted = " ".join(f"“{passage}”" for passage in passages)
    assert is_computed_correctly(f"{label}: {quoted}", passages) is right


@given(st.integers(10, 9_999_999), st.integers(10, 9_999_999))
def test_what_was_computed_comes_out_and_nothing_else(one: int, other: int) -> None:
    passages = [f"It is {one:,} metres long.", f"That is {other:,} metres long."]
    label = difference_and_sum(numerals(passages[0])[0], numerals(passages[1])[0])
    quoted = " ".join(f"“{passage}”" for passage in passages)
    assert is_computed_correctly(f"{label}: {quoted}", passages)
    assert not is_computed_correctly(f"difference {abs(one - other) + 1:,} metres, sum 1 metres: {quoted}", passages)
    assert is_computed_correctly(quoted, passages)
