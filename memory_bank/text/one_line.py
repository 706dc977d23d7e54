"""Make text from outside safe to show on one line of a terminal or a page."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text on one line: runs of white space and control characters, which a terminal would obey, become a space."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
