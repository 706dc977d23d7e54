"""What is told of a conflict in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank import judgement
from memory_bank.bank.conflict import Conflict, Status
from memory_bank.engines.llm.analysis import SURE, SURE_INSIDE
from memory_bank.views.conflict_text import LIKELY, VERY_LIKELY, certainty, conflict_heading, rank, refuted_pieces
from memory_bank.views.i18n import ENGLISH
from tests.builders import make_claim, make_conflict


def conflict(probability: float | None, status: Status = "open") -> Conflict:
    verdict = {"open": None, "disputed": "inconclusive", "resolved": "first"}[status]
    return make_conflict().model_copy(update={"probability": probability, "status": status, "verdict": verdict})


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("The dam was finished in 1970.", "The dam was finished in 1968.", "The dam was finished: 1970 or 1968"),
        ("Dogs are allowed in all rooms.", "Dogs are not allowed in any room.", "Dogs are allowed …"),
        ("It was finished in 1970.", "1968年建成。", "1970 or 1968年"),
        ("Everything\nwent well.", "Alles schlug fehl.", "“Everything went well.”"),
    ],
)
def test_the_heading_says_what_it_is_about_and_what_differs(first: str, second: str, said: str) -> None:
    assert conflict_heading(between(first, second), ENGLISH) == said


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Good news: it opens on 3\nNovember 2024.", ["3 November 2024"]),
        ("It opens on 1 October 2024.", ["1 October 2024"]),
        ("It never opens.", []),
    ],
)
def test_of_a_refuted_statement_the_value_is_marked(text: str, marked: list[str]) -> None:
    told = refuted_pieces(text, between("It opens on 1 October 2024.", "Good news: it opens on 3\nNovember 2024."))
    assert [piece for piece, is_marked in told if is_marked] == marked
    assert "".join(piece for piece, _ in told) == text.replace("\n", " ")


def between(first: str, second: str) -> Conflict:
    claims = tuple(make_claim(f"c{number}", text=text) for number, text in enumerate((first, second)))
    return make_conflict().model_copy(update={"claims": claims})


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (0.95, "very likely a contradiction"),
        (0.9, "very likely a contradiction"),
        (0.8, "likely a contradiction"),
        (0.6, "possibly a contradiction"),
        (None, ""),
    ],
)
def test_how_sure_it_is_is_told_in_words(probability: float | None, said: str) -> None:
    assert certainty(conflict(probability), ENGLISH) == said
    assert certainty(conflict(probability, "disputed"), ENGLISH) == said
    assert certainty(conflict(probability, "resolved"), ENGLISH) == ""


def test_the_words_change_where_something_is_decided() -> None:
    calibration = json.loads((Path(judgement.__file__).parent / "data" / "calibration.json").read_text())
    assert (calibration["conflict_inside"], SURE) == (LIKELY, LIKELY)
    assert VERY_LIKELY == SURE_INSIDE


def test_the_surest_comes_first_within_each_state() -> None:
    ranked = [
        conflict(0.9),
        conflict(0.6),
        conflict(None),
        conflict(0.8, "disputed"),
        conflict(0.7, "disputed"),
        conflict(0.5, "resolved"),
        conflict(0.9, "resolved"),
    ]
    assert sorted(ranked, key=rank) == ranked
