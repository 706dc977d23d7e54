"""Markdown's marks of emphasis, which say nothing: `**bold**`, `*italic*`, `__bold__`, `_italic_`."""

from __future__ import annotations

import re

_MARKS = re.compile(
    r"(?<![^\s|(\[\"'“‘*_])[*_]{1,3}(?=[\w\"'“‘(*_])"  # before a word
    r"|(?<=[\w.,;:!?%)\"'”’。！？：*_])[*_]{1,3}(?![\w*_])"  # after one
    r"|(?<=[\u3000-\u9fff])\*{2,3}(?=\S)|(?<=\S)\*{2,3}(?=[\u3000-\u9fff])"  # Chinese has no blanks
)


def without_emphasis(text: str) -> str:
    """A text with a blank in place of each star or line where a mark of emphasis stands; nothing else moves."""
    return _MARKS.sub(lambda marks: " " * len(marks[0]), text)
