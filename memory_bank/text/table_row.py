"""The cells of a table's row that is written with bars."""

from __future__ import annotations

import re
from itertools import pairwise

from memory_bank.text.span import Span

_BAR = re.compile(r"(?<!\\)\|")


def cells_between_bars(row: str) -> list[Span]:
    """The cells of a row with the blanks around them, without what is blank outside the first and the last bar.

    A bar after a backslash is none between two cells.
    """
    bars = [-1, *(bar.start() for bar in _BAR.finditer(row)), len(row)]
    cells = [Span(before + 1, after) for before, after in pairwise(bars)]
    for outer in (0, -1):
        if len(cells) > 1 and not cells[outer].of(row).strip():
            del cells[outer]
    return cells
