"""Markdown's marks of emphasis, which say nothing: `**bold**`, `*italic*`, `__bold__`, `_italic_`."""

from __future__ import annotations

import re

_MARKS = re.compile(r"\*\*\*?|(?<![^\s|(\[\"'“‘])[*_]{1,2}(?=[\w\"'“‘(])|(?<=[\w.,;:!?%)\"'”’。！？：])[*_]{1,2}(?!\w)")


def without_emphasis(text: str) -> str:
    """A text with a blank in place of each character that marks emphasis, so that everything stays where it is."""
    return _MARKS.sub(lambda marks: " " * len(marks[0]), text)
