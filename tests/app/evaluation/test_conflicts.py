"""Pairs of texts: what counts as a reported conflict, and the scores of a file by worked examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.agents.planning import PlanningInput, PlanningOutput
from memory_bank.app.evaluation import conflicts
from memory_bank.app.evaluation.conflicts import (
    Pair,
    compare,
    evaluate_alarms,
    evaluate_conflicts,
    first_contradiction,
)
from memory_bank.app.evaluation.items import Items
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings
from tests.builders import make_conflict
from tests.session.test_session import scripted

SETTINGS = Settings(embedding_model="hash")
BUILT, ALTERED = "Beacon Mill was built in 1772.", "Beacon Mill was built in 1869."
SHEEP = "Sheep graze in Kent all summer."


def pair(text_a: str, text_b: str, label: str = "contradict", case: str = "", number: int = 0) -> Pair:
    return Pair.model_validate({"id": f"p{number}", "text_a": text_a, "text_b": text_b, "label": label, "case": case})


def write(folder: Path, *pairs: Pair) -> Path:
    file = folder / "pairs.jsonl"
    file.write_text("".join(json.dumps({"kind": "pair", **one.model_dump()}) + "\n" for one in pairs))
    return file


@pytest.mark.parametrize(
    ("text_a", "text_b", "found"),
    [
        (BUILT, ALTERED, True),
        (BUILT, BUILT, False),
        (BUILT, SHEEP, False),
        ("", BUILT, False),
        (f"{BUILT} It is tall. {ALTERED}", SHEEP, False),  # a conflict within one text does not count
    ],
)
def test_a_pair_counts_when_a_conflict_between_its_two_texts_is_opened(text_a: str, text_b: str, found: bool) -> None:  # noqa: FBT001
    conflict = first_contradiction(compare(pair(text_a, text_b), SETTINGS).bank)
    assert (conflict is not None) is found


def test_nothing_is_planned_nor_answered_for_a_score() -> None:
    def must_not_plan(given: PlanningInput) -> PlanningOutput:
        raise AssertionError("Memory Analysis alone is scored")

    played = compare(pair(BUILT, ALTERED), SETTINGS, scripted("first", planning=must_not_plan))
    assert played.failure is None
    assert first_contradiction(played.bank)


KEYS = {"pairs", "precision", "recall", "f1", "accuracy"}


def score(folder: Path, monkeypatch: pytest.MonkeyPatch, *outcomes: tuple[str, bool]) -> dict[str, object]:
    """The scores of a file of pairs with these (label, reported) outcomes."""
    answers = iter([make_conflict() if found else None for _, found in outcomes])
    monkeypatch.setattr(conflicts, "first_contradiction", lambda *_: next(answers))
    return evaluate_conflicts(write(folder, *(pair("a", "b", label) for label, _ in outcomes)), SETTINGS, Items())


def test_all_right_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = score(tmp_path, monkeypatch, ("contradict", True), ("not_contradict", False))
    assert [scores[name] for name in ("precision", "recall", "f1", "accuracy")] == [1.0, 1.0, 1.0, 1.0]


def test_all_wrong_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = score(tmp_path, monkeypatch, ("contradict", False), ("not_contradict", True))
    assert [scores[name] for name in ("precision", "recall", "f1", "accuracy")] == [0.0, 0.0, 0.0, 0.0]


def test_a_worked_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hits, one miss, one false alarm, three correct rejections."""
    outcomes = [("contradict", True)] * 2 + [("contradict", False)] + [("not_contradict", True)]
    scores = score(tmp_path, monkeypatch, *outcomes, *[("not_contradict", False)] * 3)
    assert scores["pairs"] == 7
    assert scores["precision"] == pytest.approx(2 / 3, abs=5e-5)
    assert scores["recall"] == pytest.approx(2 / 3, abs=5e-5)
    assert scores["f1"] == pytest.approx(2 / 3, abs=5e-5)
    assert scores["accuracy"] == pytest.approx(5 / 7, abs=5e-5)


def test_f1_is_that_of_the_counts_and_not_of_rounded_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One hit and five false alarms: 2 / 7 = 0.28571…, where the rounded precision would give 0.2858."""
    outcomes = [("contradict", True)] + [("not_contradict", True)] * 5
    assert score(tmp_path, monkeypatch, *outcomes)["f1"] == 0.2857


def test_the_scores_have_the_names_of_the_datas_readme_and_each_case_is_reported(tmp_path: Path) -> None:
    pairs = [
        pair(BUILT, ALTERED, "contradict", "altered"),
        pair(SHEEP, ALTERED, "contradict", "altered"),
        pair(BUILT, BUILT, "not_contradict", "copy"),
        pair(BUILT, SHEEP, "not_contradict"),
    ]
    scores = evaluate_conflicts(write(tmp_path, *pairs), SETTINGS, Items())
    assert set(scores) == KEYS | {"reported_by_case", "failed", "usage", "items"}
    assert scores["reported_by_case"] == {"altered": "1/2", "copy": "0/1", "not_contradict": "0/1"}
    json.dumps(scores)


def test_the_row_of_a_pair_tells_what_was_found_and_whether_it_is_right(tmp_path: Path) -> None:
    pairs = [
        pair(SHEEP, ALTERED, "contradict", "altered", 1),
        pair(BUILT, ALTERED, "not_contradict", "copy", 2),
        pair(BUILT, ALTERED, "contradict", "altered", 3),
    ]
    miss, alarm, hit = evaluate_conflicts(write(tmp_path, *pairs), SETTINGS, Items())["items"]
    assert [(row["id"], row["case"], row["outcome"]) for row in (miss, alarm, hit)] == [
        ("p1", "altered", "missed"),
        ("p2", "copy", "false alarm"),
        ("p3", "altered", "right"),
    ]
    assert miss["found"] is None
    assert [side[0]["text"] for side in alarm["found"]["sides"]] == [BUILT, ALTERED]


def test_the_row_of_a_folder_tells_its_conflicts(tmp_path: Path) -> None:
    for folder, text in (("two", ALTERED), ("one", SHEEP)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(BUILT)
        (tmp_path / folder / "b.txt").write_text(text)
    scores = evaluate_alarms(tmp_path, SETTINGS, Items())
    assert [(row["id"], row["outcome"], row["conflicts"]) for row in scores["items"]] == [
        ("one", "0 conflicts", []),
        ("two", "1 conflicts", [[f"a.txt: {BUILT}", f"b.txt: {ALTERED}"]]),
    ]
    assert scores["conflicts"] == 1


def test_the_limit_takes_the_first_pairs(tmp_path: Path) -> None:
    file = write(tmp_path, pair(BUILT, ALTERED), pair(BUILT, BUILT, "not_contradict"))
    assert evaluate_conflicts(file, SETTINGS, Items(1))["pairs"] == 1


def test_a_file_without_pairs_has_scores_of_nothing(tmp_path: Path) -> None:
    scores = evaluate_conflicts(write(tmp_path), SETTINGS, Items())
    assert (scores["pairs"], scores["f1"], scores["accuracy"]) == (0, 0.0, 0.0)


def test_an_unknown_label_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"kind": "pair", "id": "a", "text_a": "", "text_b": "", "label": "maybe"}\n')
    with pytest.raises(UsageError, match="line 1"):
        evaluate_conflicts(file, SETTINGS, Items())
