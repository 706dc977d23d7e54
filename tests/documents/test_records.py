"""JSON and JSON Lines: an object is a statement; broken files are refused with the line."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document
from memory_bank.documents.messages import read_json

Read = Callable[[bytes | str, str], Document]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"a": 1.50, "b": true, "c": null}', "a: 1.50; b: true"),
        ('[{"a": 1}, {"a": 2}]', "a: 1\n\na: 2"),
        ('{"a": {"b": [1, 2]}, "c": 3}', "c: 3\n\na.b: 1, 2"),
        ('{"a": [{"n": "x"}, {"n": "y"}]}', "a[0].n: x\n\na[1].n: y"),
        ('{"t": "two\\nlines", "s": "x"}', "s: x\n\nt: two\nlines"),
        ('["one", 2, false]', "one\n\n2\n\nfalse"),
        ('"text"', "text"),
        ("123456789012345678901234567890.10", "123456789012345678901234567890.10"),
        ('{"a": "\\ud800"}', "a: \ufffd"),
    ],
)
def test_values_become_statements(read: Read, value: str, text: str) -> None:
    document = read(value, "a.json")
    assert document.text == text
    assert document.media_type == "application/json"


def test_json_lines(read: Read) -> None:
    document = read('{"a": 1}\n\n{"a": "x"}\n', "a.jsonl")
    assert document.text == "a: 1\n\na: x"
    assert document.media_type == "application/x-ndjson"


LEAVES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=300)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, min_size=1) | st.dictionaries(LEAVES, inner, min_size=1))


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in leaves(member)]
    return [leaf for member in value for leaf in leaves(member)] if isinstance(value, list) else [str(value)]


@given(VALUES)
def test_no_value_is_lost(value: object) -> None:
    text = read_json(json.dumps(value).encode(), "a.json").text
    assert all(leaf in text for leaf in leaves(value))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", '{\n"a": }', r"it is not valid JSON \(line 2: Expecting value\)"),
        ("a.jsonl", '{"a": 1}\n{"a":', r"it is not valid JSON \(line 2: Expecting value\)"),
        ("a.json", "[" * 100_000, "it is nested too deeply"),
        ("a.json", "{}", "there is no text in it"),
    ],
)
def test_broken_files_are_refused(read: Read, name: str, content: str, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=reason):
        read(content, name)
