"""The order in which the lines of a page are read, from their places alone.

A page is cut from top to bottom into bands, wherever it changes from one column to several or back; a band with
columns of running text is read column by column, each cut into bands again; all else is read row by row, tables
among it. Text is taken to run from left to right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float32]
"""Lines × 4 corners × (x, y): clockwise from the corner at which the line begins, at its top."""

_GUTTER = 0.6
"""Heights of a line: a free strip so wide parts columns. A line's box is about a third higher than its letters."""
_COLUMN_WIDTH, _COLUMN_ROWS = 6.0, 3
"""Heights of a line that the lines of a column are wide, and how many there are: what is less is a table."""
_SAME_ROW = 0.3
_SPACED, _MOST_SPACED = 1.3, 2.5
_INDENTED, _ALIGNED = 0.8, 0.4
_OTHER_SIZE = 1.35


@dataclass(frozen=True, slots=True)
class Place:
    """A line: its number, and where it stands on a page whose lines run level."""

    number: int
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """From the top to the bottom."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Half-way from the top to the bottom."""
        return (self.top + self.bottom) / 2


Row = tuple[Place, ...]
"""Lines beside each other, from the left."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Rows of numbers of lines; `goes_on` if it stands at the top of a further column, and may belong to the last."""

    rows: tuple[tuple[int, ...], ...]
    goes_on: bool = False


def arrange(corners: Corners) -> tuple[Paragraph, ...]:
    """All lines of a page, each in one paragraph, in reading order."""
    places = list(_straightened(corners))
    return tuple(_bands(places)) if places else ()


def _straightened(corners: Corners) -> Iterator[Place]:
    """The lines as if the page did not lie askew: its angle is that of most lines, the long ones before all."""
    if not len(corners):
        return
    along = corners[:, 1] - corners[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    angles = np.arctan2(along[:, 1], along[:, 0])
    ranked = np.argsort(angles, kind="stable")
    half = np.searchsorted(np.cumsum(lengths[ranked]), lengths.sum() / 2)
    angle = float(angles[ranked[min(int(half), len(ranked) - 1)]])
    cos, sin = np.cos(-angle), np.sin(-angle)
    level = corners @ np.array([[cos, sin], [-sin, cos]])
    for number, ((left, top), (right, bottom)) in enumerate(zip(level.min(axis=1), level.max(axis=1), strict=True)):
        yield Place(number, float(left), float(top), float(right), float(bottom))


def _bands(places: Sequence[Place]) -> Iterator[Paragraph]:
    """Cut where columns begin and end, and read each band."""
    height = median(place.height for place in places)
    band: list[Row] = []
    for row in _rows(places):
        parted, still_parted = _gutters(band, height), _gutters([*band, row], height)
        if band and (not still_parted if parted else _gutters([row], height)):
            yield from _band(band, height)
            band = []
        band.append(row)
    yield from _band(band, height)


def _band(rows: list[Row], height: float) -> Iterator[Paragraph]:
    columns = _columns(rows, height)
    if not columns:
        yield from _paragraphs(rows, height)
    for number, column in enumerate(columns):
        yield from _first_goes_on(_bands(column)) if number else _bands(column)


def _first_goes_on(paragraphs: Iterator[Paragraph]) -> Iterator[Paragraph]:
    yield Paragraph(next(paragraphs).rows, goes_on=True)
    yield from paragraphs


def _rows(places: Sequence[Place]) -> list[Row]:
    """Lines that overlap from top to bottom with the first of a row are of that row."""
    rows: list[list[Place]] = []
    for place in sorted(places, key=lambda place: (place.middle, place.left, place.number)):
        first = rows[-1][0] if rows else place
        common = min(place.bottom, first.bottom) - max(place.top, first.top)
        if rows and common > _SAME_ROW * min(place.height, first.height):
            rows[-1].append(place)
        else:
            rows.append([place])
    return [tuple(sorted(row, key=lambda place: (place.left, place.top, place.number))) for row in rows]


def _gutters(rows: Sequence[Row], height: float) -> list[float]:
    """The middles of the strips that no line of the rows touches, between lines."""
    found, right = [], None
    for place in sorted((place for row in rows for place in row), key=lambda place: place.left):
        if right is not None and place.left - right > _GUTTER * height:
            found.append((right + place.left) / 2)
        right = place.right if right is None else max(right, place.right)
    return found


def _columns(rows: Sequence[Row], height: float) -> list[list[Place]]:
    """The columns of running text of a band; none where it is one column, or a table."""
    edges = _gutters(rows, height)
    if not edges:
        return []
    columns: list[list[Place]] = [[] for _ in range(len(edges) + 1)]
    for row in rows:
        for place in row:
            columns[sum(edge < place.left for edge in edges)].append(place)
    running = all(
        len(column) >= _COLUMN_ROWS and median(place.right - place.left for place in column) > _COLUMN_WIDTH * height
        for column in columns
    )
    return columns if running else []


def _paragraphs(rows: Sequence[Row], height: float) -> Iterator[Paragraph]:
    """Cut where the lines are further apart, of another size, or indented."""
    steps = [row[0].middle - before[0].middle for before, row in itertools.pairwise(rows)]
    usual = min(median(steps), _MOST_SPACED * height) if steps else 0.0
    margin = median(row[0].left for row in rows)
    paragraph: list[Row] = []
    for index, row in enumerate(rows):
        if paragraph and (
            steps[index - 1] > _SPACED * usual
            or _sizes_differ(paragraph[-1], row)
            or _is_indented(rows, index, margin, height)
        ):
            yield _numbers(paragraph)
            paragraph = []
        paragraph.append(row)
    yield _numbers(paragraph)


def _numbers(rows: Sequence[Row]) -> Paragraph:
    return Paragraph(tuple(tuple(place.number for place in row) for row in rows))


def _sizes_differ(one: Row, other: Row) -> bool:
    small, large = sorted(max(place.height for place in row) for row in (one, other))
    return large > _OTHER_SIZE * small


def _is_indented(rows: Sequence[Row], index: int, margin: float, height: float) -> bool:
    """A row that begins a little to the right of the margin, where its neighbours begin."""
    beside = (rows[index - 1], *rows[index + 1 : index + 2])
    inward = rows[index][0].left - margin
    return inward > _INDENTED * height and all(abs(row[0].left - margin) < _ALIGNED * height for row in beside)
