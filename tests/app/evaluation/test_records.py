"""Evaluation data is read line by line, and an error names the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.evaluation.items import data_files, read_records
from memory_bank.bank.errors import UsageError
from memory_bank.bank.value import Value
from tests.shared_data import DATA


class Pair(Value):
    id: str
    number: int = 0


class Task(Value):
    question: str


KINDS: dict[str, type[Value]] = {"pair": Pair, "task": Task}
GOOD = '{"kind": "pair", "id": "a"}'


def written(folder: Path, *lines: str | bytes) -> Path:
    file = folder / "data.jsonl"
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return file


def test_each_line_is_a_record_of_the_type_that_its_kind_names(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD, '{"kind": "task", "question": "何时？"}', '{"kind": "pair", "id": "b", "number": 3}')
    assert list(read_records(file, KINDS)) == [Pair(id="a"), Task(question="何时？"), Pair(id="b", number=3)]


def test_fields_that_no_score_needs_are_passed_over(tmp_path: Path) -> None:
    file = written(tmp_path, '{"kind": "pair", "id": "a", "note": {"deep": [1]}}')
    assert list(read_records(file, KINDS)) == [Pair(id="a")]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"kind": "other", "id": "a"}',
        '{"kind": ["pair"], "id": "a"}',
        '{"kind": "pair"}',
        '{"kind": "pair", "id": 3}',
        '{"kind": "pair", "id": "a", "number": "many"}',
        '{"kind": "pair", "id": "\\ud800"}',
        b'{"kind": "pair", "id": "\xff"}',
        "[" * 100_000,
        '{"kind": "pair", "id": "a"',
    ],
    ids=lambda line: str(line)[:25],
)
def test_a_line_that_does_not_fit_is_one_error_with_its_place(tmp_path: Path, line: str | bytes) -> None:
    file = written(tmp_path, GOOD, line, GOOD)
    with pytest.raises(UsageError) as caught:
        list(read_records(file, KINDS))
    assert "data.jsonl, line 2" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_comes_before_a_bad_line_is_read(tmp_path: Path) -> None:
    records = read_records(written(tmp_path, GOOD, "not json"), KINDS)
    assert next(records) == Pair(id="a")
    with pytest.raises(UsageError):
        next(records)


def test_a_file_that_cannot_be_opened_is_an_error_of_the_same_kind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone"):
        list(read_records(tmp_path / "gone.jsonl", KINDS))


def test_a_folder_is_all_its_data_files_by_name(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "notes.txt"):
        (tmp_path / name).write_text(GOOD)
    assert [file.name for file in data_files(tmp_path)] == ["a.jsonl", "b.jsonl"]
    assert data_files(tmp_path / "b.jsonl") == [tmp_path / "b.jsonl"]


@pytest.mark.parametrize("name", ["", "gone.jsonl", "gone/data.jsonl", "folder.jsonl/inner"])
def test_where_there_is_no_data_the_error_says_what_to_give(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="README"):
        data_files(tmp_path / name)


def test_a_folder_of_the_name_of_a_data_file_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "inner" / "data.jsonl").mkdir(parents=True)
    with pytest.raises(UsageError):
        data_files(tmp_path / "inner")


def test_the_real_data_reads() -> None:
    """The formats in the data's README, if the data is available."""
    data = DATA / "conflicts" / "ramdocs.jsonl"
    if not data.is_file():
        pytest.skip("the evaluation data is not on this machine")
    with data.open(encoding="utf-8") as lines:
        first = json.loads(next(lines))
    assert next(read_records(data, KINDS)) == Pair(id=first["id"])
