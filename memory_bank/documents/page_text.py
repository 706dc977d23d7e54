"""Group the letters of a PDF page into runs, and join these in reading order.

A run is a sequence of letters on one line without a wide gap. Columns of prose are read one after another; other runs
side by side are a table, read row by row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import inf
from operator import attrgetter
from statistics import median, median_low
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from memory_bank.text.iteration import grouped
from memory_bank.text.line_wrapping import continues_on_next_line

_MAX_RUNS = 3_000
"""A page with more runs is not text for people; it is left in drawing order."""
_MIN_LINES = 3
_MIN_PROSE_RATIO = 8.0
"""Lines of a prose column are at least so many times as wide as high; the cells of a table are shorter."""
_ALIGNED = 3.0
"""Points by which the left edges of the lines of a column may differ."""
_MIN_GUTTER = 0.5
_TOUCHING = 0.4
_PARAGRAPH_DISTANCE = 1.35
"""A paragraph begins where the line distance is so many times the usual one."""
_TALL = 4.0
"""A run so many times as high as the others is vertical, such as a stamp in the margin."""
_MAX_CHARACTERS = 200_000
"""Characters read of a page; nobody could read a page with more."""
_GAP = 1.2
"""A gap wider than so many times the line height separates two runs."""
_HYPHENS = (0x2, 0xFFFE)
"""Codes that PDFium gives for a hyphen at the end of a line."""
_LINE_ENDS = (0xA, 0xD)
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LETTER = re.compile(r"[^\W\d_]")


class Run(NamedTuple):
    """A letter or a sequence of letters on one line, and its box in points, with the y axis pointing up."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """The height in points."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """The y coordinate of its middle."""
        return (self.top + self.bottom) / 2


_left_edge = attrgetter("left")


def text_of(runs: Sequence[Run]) -> str:
    """Join the runs of a page: lines by a line end, paragraphs by a blank line, table cells by ` | `.

    The lines of a Chinese paragraph are joined without a separator, because Chinese has no spaces between words.
    """
    if not runs or len(runs) > _MAX_RUNS:
        return "\n".join(run.text for run in runs)
    tall = _TALL * median(run.height for run in runs)
    vertical = [run for run in runs if run.height > tall and len(run.text) > 1]
    horizontal = [run for run in runs if run.height <= tall or len(run.text) == 1]
    whole = "".join(run.text for run in runs)
    right_to_left = 2 * len(_RIGHT_TO_LEFT.findall(whole)) > len(_LETTER.findall(whole))
    parts = [
        _block_text(block, right_to_left=right_to_left) for block in _blocks(horizontal, right_to_left=right_to_left)
    ]
    return "\n\n".join(part for part in (*parts, *(run.text for run in vertical)) if part)


# -- columns


def _blocks(runs: list[Run], *, right_to_left: bool) -> Iterator[list[Run]]:
    """Yield blocks in reading order: down the page, the runs that span the columns, then the columns below them."""
    gutter = _gutter(runs)
    if gutter is None:
        if runs:
            yield runs
        return
    spanning = sorted((run for run in runs if _crosses(run, gutter)), key=_top_down)
    in_columns = [run for run in runs if not _crosses(run, gutter)]
    pending: list[Run] = []
    for run in spanning:
        above = [other for other in in_columns if other.middle > run.middle]
        if above:
            if pending:
                yield pending
            pending = []
            yield from _columns(above, gutter, right_to_left=right_to_left)
            in_columns = [other for other in in_columns if other.middle <= run.middle]
        pending.append(run)
    if pending:
        yield pending
    yield from _columns(in_columns, gutter, right_to_left=right_to_left)


def _columns(runs: list[Run], gutter: float, *, right_to_left: bool) -> Iterator[list[Run]]:
    left = [run for run in runs if run.left < gutter - _ALIGNED]
    right = [run for run in runs if run.left >= gutter - _ALIGNED]
    for column in (right, left) if right_to_left else (left, right):
        yield from _blocks(column, right_to_left=right_to_left)


def _gutter(runs: list[Run]) -> float | None:
    """The x coordinate where a column of prose begins that has another on its left; `None` for a single column."""
    if len(runs) < 2 * _MIN_LINES:
        return None
    candidates = [(_count_spanning(runs, start), start) for start in _line_starts(runs) if _splits_prose(runs, start)]
    return min(candidates)[1] if candidates else None


def _line_starts(runs: list[Run]) -> Iterator[float]:
    """Yield the x coordinates where at least three lines begin."""
    lefts = sorted(run.left for run in runs)
    first = 0
    for number, left in enumerate(lefts):
        if left - lefts[first] > _ALIGNED:
            first = number
        if number - first == _MIN_LINES - 1:
            yield lefts[first]


def _count_spanning(runs: list[Run], start: float) -> int:
    return sum(1 for run in runs if _crosses(run, start))


def _crosses(run: Run, start: float) -> bool:
    return run.left < start - _ALIGNED and run.right > start


def _splits_prose(runs: list[Run], start: float) -> bool:
    """Whether there is prose on both sides of an x coordinate, with a gutter between."""
    left = [run for run in runs if run.right <= start]
    right = [run for run in runs if run.left >= start - _ALIGNED]
    if min(len(left), len(right)) < max(_MIN_LINES, _count_spanning(runs, start)):
        return False
    gap = start - max(run.right for run in left)
    return gap >= _MIN_GUTTER * median(run.height for run in runs) and _is_prose(left) and _is_prose(right)


def _is_prose(runs: list[Run]) -> bool:
    return median((run.right - run.left) / max(run.height, 1.0) for run in runs) >= _MIN_PROSE_RATIO


# -- lines


def _top_down(run: Run) -> tuple[float, float]:
    return -run.middle, run.left


def _block_text(runs: list[Run], *, right_to_left: bool) -> str:
    rows = list(_rows(runs, right_to_left=right_to_left))
    distances = [above[0].middle - below[0].middle for above, below in pairwise(rows)]
    usual = median_low(distances) if distances else 0.0
    groups = [list(group) for _several, group in groupby(rows, key=lambda row: len(row) > 1)]  # tables and the rest
    lines = [line for group in groups for line in _lines(group, right_to_left=right_to_left)]
    single = [row[0] for row in rows if len(row) == 1]
    edges = (min(run.left for run in single), max(run.right for run in single)) if single else (0.0, 0.0)
    pieces = lines[:1]
    for distance, (above, below), line in zip(distances, pairwise(rows), lines[1:], strict=True):
        in_table = min(len(above), len(below)) > 1
        paragraph = distance > _PARAGRAPH_DISTANCE * usual and not in_table
        pieces += ["\n\n" if paragraph else "" if _is_wrapped(above, below, edges) else "\n", line]
    return "".join(pieces)


def _is_wrapped(above: list[Run], below: list[Run], edges: tuple[float, float]) -> bool:
    if len(above) > 1 or len(below) > 1:
        return False
    (line,), (following,) = above, below
    places = (line.left, line.right), (following.left, following.right)
    return continues_on_next_line(line.text, following.text, places, edges)


def _lines(rows: list[list[Run]], *, right_to_left: bool) -> Iterator[str]:
    """Write each row as a line. A table has several rows and several runs in each; a line with a number is none."""
    if len(rows) == 1 or len(rows[0]) == 1:
        for row in rows:
            yield " ".join(run.text for run in sorted(row, key=_left_edge, reverse=right_to_left))
        return
    ends = _column_ends(rows)
    for row in rows:
        cells = [""] * len(ends)
        for run in row:
            column = next((at for at, right in enumerate(ends) if run.left <= right), -1)
            cells[column] = f"{cells[column]} {run.text}".strip()
        yield " | ".join(reversed(cells) if right_to_left else cells).strip()


def _column_ends(rows: list[list[Run]]) -> list[float]:
    """The right edges of the columns. Runs that span several cells are ignored."""
    ends: list[float] = []
    in_one_column = (run for row in rows for run in row if not any(_spans(run, other) for other in rows))
    for run in sorted(in_one_column, key=_left_edge):
        if ends and run.left <= ends[-1]:
            ends[-1] = max(ends[-1], run.right)
        else:
            ends.append(run.right)
    return ends


def _spans(run: Run, row: list[Run]) -> bool:
    """Whether a run overlaps horizontally with several runs of a row."""
    return sum(1 for other in row if other.left < run.right and run.left < other.right) > 1


def _rows(runs: list[Run], *, right_to_left: bool) -> Iterator[list[Run]]:
    """Group the runs into rows, from the top; each row is sorted from the left."""
    for row in grouped(sorted(runs, key=_top_down), _is_below):
        yield _merge_touching(row, right_to_left=right_to_left)


def _is_below(row: list[Run], run: Run) -> bool:
    overlap = min(run.top, row[0].top) - max(run.bottom, row[0].bottom)
    return overlap < 0.5 * min(row[0].height, run.height)


def _merge_touching(row: list[Run], *, right_to_left: bool) -> list[Run]:
    """Sort a row from the left and merge runs that nearly touch, such as a number and its footnote mark."""
    merged: list[Run] = []
    for run in sorted(row, key=_left_edge):
        last = merged[-1] if merged else None
        if last is not None and run.left - last.right <= _TOUCHING * max(last.height, run.height):
            bottom, top = min(last.bottom, run.bottom), max(last.top, run.top)
            text = f"{run.text} {last.text}" if right_to_left else f"{last.text} {run.text}"
            merged[-1] = Run(text, last.left, bottom, max(last.right, run.right), top)
        else:
            merged.append(run)
    return merged


# -- runs


def runs_of(layer: pypdfium2.PdfTextPage) -> Iterator[Run]:
    """Yield the runs of a page in drawing order, with single spaces.

    Letters in logical order form a line, up to PDFium's line end or a letter that is not adjacent.
    """
    line: list[Run] = []
    for letter in _letters(layer):
        if line and (letter is None or _is_apart(line[-1], letter)):
            yield from _split_at_gaps(line)
            line = []
        if letter is not None:
            line.append(letter)
    if line:
        yield from _split_at_gaps(line)


def _letters(layer: pypdfium2.PdfTextPage) -> Iterator[Run | None]:
    """Yield each letter, and `None` for a line end. A space, which has no position, belongs to the letter before."""
    rectangle = pdfium.FS_RECTF()
    last: Run | None = None
    for index in range(min(layer.count_chars(), _MAX_CHARACTERS)):
        code = pdfium.FPDFText_GetUnicode(layer, index)
        letter = "-" if code in _HYPHENS else chr(code) if code <= 0x10FFFF else "\ufffd"
        if letter.isspace():
            last = last and last._replace(text=f"{last.text} ")
            if code not in _LINE_ENDS:
                continue
        if last is not None:
            yield last
            last = None
        if code in _LINE_ENDS:
            yield None
            continue
        pdfium.FPDFText_GetLooseCharBox(layer, index, rectangle)
        last = Run(letter, rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
    if last is not None:
        yield last


def _is_apart(last: Run, letter: Run) -> bool:
    """Whether a letter overlaps the one before neither in height nor, as in vertical writing, in width."""
    same_height = letter.top > last.bottom and last.top > letter.bottom
    return not same_height and (letter.left >= last.right or last.left >= letter.right)


def _split_at_gaps(line: list[Run]) -> Iterator[Run]:
    """Split a line at its wide gaps. Each run keeps the logical order, which may differ from left to right."""
    starts: list[float] = []
    right = inf
    for letter in sorted(line, key=_left_edge):
        if letter.left - right > _GAP * (letter.top - letter.bottom):
            starts.append(letter.left)
        right = letter.right if right == inf else max(right, letter.right)
    parts: list[list[Run]] = [[] for _ in range(len(starts) + 1)]
    for letter in line:
        parts[bisect_right(starts, letter.left)].append(letter)
    for part in parts:
        yield Run(
            " ".join("".join(letter.text for letter in part).split()),
            min(letter.left for letter in part),
            min(letter.bottom for letter in part),
            max(letter.right for letter in part),
            max(letter.top for letter in part),
        )
