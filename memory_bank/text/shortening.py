"""Shorten a text to a maximum size, in tokens or characters."""

from __future__ import annotations

from collections.abc import Callable

from memory_bank.text.sentences import inside_word, sentences

SHORTEST_BODY = 40
"""The fewest tokens to which a body is shortened."""

Count = Callable[[str], int]
"""The size of a text, in tokens or characters."""


def shorten(text: str, size: int, count: Count = len) -> str:
    """The beginning of a text, of at most `size`: whole sentences or, if the first is too long, whole words and "…"."""
    if count(text) <= size:
        return text
    ends = [span.end for span in sentences(text)]
    fitting = largest_fitting(0, len(ends), lambda number: number == 0 or count(text[: ends[number - 1]]) <= size)
    if fitting:
        return text[: ends[fitting - 1]]
    starts = ["", *(text[:end].rstrip() for end in range(1, ends[0] if ends else 0) if not inside_word(text, end))]
    return f"{starts[largest_fitting(0, len(starts) - 1, lambda number: count(f'{starts[number]}…') <= size)]}…"


def largest_fitting(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The largest number from `low` to `high` that fits, found by bisection; `low` if none does."""
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
