"""Scores of dossiers: the same as those of the script beside the data, and clear errors for bad data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from memory_bank.app.evaluation.conflicts import evaluate_alarms
from memory_bank.app.evaluation.dossiers import (
    Dossier,
    DossierQuestion,
    is_right_answer,
    play_question,
    read_dossiers,
    score_conflicts,
)
from memory_bank.app.evaluation.items import Items
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings
from memory_bank.session.session import Parts
from tests.builders import make_claim, make_conflict
from tests.shared_data import DATA

SCRIPT = DATA / "dossiers" / "score.py"

DOSSIER = {
    "id": "t1",
    "language": "en",
    "documents": [
        {"name": "leaflet.md", "text": "# Alder Pool\n\nAlder Pool was opened in 1968. It is 25 metres long."},
        {"name": "notes.txt", "text": "Went to Alder Pool. Alder Pool was opened in 1971. The water was warm."},
    ],
    "sources": [{"name": "register.txt", "text": "Alder Pool was opened in 1971."}],
    "contradictions": [
        {
            "id": "c1",
            "a": {"document": "leaflet.md", "span": "Alder Pool was opened in 1968."},
            "b": {"document": "notes.txt", "span": "Alder Pool was opened in 1971."},
            "what": "when it was opened",
            "verdict": "b",
        }
    ],
    "questions": [
        {"question": "How long is the pool?", "kind": "fact", "answer": "25 metres", "reject": ["50 metres"]},
        {"question": "Who owns the pool?", "kind": "unanswerable", "answer": None},
    ],
}


@pytest.fixture(scope="module")
def bank() -> Bank:
    settings = Settings()
    return play_question(
        "How long is the pool?", Dossier.model_validate(DOSSIER), settings, Parts.standard(settings)
    ).bank


def test_a_planted_contradiction_is_found_and_scored(bank: Bank) -> None:
    scored = score_conflicts(bank, Dossier.model_validate(DOSSIER))
    assert (scored["planted"], scored["found"], scored["false_alarms"]) == (1, 1, 0)


@pytest.mark.parametrize("wrapped", ["Alder Pool was opened\nin 1968.", "Alder Pool was\n  opened in 1968."])
def test_a_claim_is_found_wherever_its_lines_are_wrapped(wrapped: str) -> None:
    texts = {"leaflet.md": wrapped, "notes.txt": "Alder Pool was opened in 1971."}
    claims = tuple(
        make_claim(f"c{number}", text=text).model_copy(update={"source": source})
        for number, (source, text) in enumerate(texts.items())
    )
    bank = Bank()
    bank.conflicts["x1"] = make_conflict().model_copy(update={"claims": claims})
    assert score_conflicts(bank, Dossier.model_validate(DOSSIER))["found"] == 1


@pytest.mark.parametrize(
    ("question", "text", "affirmed", "right"),
    [
        ({"kind": "fact", "answer": "25 metres", "reject": ["50 metres"]}, "It is 25 metres long.", "It is 25", True),
        ({"kind": "fact", "answer": "25 metres", "reject": ["50 metres"]}, "25 metres, not 50", "50 metres", False),
        ({"kind": "unanswerable", "answer": None}, "Nothing is said of it.", "", True),
        ({"kind": "unanswerable", "answer": None}, "Ann owns it.", "Ann owns it.", False),
        ({"kind": "list", "accept": ["red", "blue", "green"]}, "red and blue", "", True),
        ({"kind": "list", "accept": ["red", "blue", "green"]}, "red", "", False),
        ({"kind": "why", "accept": ["fire", "flood"], "accept_mode": "all"}, "after the fire", "", False),
        ({"kind": "fact", "answer": "四十二"}, "共四十二间", "", True),
    ],
)
def test_an_answer_is_right_by_what_it_holds_and_affirms(
    question: dict[str, Any], text: str, affirmed: str, *, right: bool
) -> None:
    assert is_right_answer(DossierQuestion(question="?", **question), text, affirmed) is right


@pytest.mark.skipif(not SCRIPT.exists(), reason="the evaluation data is not here")
def test_it_scores_as_the_script_beside_the_data_does(bank: Bank) -> None:
    spec = importlib.util.spec_from_file_location("score", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    exported = {
        "interaction_trees": {},
        "conflicts": [conflict.model_dump(mode="json") for conflict in bank.conflicts.values()],
    }
    theirs = script.judge_conflicts(exported, DOSSIER)
    ours = score_conflicts(bank, Dossier.model_validate(DOSSIER))
    assert {name: theirs[name] for name in ours} == ours
    for dossier in read_dossiers(SCRIPT.parent):
        for question in dossier.questions:
            for text in (question.answer or "", *question.accept, *question.reject):
                answer = {"answer": {"text": text, "affirmed": text}}
                assert script.judge_answer(question.model_dump(mode="json"), answer) == is_right_answer(
                    question, text, text
                )


def test_a_folder_without_dossiers_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no dossiers"):
        list(read_dossiers(tmp_path))
    (tmp_path / "a.json").write_text(json.dumps({"id": 1}))
    with pytest.raises(UsageError, match=r"a\.json: not a dossier"):
        list(read_dossiers(tmp_path))


def test_alarms_are_counted_by_words_of_what_is_given_together(tmp_path: Path) -> None:
    for folder in ("", "one", "two"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "a.txt").write_text(f"The mill of {folder or 'Alder'} stands by the river. It is old.")
    scores = evaluate_alarms(tmp_path, Settings(), Items())
    assert (scores["documents"], scores["conflicts"], scores["conflicts_per_10000_words"]) == (3, 0, 0.0)
    assert scores["words"] == 33
    with pytest.raises(UsageError, match="no documents"):
        evaluate_alarms(tmp_path / "nothing", Settings(), Items())
