"""Marks of emphasis become blanks, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.emphasis import without_emphasis


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Keep out!** It is wet.", "  Keep out!   It is wet."),
        ("*so* and __very__ _much_", " so  and   very    much "),
        ("| **2015** | *Scope* |", "|   2015   |  Scope  |"),
        ("**开放时间：** 九点", "  开放时间：   九点"),
    ],
)
def test_marks_of_emphasis_become_blanks(text: str, plain: str) -> None:
    assert without_emphasis(text) == plain


@pytest.mark.parametrize("text", ["snake_case", "3 * 4 = 12", "a*b*c", "* an entry", "- _ -"])
def test_other_stars_and_lines_stay(text: str) -> None:
    assert without_emphasis(text) == text


@given(st.text(alphabet="ab *_.,(\n你。"))
def test_everything_else_stays_where_it_is(text: str) -> None:
    plain = without_emphasis(text)
    assert len(plain) == len(text)
    assert all(now == was or (was in "*_" and now == " ") for was, now in zip(text, plain, strict=True))
