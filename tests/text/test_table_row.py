"""The cells of a row lie between its bars."""

from __future__ import annotations

import pytest

from memory_bank.text.table_row import cells_between_bars, without_column_names


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


@pytest.mark.parametrize("text", ["a b", "a; b: c; d: e", "a: b; c", "a: b; c: d;", "a: b\nc: d; e: f"])
def test_only_a_row_of_named_values_has_column_names(text: str) -> None:
    assert without_column_names(text) == text


def test_a_row_without_its_column_names_is_its_values() -> None:
    assert without_column_names("first name: Ann; note: x; y; at (hh:mm): 9:30") == "Ann x y 9:30"
