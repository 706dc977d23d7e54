"""The cells of a row lie between its bars."""

from __future__ import annotations

import pytest

from memory_bank.text.table_row import cells_between_bars


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", [" a ", " b "]),
        ("a | b", ["a ", " b"]),
        ("| | Lead |", [" ", " Lead "]),
        ("|| x |", ["", " x "]),
        (r"a \| b | c |", [r"a \| b ", " c "]),
        ("| | |", [" ", " "]),
        ("|", [""]),
        ("", [""]),
    ],
)
def test_the_cells_of_a_row_lie_between_its_bars(row: str, cells: list[str]) -> None:
    assert [cell.of(row) for cell in cells_between_bars(row)] == cells
