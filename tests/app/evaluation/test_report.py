"""Scores of a file or a folder, as JSON values and as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from memory_bank.app.evaluation.items import Items
from memory_bank.app.evaluation.report import evaluate_files, scores_table
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings

SETTINGS = Settings(embedding_model="hash")
PASSAGE = {"kind": "passage", "id": "p", "title": "Mill", "text": "Beacon Mill."}
QUESTION = {"kind": "question", "id": "q", "question": "mill?", "gold_passages": ["p"]}
PAIR = {"kind": "pair", "id": "a", "text_a": "x", "text_b": "y", "label": "not_contradict"}
TASK = {
    "kind": "task",
    "id": "t",
    "question": "?",
    "documents": [],
    "gold_answers": ["x"],
    "wrong_answers": [],
    "single_entity": True,
    "misinfo_documents": [],
    "correct_documents": [],
}
TALK = {"kind": "conversation", "id": "c", "sessions": [], "questions": []}


def write(file: Path, *records: Mapping[str, object]) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


@pytest.mark.parametrize(
    ("task", "records", "counted"),
    [
        ("retrieval", [PASSAGE, QUESTION], "questions"),
        ("conflicts", [PAIR], "pairs"),
        ("qa", [TASK], "tasks"),
        ("dialogue", [TALK], "questions"),
    ],
)
def test_each_evaluation_goes_by_its_name(
    tmp_path: Path, task: str, records: list[Mapping[str, object]], counted: str
) -> None:
    scores = evaluate_files(task, write(tmp_path / "data.jsonl", *records), SETTINGS, Items())
    assert isinstance(scores, dict)
    assert scores["file"] == "data.jsonl"
    assert counted in scores


def test_a_folder_is_a_list_of_scores_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / f"{name}.jsonl", PASSAGE, QUESTION)
    scores = evaluate_files("retrieval", tmp_path, SETTINGS, Items())
    assert isinstance(scores, list)
    assert [one["file"] for one in scores] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("task", ["retrieval", "conflicts", "qa", "dialogue"])
@pytest.mark.parametrize("content", ["", "no json", '{"kind": "other"}'])
def test_bad_data_is_one_clear_line_whatever_the_evaluation(tmp_path: Path, task: str, content: str) -> None:
    """An empty file is valid: all scores are zero."""
    file = tmp_path / "data.jsonl"
    file.write_text(content)
    if not content:
        assert evaluate_files(task, file, SETTINGS, Items())
        return
    with pytest.raises(UsageError) as caught:
        evaluate_files(task, file, SETTINGS, Items())
    assert str(caught.value).count("\n") == 0
    assert "line 1" in str(caught.value)


def test_the_table_has_a_line_for_each_figure_with_its_file() -> None:
    scores = {"file": "a.jsonl", "questions": 2, "modes": {"keyword": {"recall@2": 0.5}, "hybrid": {"recall@2": 1.0}}}
    lines = scores_table(scores).splitlines()
    assert [line.split() for line in lines] == [
        ["a.jsonl", "questions", "2"],
        ["a.jsonl", "modes", "keyword", "recall@2", "0.5"],
        ["a.jsonl", "modes", "hybrid", "recall@2", "1.0"],
    ]
    assert len({line.rindex(line.split()[-1]) for line in lines}) == 1


def test_the_table_of_a_folder_is_that_of_its_files_one_after_another() -> None:
    first, second = {"file": "a.jsonl", "pairs": 1}, {"file": "b.jsonl", "pairs": 2}
    assert scores_table([first, second]) == f"{scores_table(first)}\n{scores_table(second)}"
