"""What stands for a picture, and under which title."""

from __future__ import annotations

import pytest

from memory_bank.documents.pictures import headline


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Harlow Bridge\n\nOpened to traffic in 1932.", "Harlow Bridge"),
        ("哈洛大桥\n\n1932年通车。", "哈洛大桥"),
        ("Harlow Bridge\nOpened to traffic in 1932.", None),  # one paragraph
        ("Harlow\nBridge\n\nOpened to traffic in 1932.", None),  # of two lines: it may be wrapped text
        ("The bridge was opened in 1932\n\nHarlow", None),
        ("Dear Mary,\n\nThe bridge is long.", None),
        ("The bridge is long.\n\nIt is wide.", None),
        ("Harlow Bridge", None),
        ("Harlow Bridge\n\n ", None),
        ("x" * 81 + "\n\nIt is long.", None),
        ("", None),
    ],
)
def test_the_line_above_all_else_is_the_title(text: str, title: str | None) -> None:
    assert headline(text) == title
