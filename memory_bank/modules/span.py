"""A stretch of a text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Character offsets into a text: from `start` up to, not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the stretch itself."""
        return text[self.start : self.end]
