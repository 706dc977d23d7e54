"""The reliability table, by worked examples."""

from __future__ import annotations

import pytest

from memory_bank.app.evaluation.qa import Judged, judge, reliability
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


def test_verdicts_are_counted_and_the_inconclusive_ones_apart() -> None:
    given = verdicts((0.8, True), (0.85, True), (0.82, True), (0.81, False), (0.6, False), (0.5, None))
    assert reliability(given) == {"verdicts": 5, "inconclusive": 1, "right": 0.6, "confidence": 0.776}
    assert reliability([]) == {"verdicts": 0, "inconclusive": 0, "right": 0.0, "confidence": 0.0}
