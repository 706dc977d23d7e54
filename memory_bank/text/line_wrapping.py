"""Decide whether a line of Chinese continues on the next: there are no spaces between words to show it."""

from __future__ import annotations

import re

_MIN_LINE = 8
"""The fewest characters of a line of running text."""
_TOLERANCE = 1.5
"""How many characters a line may end before the right edge, or begin after the left one, within a paragraph."""
_CJK = "\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
"""Characters that are written without spaces between words, including Japanese."""
_LINE_BREAK = re.compile(rf"[{_CJK}\d]\n(?:[{_CJK}]|(?P<figure>\d[\d.,]{{0,20}})[\u3400-\u9fff])")
"""A number at the start of a line must be followed by the word it counts; a list number is not."""

Stretch = tuple[float, float]
"""The left and right end of a line or block."""


def continues_on_next_line(above: str, below: str, places: tuple[Stretch, Stretch], edges: Stretch) -> bool:
    """Whether the line `above` continues in `below`: both Chinese, the first full, the second not indented.

    `places` are the ends of the two lines, `edges` those of their block, in any unit.
    """
    line_break = _LINE_BREAK.match(f"{above[-1:]}\n{below}")
    if len(above) < _MIN_LINE or line_break is None:
        return False
    (above_start, above_end), (below_start, _below_end) = places
    character = (above_end - above_start) / len(above)
    # A number is never split between lines, so the line above may be shorter by as much.
    is_full = edges[1] - above_end <= (_TOLERANCE + len(line_break["figure"] or "")) * character
    return is_full and below_start - edges[0] <= _TOLERANCE * character
