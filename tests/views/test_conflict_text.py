"""What is told of a conflict in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank import judgement
from memory_bank.bank.conflict import Conflict, Status
from memory_bank.engines.llm.analysis import SURE, SURE_INSIDE
from memory_bank.views.conflict_text import LIKELY, VERY_LIKELY, certainty, rank
from memory_bank.views.i18n import ENGLISH
from tests.builders import make_conflict


def conflict(probability: float | None, status: Status = "open") -> Conflict:
    verdict = {"open": None, "disputed": "inconclusive", "resolved": "first"}[status]
    return make_conflict().model_copy(update={"probability": probability, "status": status, "verdict": verdict})


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
    assert rank(conflict(0.6, "resolved"), "open") == rank(conflict(0.6)), "ranked as what it was"
