"""The reliability table, by worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.evaluation.reliability import Judged, judge, reliability
from memory_bank.bank.conflict import Conflict, DecidedBy, Verdict
from tests.builders import make_claim, make_conflict

GOOD, BAD = "good.txt", "bad.txt"


def conflict(
    first: str, second: str, verdict: Verdict | None, confidence: float = 0.8, by: DecidedBy | None = "agent"
) -> Conflict:
    claims = tuple(
        make_claim(f"c{at}", f"e{at}").model_copy(update={"source": name}) for at, name in enumerate((first, second))
    )
    update = {"claims": claims, "verdict": verdict, "confidence": confidence, "decided_by": by}
    return make_conflict().model_copy(update=update)


def verdicts(*given: tuple[float, bool | None]) -> list[Judged]:
    return [Judged(conflict(GOOD, BAD, "first", confidence), right) for confidence, right in given]


@pytest.mark.parametrize(
    ("first", "second", "verdict", "right"),
    [
        (GOOD, BAD, "first", True),
        (BAD, GOOD, "second", True),
        (GOOD, BAD, "second", False),
        (GOOD, BAD, "both", False),
        (GOOD, BAD, "neither", False),
        (GOOD, BAD, "inconclusive", None),
    ],
)
def test_a_verdict_is_right_when_it_picks_the_claim_of_the_right_source(
    first: str, second: str, verdict: Verdict, *, right: bool | None
) -> None:
    judged = judge(conflict(first, second, verdict), [GOOD], [BAD])
    assert judged is not None
    assert judged.right is right


@pytest.mark.parametrize(("first", "second"), [(GOOD, GOOD), (BAD, BAD), (GOOD, "other.txt"), ("other.txt", BAD)])
def test_nothing_is_known_of_a_conflict_that_is_not_between_right_and_wrong(first: str, second: str) -> None:
    assert judge(conflict(first, second, "first"), [GOOD], [BAD]) is None


def test_what_is_not_decided_and_what_a_person_decided_is_not_judged() -> None:
    assert judge(conflict(GOOD, BAD, None, by=None), [GOOD], [BAD]) is None
    assert judge(conflict(GOOD, BAD, "first", 1.0, by="person"), [GOOD], [BAD]) is None


def test_verdicts_are_counted_by_band_and_the_inconclusive_ones_apart() -> None:
    table = reliability(verdicts((0.8, True), (0.85, True), (0.82, True), (0.81, False), (0.6, False), (0.5, None)))
    assert (table["verdicts"], table["inconclusive"], table["right"]) == (5, 1, 0.6)
    assert table["bands"] == {
        "0.6-0.7": {"verdicts": 1, "confidence": 0.6, "right": 0.0},
        "0.8-0.9": {"verdicts": 4, "confidence": 0.82, "right": 0.75},
    }
    assert table["calibration_error"] == pytest.approx((1 * 0.6 + 4 * 0.07) / 5, abs=1e-4)


def test_certainty_is_in_the_last_band_and_right_certainty_has_no_error() -> None:
    table = reliability(verdicts((1.0, True), (0.9, True)))
    assert list(table["bands"]) == ["0.9-1.0"]
    assert table["calibration_error"] == 0.05


def test_no_verdicts_are_a_table_of_nothing() -> None:
    empty = {"verdicts": 0, "inconclusive": 0, "right": 0.0, "calibration_error": 0.0, "bands": {}}
    assert reliability([]) == empty


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([True, False, None]))))
def test_every_verdict_is_in_one_band(given_verdicts: list[tuple[float, bool | None]]) -> None:
    table = reliability(verdicts(*given_verdicts))
    assert sum(row["verdicts"] for row in table["bands"].values()) == table["verdicts"]
    assert table["verdicts"] + table["inconclusive"] == len(given_verdicts)
    assert 0.0 <= table["calibration_error"] <= 1.0
