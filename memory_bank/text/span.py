"""Spans of a text, and whether they overlap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Character offsets into a text: from `start` up to, not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The text of the span."""
        return text[self.start : self.end]


def overlaps_any(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether the characters `start` to `end` have one in common with any of the spans."""
    return any(start < other_end and other_start < end for other_start, other_end in spans)
