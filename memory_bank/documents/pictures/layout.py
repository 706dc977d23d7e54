"""Find the reading order of the lines of a page from their positions alone.

A page is cut from top to bottom into bands, wherever the number of columns changes between one and several. A band with
columns of running text is read column by column, each cut into bands again. Everything else, such as a table, is read
row by row. Text is assumed to run from left to right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from memory_bank.text.iteration import grouped

Corners = NDArray[np.float32]
"""Shape (lines, 4 corners, 2): x and y in pixels, clockwise from the corner at the top where the line begins."""

_MIN_GUTTER = 0.6
"""In line heights: an empty strip this wide separates columns. The box of a line is a third higher than its letters."""
_MIN_COLUMN_WIDTH, _MIN_COLUMN_LINES = 6.0, 3
"""Smallest width of the lines of a column, in line heights, and smallest number of lines. Below that it is a table."""
_SAME_ROW = 0.3
_PARAGRAPH_DISTANCE, _MAX_LINE_DISTANCE = 1.3, 2.5
"""A larger line distance begins a paragraph, in usual distances; the usual one is at most so many line heights."""
_INDENTED, _ALIGNED = 0.8, 0.4
_OTHER_SIZE = 1.35


@dataclass(frozen=True, slots=True)
class LineBox:
    """A line: its number, and its box on the page after deskewing."""

    number: int
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """The y coordinate half-way between top and bottom."""
        return (self.top + self.bottom) / 2


Row = tuple[LineBox, ...]
"""Lines side by side, from the left."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Rows of lines. `goes_on` is true at the top of a further column: it may continue the paragraph before."""

    rows: tuple[Row, ...]
    goes_on: bool = False


def arrange(corners: Corners) -> tuple[Paragraph, ...]:
    """Group the lines of a page into paragraphs in reading order; each line is in exactly one."""
    return tuple(_bands(list(_deskew(corners)))) if len(corners) else ()


def _deskew(corners: Corners) -> Iterator[LineBox]:
    """Yield the boxes of the lines after deskewing by the median line angle, weighted by length."""
    directions = corners[:, 1] - corners[:, 0]
    lengths = np.linalg.norm(directions, axis=1)
    angles = np.arctan2(directions[:, 1], directions[:, 0])
    order = np.argsort(angles, kind="stable")
    half = np.searchsorted(np.cumsum(lengths[order]), lengths.sum() / 2)
    angle = float(angles[order[min(int(half), len(order) - 1)]])
    cos, sin = np.cos(-angle), np.sin(-angle)
    rotated = corners @ np.array([[cos, sin], [-sin, cos]])
    for number, ((left, top), (right, bottom)) in enumerate(zip(rotated.min(axis=1), rotated.max(axis=1), strict=True)):
        yield LineBox(number, float(left), float(top), float(right), float(bottom))


def _bands(places: Sequence[LineBox]) -> Iterator[Paragraph]:
    """Cut the page where columns begin or end, and yield the paragraphs of each band."""
    height = median(place.height for place in places)

    def ends(band: list[Row], row: Row) -> bool:
        # A band with columns ends when the row closes its gutters; one without, when the row has gutters.
        return not _gutters([*band, row], height) if _gutters(band, height) else bool(_gutters([row], height))

    for band in grouped(_rows(places), ends):
        yield from _band_paragraphs(band, height)


def _band_paragraphs(rows: list[Row], height: float) -> Iterator[Paragraph]:
    columns = _columns(rows, height)
    if not columns:
        yield from _paragraphs(rows, height)
    for number, column in enumerate(columns):
        paragraphs = _bands(column)
        if number:
            yield Paragraph(next(paragraphs).rows, goes_on=True)
        yield from paragraphs


def _rows(places: Sequence[LineBox]) -> list[Row]:
    """Group lines into rows: a line belongs to a row if it overlaps in height with its first line."""
    from_top = sorted(places, key=lambda place: (place.middle, place.left, place.number))
    rows = grouped(from_top, lambda row, place: not _is_beside(row[0], place))
    return [tuple(sorted(row, key=lambda place: (place.left, place.top, place.number))) for row in rows]


def _is_beside(first: LineBox, place: LineBox) -> bool:
    overlap = min(place.bottom, first.bottom) - max(place.top, first.top)
    return overlap > _SAME_ROW * min(place.height, first.height)


def _gutters(rows: Sequence[Row], height: float) -> list[float]:
    """The x coordinates of the middles of the empty vertical strips between the lines of the rows."""
    middles, right = [], None
    for place in sorted((place for row in rows for place in row), key=lambda place: place.left):
        if right is not None and place.left - right > _MIN_GUTTER * height:
            middles.append((right + place.left) / 2)
        right = place.right if right is None else max(right, place.right)
    return middles


def _columns(rows: Sequence[Row], height: float) -> list[list[LineBox]]:
    """Split a band into columns of running text; empty if it is a single column or a table."""
    gutters = _gutters(rows, height)
    if not gutters:
        return []
    columns: list[list[LineBox]] = [[] for _ in range(len(gutters) + 1)]
    for row in rows:
        for place in row:
            columns[sum(gutter < place.left for gutter in gutters)].append(place)
    is_running_text = all(
        len(column) >= _MIN_COLUMN_LINES
        and median(place.right - place.left for place in column) > _MIN_COLUMN_WIDTH * height
        for column in columns
    )
    return columns if is_running_text else []


def _paragraphs(rows: Sequence[Row], height: float) -> Iterator[Paragraph]:
    """Cut a column into paragraphs where lines are further apart, of another size, or indented."""
    distances = [row[0].middle - before[0].middle for before, row in itertools.pairwise(rows)]
    usual = min(median(distances), _MAX_LINE_DISTANCE * height) if distances else 0.0
    margin = median(row[0].left for row in rows)

    def begins_anew(_paragraph: list[int], index: int) -> bool:
        far = distances[index - 1] > _PARAGRAPH_DISTANCE * usual
        return far or _sizes_differ(rows[index - 1], rows[index]) or _is_indented(rows, index, margin, height)

    for paragraph in grouped(range(len(rows)), begins_anew):
        yield Paragraph(tuple(rows[index] for index in paragraph))


def _sizes_differ(one: Row, other: Row) -> bool:
    small, large = sorted(max(place.height for place in row) for row in (one, other))
    return large > _OTHER_SIZE * small


def _is_indented(rows: Sequence[Row], index: int, margin: float, height: float) -> bool:
    """Whether a row begins to the right of the margin while its neighbours begin at the margin."""
    neighbours = (rows[index - 1], *rows[index + 1 : index + 2])
    indent = rows[index][0].left - margin
    return indent > _INDENTED * height and all(abs(row[0].left - margin) < _ALIGNED * height for row in neighbours)
