"""Data as statements with the path of what is nested."""

from __future__ import annotations

import pytest

from memory_bank.documents.messages import value_lines, write_lines


@pytest.mark.parametrize(
    ("path", "value", "statements"),
    [
        ("", {"a": "1", "b": True, "c": None}, ["a: 1; b: true"]),
        ("", {"a": {"b": ["x", "y"]}}, ["a.b: x, y"]),
        ("call", [{"name": "look_up"}], ["call[0].name: look_up"]),
        ("note", "two\nlines", ["note: two\nlines"]),
        ("", "words", ["words"]),
        ("none", None, []),
    ],
)
def test_each_value_stands_after_its_path(path: str, value: object, statements: list[str]) -> None:
    assert list(value_lines(path, value)) == statements


def test_each_value_is_a_paragraph() -> None:
    assert write_lines([{"a": "1"}, {"b": "2"}]) == "a: 1\n\nb: 2"
