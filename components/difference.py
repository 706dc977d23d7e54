"""Where two texts differ, as markup."""

from __future__ import annotations

from collections.abc import Iterable

from components.look import escape
from memory_bank.modules.difference import Piece


def marked(pieces: Iterable[Piece]) -> str:
    """A text in pieces as markup, escaped, with those that the other text lacks marked."""
    return "".join(f"<mark>{escape(text)}</mark>" if differs else escape(text) for text, differs in pieces)
