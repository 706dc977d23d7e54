"""Text from outside on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.wording import one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("  a  b ", "a b"),
        ("a\r\nb\tc", "a b c"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u2028b\u202ec\u00a0d", "a b c d"),
        ("中文 é 😀", "中文 é 😀"),
    ],
)
def test_a_text_is_put_on_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text())
def test_a_line_is_printable_and_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert one_line(line) == line
    assert [each for each in line if each != " "] == [each for each in text if each.isprintable() and each != " "]
