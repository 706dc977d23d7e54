"""Reading order from places alone: every line is read once, columns one after the other, tables row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.pictures.layout import Corners, Paragraph, arrange

Box = tuple[float, float, float, float]


def corners(boxes: Sequence[Box], degrees: float = 0) -> Corners:
    """The corners of boxes (left, top, right, bottom) on a page that lies askew."""
    quads = np.array([[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for x0, y0, x1, y1 in boxes], np.float32)
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return (quads.reshape(-1, 4, 2) @ np.array([[cos, sin], [-sin, cos]])).astype(np.float32)


def numbers(paragraphs: Sequence[Paragraph]) -> list[int]:
    return [box.number for paragraph in paragraphs for row in paragraph.rows for box in row]


def column(left: float, width: float, tops: Sequence[float], height: float = 20) -> list[Box]:
    return [(left, top, left + width, top + height) for top in tops]


@given(st.lists(st.tuples(*[st.floats(0, 1000)] * 2, *[st.floats(1, 400)] * 2), max_size=30), st.floats(-5, 5))
def test_every_line_is_read_once(places: list[tuple[float, float, float, float]], degrees: float) -> None:
    boxes = [(x, y, x + width, y + height) for x, y, width, height in places]
    assert sorted(numbers(arrange(corners(boxes, degrees)))) == list(range(len(boxes)))


@given(st.permutations(range(12)), st.sampled_from([-2.0, 0.0, 2.0]), st.floats(0, 14))
def test_columns_are_read_one_after_the_other(order: list[int], degrees: float, lower: float) -> None:
    """In whatever order the lines were found, askew or not, and when the columns' lines are not side by side."""
    title = [(100.0, 0.0, 800.0, 40.0)]
    left, right = column(0, 420, range(60, 185, 25)), column(480, 420, np.arange(60, 185, 25) + lower)
    notes = [(0.0, 300.0, 900.0, 320.0)]
    boxes = [*title, *left, *right, *notes]
    read = arrange(corners([boxes[number] for number in order], degrees))
    assert [order[number] for number in numbers(read)] == list(range(12))


def test_the_top_of_a_further_column_may_go_on_with_the_last_paragraph() -> None:
    read = arrange(corners([*column(0, 400, (0, 25, 50)), *column(460, 400, (0, 25, 50))]))
    assert [(numbers([paragraph]), paragraph.goes_on) for paragraph in read] == [([0, 1, 2], False), ([3, 4, 5], True)]


def test_a_table_is_read_row_by_row() -> None:
    cells = [(left, top, left + 80, top + 20) for top in (0, 40, 80, 120) for left in (0, 200, 400)]
    rows = [[box.number for box in row] for paragraph in arrange(corners(cells)) for row in paragraph.rows]
    assert rows == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


def rows(tops: Sequence[float], lefts: Sequence[float], heights: Sequence[float]) -> list[int]:
    """How many rows each paragraph has."""
    boxes = [(left, top, left + 500, top + height) for left, top, height in zip(lefts, tops, heights, strict=True)]
    return [len(paragraph.rows) for paragraph in arrange(corners(boxes))]


def test_paragraphs_are_parted_by_space_by_size_and_by_indentation() -> None:
    assert rows([0, 25, 50, 90, 115], [0] * 5, [20] * 5) == [3, 2]
    assert rows([0, 35, 60, 85], [0] * 4, [32, 20, 20, 20]) == [1, 3]
    assert rows([0, 25, 50, 75, 100], [0, 0, 30, 0, 0], [20] * 5) == [2, 3]
    assert rows([0, 25, 50, 75, 100], [0] * 5, [20] * 5) == [5]
