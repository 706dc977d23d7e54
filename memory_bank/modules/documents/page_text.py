"""The runs of letters on a page put into the order in which a person reads them.

A run is a stretch of letters on one line with no wide gap in it. Columns of prose are read one after another; what
stands beside each other otherwise is a table, and read row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median, median_low

from memory_bank.modules.wrapped import goes_on

_MOST_RUNS = 3_000
"""Runs beyond which a page is no text that a person reads; it is left in the order in which it was drawn."""
_LEAST_LINES = 3
_PROSE = 8.0
"""How many times as wide as high the lines of a column are, at the least; the cells of a table are shorter."""
_ALIGNED = 3.0
"""Points by which the lines of a column may begin apart."""
_GUTTER = 0.5
_TOUCHING = 0.4
_PARAGRAPH = 1.35
"""A line that is so many times as far below the one before as lines usually are begins a paragraph."""
_TALL = 4.0
"""A run so many times as high as others is written upwards, such as a stamp in the margin."""
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of letters on one line, and its box in points; up is more."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """Points from its bottom to its top."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Where it stands, up the page."""
        return (self.top + self.bottom) / 2


def text_of(runs: Sequence[Run]) -> str:
    """Join the runs of a page: lines by a line end, paragraphs by a blank line, cells of a table by ` | `.

    The lines of a paragraph in Chinese are joined by nothing: no space stands between its words either.
    """
    if not runs or len(runs) > _MOST_RUNS:
        return "\n".join(run.text for run in runs)
    tall = _TALL * median(run.height for run in runs)
    upright = [run for run in runs if run.height > tall and len(run.text) > 1]
    level = [run for run in runs if run.height <= tall or len(run.text) == 1]
    backwards = _is_right_to_left("".join(run.text for run in runs))
    parts = [_block_text(block, backwards=backwards) for block in _blocks(level, backwards=backwards)]
    return "\n\n".join(part for part in (*parts, *(run.text for run in upright)) if part)


def _is_right_to_left(text: str) -> bool:
    return 2 * len(_RIGHT_TO_LEFT.findall(text)) > len(_LETTER.findall(text))


# -- columns


def _blocks(runs: list[Run], *, backwards: bool) -> Iterator[list[Run]]:
    """Part the runs at columns: what spans them, then what is under it column by column, and so on down the page."""
    gutter = _gutter(runs)
    if gutter is None:
        if runs:
            yield runs
        return
    spanning = sorted((run for run in runs if _crosses(run, gutter)), key=_downwards)
    beside = [run for run in runs if not _crosses(run, gutter)]
    waiting: list[Run] = []
    for run in spanning:
        above = [one for one in beside if one.middle > run.middle]
        if above:
            if waiting:
                yield waiting
            waiting = []
            yield from _columns(above, gutter, backwards=backwards)
            beside = [one for one in beside if one.middle <= run.middle]
        waiting.append(run)
    if waiting:
        yield waiting
    yield from _columns(beside, gutter, backwards=backwards)


def _columns(runs: list[Run], gutter: float, *, backwards: bool) -> Iterator[list[Run]]:
    left = [run for run in runs if run.left < gutter - _ALIGNED]
    right = [run for run in runs if run.left >= gutter - _ALIGNED]
    for column in (right, left) if backwards else (left, right):
        yield from _blocks(column, backwards=backwards)


def _gutter(runs: list[Run]) -> float | None:
    """Where a column of prose begins that has another one on its left; `None` on a page of one column."""
    if len(runs) < 2 * _LEAST_LINES:
        return None
    found = [(_spanning(runs, start), start) for start in _starts(runs) if _parts_prose(runs, start)]
    return min(found)[1] if found else None


def _starts(runs: list[Run]) -> Iterator[float]:
    """The places where at least three lines begin."""
    lefts = sorted(run.left for run in runs)
    first = 0
    for number, left in enumerate(lefts):
        if left - lefts[first] > _ALIGNED:
            first = number
        if number - first == _LEAST_LINES - 1:
            yield lefts[first]


def _spanning(runs: list[Run], start: float) -> int:
    return sum(1 for run in runs if _crosses(run, start))


def _crosses(run: Run, start: float) -> bool:
    return run.left < start - _ALIGNED and run.right > start


def _parts_prose(runs: list[Run], start: float) -> bool:
    """Whether on both sides of a place there is prose, and a gutter between them."""
    left = [run for run in runs if run.right <= start]
    right = [run for run in runs if run.left >= start - _ALIGNED]
    if min(len(left), len(right)) < max(_LEAST_LINES, _spanning(runs, start)):
        return False
    gap = start - max(run.right for run in left)
    return gap >= _GUTTER * median(run.height for run in runs) and _is_prose(left) and _is_prose(right)


def _is_prose(runs: list[Run]) -> bool:
    return median((run.right - run.left) / max(run.height, 1.0) for run in runs) >= _PROSE


# -- lines


def _downwards(run: Run) -> tuple[float, float]:
    return -run.middle, run.left


def _block_text(runs: list[Run], *, backwards: bool) -> str:
    rows = list(_rows(runs, backwards=backwards))
    drops = [_middle(above) - _middle(below) for above, below in pairwise(rows)]
    usual = median_low(drops) if drops else 0.0
    lines = [line for stretch in _stretches(rows) for line in _lines(stretch, backwards=backwards)]
    alone = [row[0] for row in rows if len(row) == 1]
    edges = (min(run.left for run in alone), max(run.right for run in alone)) if alone else (0.0, 0.0)
    written = lines[:1]
    for drop, (above, below), line in zip(drops, pairwise(rows), lines[1:], strict=True):
        in_a_table = min(len(above), len(below)) > 1
        paragraph = drop > _PARAGRAPH * usual and not in_a_table
        written += ["\n\n" if paragraph else "" if _is_wrapped(above, below, edges) else "\n", line]
    return "".join(written)


def _is_wrapped(above: list[Run], below: list[Run], edges: tuple[float, float]) -> bool:
    if len(above) > 1 or len(below) > 1:
        return False
    (line,), (following,) = above, below
    places = (line.left, line.right), (following.left, following.right)
    return goes_on(line.text, following.text, places, edges)


def _stretches(rows: list[list[Run]]) -> Iterator[list[list[Run]]]:
    """Part the rows into tables and the rest: rows of several runs that follow each other are a table."""
    for _several, stretch in groupby(rows, key=lambda row: len(row) > 1):
        yield list(stretch)


def _lines(rows: list[list[Run]], *, backwards: bool) -> Iterator[str]:
    """Write each row as a line. Rows of one run are no table, nor a row alone: the number at the end of a line, say."""
    if len(rows) == 1 or len(rows[0]) == 1:
        for row in rows:
            yield " ".join(run.text for run in sorted(row, key=_leftmost, reverse=backwards))
        return
    columns = _table_columns(rows)
    for row in rows:
        cells = [""] * len(columns)
        for run in row:
            column = next((at for at, (_left, right) in enumerate(columns) if run.left <= right), -1)
            cells[column] = f"{cells[column]} {run.text}".strip()
        yield " | ".join(reversed(cells) if backwards else cells).strip()


def _table_columns(rows: list[list[Run]]) -> list[tuple[float, float]]:
    """Where the columns lie from left to right: stretches that no run leaves but one over several cells."""
    columns: list[tuple[float, float]] = []
    in_one_column = (run for row in rows for run in row if not any(_spans(run, other) for other in rows))
    for run in sorted(in_one_column, key=_leftmost):
        if columns and run.left <= columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], run.right))
        else:
            columns.append((run.left, run.right))
    return columns


def _spans(run: Run, row: list[Run]) -> bool:
    """Whether a run stands over or under several of a row."""
    return sum(1 for other in row if other.left < run.right and run.left < other.right) > 1


def _middle(row: list[Run]) -> float:
    return row[0].middle


def _rows(runs: list[Run], *, backwards: bool) -> Iterator[list[Run]]:
    """Group the runs that stand on one line, from the top; in a row from the left."""
    row: list[Run] = []
    for run in sorted(runs, key=_downwards):
        if row and not _on_one_line(row[0], run):
            yield _joined(row, backwards=backwards)
            row = []
        row.append(run)
    if row:
        yield _joined(row, backwards=backwards)


def _joined(row: list[Run], *, backwards: bool) -> list[Run]:
    """Sort a row from the left and make one run of those that nearly touch: a number and its footnote's."""
    joined: list[Run] = []
    for run in sorted(row, key=_leftmost):
        last = joined[-1] if joined else None
        if last is not None and run.left - last.right <= _TOUCHING * max(last.height, run.height):
            bottom, top = min(last.bottom, run.bottom), max(last.top, run.top)
            text = f"{run.text} {last.text}" if backwards else f"{last.text} {run.text}"
            joined[-1] = Run(text, last.left, bottom, max(last.right, run.right), top)
        else:
            joined.append(run)
    return joined


def _leftmost(run: Run) -> float:
    return run.left


def _on_one_line(run: Run, other: Run) -> bool:
    shared = min(run.top, other.top) - max(run.bottom, other.bottom)
    return shared >= 0.5 * min(run.height, other.height)
