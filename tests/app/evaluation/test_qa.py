"""Strict exact match by worked examples; sessions never see the gold data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.evaluation import qa
from memory_bank.app.evaluation.items import Items, TextDocument
from memory_bank.app.evaluation.qa import (
    Judged,
    QaOutcome,
    QaTask,
    evaluate_qa,
    judge_task,
    mentions,
    run_task,
    strict_match,
)
from memory_bank.bank.clock import Clock
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from tests.builders import make_conflict
from tests.session.test_session import scripted

SETTINGS = Settings(embedding_model="hash")


def task(**given_fields: Any) -> QaTask:
    fields: dict[str, Any] = {
        "id": "t",
        "question": "When was Beacon Mill in Benenden built?",
        "documents": [{"name": "d0", "text": "Beacon Mill in Benenden was built in 1772."}],
        "gold_answers": ["1772"],
        "wrong_answers": ["1869"],
        "single_entity": True,
        "misinfo_documents": [],
        "correct_documents": ["d0"],
    }
    return QaTask.model_validate(fields | given_fields)


def write(folder: Path, *tasks: QaTask) -> Path:
    file = folder / "qa.jsonl"
    file.write_text("".join(json.dumps({"kind": "task", **one.model_dump()}) + "\n" for one in tasks))
    return file


# -- the score -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("It was built in 1772.", "1772", True),
        ("It was built in 17725.", "1772", False),
        ("It was built in 1,772 days.", "1772", False),
        ("THE  High-Dam!", "high dam", True),
        ("the high dam", "The High Dam.", True),
        ("highlands", "high", False),
        ("1772", "", False),
        ("", "1772", False),
        ("ﬁne", "fine", True),
    ],
)
def test_an_answer_is_mentioned_by_its_words_in_lower_case_with_punctuation_folded(
    text: str,
    answer: str,
    expected: bool,  # noqa: FBT001
) -> None:
    assert mentions(text, answer) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kent and Surrey", True),  # perfect
        ("Kent", False),  # half
        ("Dover", False),  # none
        ("Kent, Surrey, not York", False),  # all, and a wrong one besides
    ],
)
def test_every_gold_answer_and_no_wrong_one(text: str, expected: bool) -> None:  # noqa: FBT001
    assert strict_match(text, ["Kent", "Surrey"], ["York"]) is expected


@given(st.text(max_size=30), st.text(alphabet="ab 1.,", min_size=1, max_size=8))
def test_a_text_mentions_each_of_its_own_words(text: str, answer: str) -> None:
    if any(character.isalnum() for character in answer):
        assert mentions(f"{text} {answer} {text}", answer)
        assert mentions(answer.upper(), answer)


# -- a task ----------------------------------------------------------------------------------------------


def offline() -> Parts:
    return Parts.standard(SETTINGS)


def judged(given: QaTask, parts: Parts) -> QaOutcome:
    return judge_task(given, run_task(given, SETTINGS, parts).bank)


def test_a_question_that_its_document_answers_is_exact() -> None:
    result = judged(task(), offline())
    assert (result.exact, result.wrong, result.conflict_found) == (True, False, None)
    assert "1772" in result.affirmed


def test_a_wrong_value_that_is_affirmed_is_counted() -> None:
    documents = [{"name": "d0", "text": "Beacon Mill in Benenden was built in 1869."}]
    result = judged(task(documents=documents), offline())
    assert (result.exact, result.wrong) == (False, True)


def test_gold_and_wrong_answers_and_which_documents_are_wrong_never_reach_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Session] = []
    create = Session.create.__func__  # type: ignore[attr-defined]

    def keeping(*arguments: Any, **named: Any) -> Session:
        made.append(create(Session, *arguments, **named))
        return made[-1]

    monkeypatch.setattr(Session, "create", keeping)
    secret = task(
        documents=[{"name": "d0", "text": "Beacon Mill in Benenden grinds wheat."}],
        gold_answers=["zanzibar"],
        wrong_answers=["quagmire"],
        misinfo_documents=["xylophone"],
        correct_documents=["d0"],
    )
    result = judged(secret, offline())
    assert not result.exact
    (session,) = made
    log = "\n".join(event.model_dump_json() for event in session.events)
    assert "Beacon Mill in Benenden grinds wheat." in log
    for word in ("zanzibar", "quagmire", "xylophone"):
        assert word not in log
        assert word not in session.export()


@pytest.mark.parametrize(("wrong", "right", "found"), [("d0", "d1", True), ("d1", "d0", True), ("d2", "d1", False)])
def test_a_conflict_is_found_when_it_stands_between_a_wrong_and_a_correct_document(
    wrong: str,
    right: str,
    found: bool,  # noqa: FBT001
) -> None:
    texts = ("The mill was built in 1772.", "The mill was built in 1869.")
    documents = [TextDocument(name=f"d{number}", text=text) for number, text in enumerate(texts)]
    contested = task(documents=documents, misinfo_documents=[wrong], correct_documents=[right])
    result = judged(contested, scripted("inconclusive"))
    assert result.conflict_found is found


@pytest.mark.parametrize(
    ("wrong", "right", "verdict", "expected"),
    [
        ("d1", "d0", "first", [True]),
        ("d0", "d1", "first", [False]),
        ("d1", "d0", "both", [False]),
        ("d1", "d0", "inconclusive", [None]),
        ("d2", "d1", "first", []),
    ],
)
def test_a_verdict_between_a_wrong_and_a_correct_document_is_judged(
    wrong: str, right: str, verdict: Verdict, expected: list[bool | None]
) -> None:
    texts = ("The mill was built in 1772.", "The mill was built in 1869.")
    documents = [TextDocument(name=f"d{number}", text=text) for number, text in enumerate(texts)]
    contested = task(documents=documents, misinfo_documents=[wrong], correct_documents=[right])
    result = judged(contested, scripted(verdict))
    assert [one.right for one in result.verdicts] == expected


# -- a file ----------------------------------------------------------------------------------------------

KEYS = [
    "tasks",
    "strict_em",
    "strict_em_single_entity",
    "wrong_affirmed",
    "mean_answer_words",
    "conflicts_found",
    "reliability",
]


def test_the_scores_have_the_names_of_the_datas_readme_and_are_means_over_tasks(tmp_path: Path) -> None:
    unanswered = task(documents=[{"name": "d0", "text": "Sheep graze in Kent."}], single_entity=False)
    wrong = task(documents=[{"name": "d0", "text": "Beacon Mill in Benenden was built in 1869."}], single_entity=False)
    scores = evaluate_qa(write(tmp_path, task(), unanswered, task(), wrong), SETTINGS, Items())
    assert list(scores) == [*KEYS, "failed", "usage", "items"]
    assert scores["tasks"] == 4
    assert scores["strict_em"] == 0.5
    assert scores["strict_em_single_entity"] == 1.0
    assert scores["wrong_affirmed"] == 0.25
    assert scores["conflicts_found"] == 0.0  # no task has a wrong document
    assert scores["mean_answer_words"] > 0
    json.dumps(scores)


def test_the_row_of_a_task_tells_what_was_affirmed_and_which_verdicts_are_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflict = make_conflict().model_copy(update={"verdict": "first", "confidence": 0.9})
    verdicts = (Judged(conflict, right=False), Judged(conflict, right=True), Judged(conflict, right=None))
    affirmed = "It was built in 1869."
    result = QaOutcome(task(), affirmed, exact=False, wrong=True, conflict_found=True, verdicts=verdicts)
    monkeypatch.setattr(qa, "judge_task", lambda *_: result)
    (row,) = json.loads(json.dumps(evaluate_qa(write(tmp_path, task()), SETTINGS, Items())["items"]))
    assert (row["outcome"], row["affirmed"], row["expected"]) == ("affirms a wrong answer", affirmed, ["1772"])
    assert row["wrong"] == ["1869"]
    (wrong,) = row["wrong_verdicts"]
    assert wrong["sides"][0][0]["text"] == "The dam was finished in 1970."


def test_the_limit_takes_the_first_tasks(tmp_path: Path) -> None:
    wrong = task(documents=[{"name": "d0", "text": "Sheep graze in Kent."}])
    assert evaluate_qa(write(tmp_path, task(), wrong), SETTINGS, Items(1))["strict_em"] == 1.0


def test_a_file_without_tasks_has_scores_of_nothing(tmp_path: Path) -> None:
    scores = evaluate_qa(write(tmp_path), SETTINGS, Items())
    assert (scores["tasks"], scores["strict_em"], scores["mean_answer_words"]) == (0, 0.0, 0.0)


def test_a_task_that_does_not_fit_the_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "qa.jsonl"
    file.write_text('{"kind": "task", "id": "t", "question": "?"}\n')
    with pytest.raises(UsageError, match="line 1"):
        evaluate_qa(file, SETTINGS, Items())


def test_tasks_leave_nothing_in_each_others_memory() -> None:
    """One set of parts serves all tasks of a file."""
    parts = Parts(Clock(), HashEmbedder(), offline().engines, offline().framework)
    judged(task(), parts)
    result = judged(task(documents=[{"name": "d0", "text": "Sheep graze in Kent."}]), parts)
    assert result.affirmed == ""
