"""Text from outside, made fit for a line of a terminal or a page."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text on one line: whitespace is one space, and control characters, which would act on a terminal, too."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())
