"""Make text from outside safe to show on one line of a terminal or a page."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text on one line: runs of white space and control characters, which a terminal would obey, become a space.

    What is on one line already is returned as it is, so that a text of ours (`Wording`) stays one.
    """
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return text if line == text else line
