"""Recall of gold passages, by worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.evaluation.items import Items
from memory_bank.app.evaluation.retrieval import evaluate_retrieval, scores
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings

SETTINGS = Settings(embedding_model="hash")
METRICS = ["recall@2", "recall@5", "recall@8", "all_gold@8"]


def write(folder: Path, passages: dict[str, str], questions: dict[str, list[str]]) -> Path:
    lines: list[dict[str, Any]] = [
        {"kind": "passage", "id": name, "title": f"Title {name}", "text": text} for name, text in passages.items()
    ]
    lines += [
        {"kind": "question", "id": f"q{number}", "question": question, "gold_passages": gold, "answers": ["secret"]}
        for number, (question, gold) in enumerate(questions.items())
    ]
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.mark.parametrize(
    ("ranked", "gold", "expected"),
    [
        (["a", "b", "x"], ["a", "b"], [1.0, 1.0, 1.0, 1.0]),  # perfect
        (["a", "x", "y", "z", "u", "v", "w", "t", "b"], ["a", "b"], [0.5, 0.5, 0.5, 0.0]),  # half
        (["x", "y"], ["a", "b"], [0.0, 0.0, 0.0, 0.0]),  # none
        (["x", "y", "a", "z", "u", "b"], ["a", "b"], [0.0, 0.5, 1.0, 1.0]),  # better with depth
        (["x", "y", "z", "u", "v", "w", "t", "a"], ["a"], [0.0, 0.0, 1.0, 1.0]),  # the eighth counts, the ninth not
        ([], ["a"], [0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_recall_is_the_share_of_gold_among_the_first(ranked: list[str], gold: list[str], expected: list[float]) -> None:
    found = scores([ranked], [gold])
    assert list(found) == METRICS
    assert list(found.values()) == expected


def test_scores_are_means_over_questions() -> None:
    found = scores([["a"], ["x"], ["x", "b"]], [["a"], ["b"], ["b"]])
    assert found == {"recall@2": 0.6667, "recall@5": 0.6667, "recall@8": 0.6667, "all_gold@8": 0.6667}


def test_without_questions_there_is_nothing() -> None:
    assert set(scores([], []).values()) == {0.0}


@given(
    st.lists(st.tuples(st.permutations("abcdefghij"), st.sets(st.sampled_from("abcdefghij"), min_size=1)), min_size=1)
)
def test_recall_grows_with_depth_and_all_gold_is_the_hardest(cases: list[tuple[list[str], set[str]]]) -> None:
    found = scores([ranked for ranked, _ in cases], [sorted(gold) for _, gold in cases])
    assert 0 <= found["recall@2"] <= found["recall@5"] <= found["recall@8"] <= 1
    assert found["all_gold@8"] <= found["recall@8"]


PASSAGES = {
    f"p{number}": f"Beacon mill number {number} stands in {town}."
    for number, town in enumerate(
        "Ashford Benenden Cranbrook Dover Eltham Faversham Goudhurst Hythe Ightham Keston".split()
    )
}


def test_the_scores_have_the_names_of_the_datas_readme_for_each_way_of_retrieving(tmp_path: Path) -> None:
    file = write(tmp_path, PASSAGES, {"Which mill stands in Dover?": ["p3"], "And in Hythe?": ["p7"]})
    found = evaluate_retrieval(file, SETTINGS, Items())
    assert list(found) == ["questions", "passages", "modes", "seconds"]
    assert (found["questions"], found["passages"]) == (2, 10)
    assert list(found["modes"]) == list(found["seconds"]) == ["keyword", "embedding", "hybrid", "research"]
    for metrics in found["modes"].values():
        assert metrics == dict.fromkeys(METRICS, 1.0)
    json.dumps(found)


def test_a_passage_is_found_by_its_title_too(tmp_path: Path) -> None:
    passages = PASSAGES | {"zulu": "Nothing of note."}
    found = evaluate_retrieval(write(tmp_path, passages, {"title zulu": ["zulu"]}), SETTINGS, Items())
    assert found["modes"]["keyword"]["recall@2"] == 1.0


def test_the_weight_of_keywords_is_that_of_the_settings(tmp_path: Path) -> None:
    file = write(tmp_path, PASSAGES, {"Which mill stands in Dover?": ["p3"]})
    for alpha, mode in ((1.0, "keyword"), (0.0, "embedding")):
        found = evaluate_retrieval(file, Settings(embedding_model="hash", retrieval_alpha=alpha), Items())
        assert found["modes"]["hybrid"] == found["modes"][mode]


def test_gold_passages_and_answers_do_not_help_to_find(tmp_path: Path) -> None:
    """Gold passages do not influence the ranking: with other gold the same ranking is wrong."""
    found = evaluate_retrieval(write(tmp_path, PASSAGES, {"Which mill stands in Dover?": ["p9"]}), SETTINGS, Items())
    assert found["modes"]["keyword"]["recall@2"] == 0.0


def test_the_limit_takes_the_first_questions_and_all_passages(tmp_path: Path) -> None:
    file = write(tmp_path, PASSAGES, {"Which mill stands in Dover?": ["p3"], "And in Hythe?": ["p7"]})
    found = evaluate_retrieval(file, SETTINGS, Items(1))
    assert (found["questions"], found["passages"]) == (1, 10)


def test_a_file_without_passages_scores_nothing(tmp_path: Path) -> None:
    found = evaluate_retrieval(write(tmp_path, {}, {"Which mill?": ["p3"]}), SETTINGS, Items())
    assert found["modes"]["hybrid"]["recall@8"] == 0.0


def test_a_question_without_its_gold_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('{"kind": "question", "id": "q", "question": "?"}\n')
    with pytest.raises(UsageError, match="line 1"):
        evaluate_retrieval(file, SETTINGS, Items())
