"""Markup of the differences between two texts."""

from __future__ import annotations

from collections.abc import Iterable

from components.look import escape
from memory_bank.text.difference import Piece


def mark_differences(pieces: Iterable[Piece]) -> str:
    """A text as escaped markup, with the pieces that the other text lacks marked."""
    return "".join(f"<mark>{escape(text)}</mark>" if differs else escape(text) for text, differs in pieces)
