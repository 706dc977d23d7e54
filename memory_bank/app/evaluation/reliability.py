"""Calibration of verdicts: of those given with confidence 0.8, about four in five should be right.

A reliability table (Murphy and Winkler 1977; Guo et al. 2017) compares the mean confidence in each band with the share
of right verdicts there. The expected calibration error is the mean difference of the two, weighted by verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_bank.app.evaluation.items import mean, share
from memory_bank.bank.conflict import Conflict

BANDS = 10
"""Bands of confidence between 0 and 1; the last one includes 1."""
MOST_ERRORS = 20
"""Most errors that an evaluation lists for reading."""


@dataclass(frozen=True)
class Judged:
    """A conflict with a verdict of the agent. `right` is None if the verdict was inconclusive."""

    conflict: Conflict
    right: bool | None


def judge(conflict: Conflict, right: Iterable[str], wrong: Iterable[str]) -> Judged | None:
    """Judge the agent's verdict by which sources are known to be right and wrong; None if that is not possible.

    It is possible if all claims of one side come from `right` sources and all of the other from `wrong` ones. A verdict
    for the former side is then right and any other is wrong, except `inconclusive`, which counts as undecided.
    """
    first, second = ({claim.source for claim in side} for side in conflict.sides)
    rights, wrongs = set(right), set(wrong)
    expected = "first" if first <= rights and second <= wrongs else "second"
    if expected == "second" and not (second <= rights and first <= wrongs):
        return None
    if conflict.verdict is None or conflict.decided_by != "agent":
        return None
    return Judged(conflict, None if conflict.verdict == "inconclusive" else conflict.verdict == expected)


def reliability(verdicts: Sequence[Judged]) -> dict[str, Any]:
    """The reliability table: how many verdicts were decided and right, in all and by band of confidence."""
    decided = [verdict for verdict in verdicts if verdict.right is not None]
    bands: dict[int, list[Judged]] = {}
    for verdict in decided:
        bands.setdefault(min(int(_confidence(verdict) * BANDS), BANDS - 1), []).append(verdict)
    rows = {f"{band / BANDS:.1f}-{(band + 1) / BANDS:.1f}": _row(bands[band]) for band in sorted(bands)}
    distance = sum(row["verdicts"] * abs(row["confidence"] - row["right"]) for row in rows.values())
    return {
        "verdicts": len(decided),
        "inconclusive": len(verdicts) - len(decided),
        "right": mean([bool(verdict.right) for verdict in decided]),
        "calibration_error": share(distance, len(decided)),
        "bands": rows,
    }


def _row(verdicts: Sequence[Judged]) -> dict[str, Any]:
    return {
        "verdicts": len(verdicts),
        "confidence": mean([_confidence(verdict) for verdict in verdicts]),
        "right": mean([bool(verdict.right) for verdict in verdicts]),
    }


def _confidence(verdict: Judged) -> float:
    return verdict.conflict.confidence or 0.0


def conflict_json(conflict: Conflict) -> dict[str, Any]:
    """A conflict as JSON values, for the list of errors of an evaluation."""
    return {
        "id": conflict.id,
        "description": conflict.description,
        "sides": [[{"source": claim.source, "text": claim.text} for claim in side] for side in conflict.sides],
        "verdict": conflict.verdict,
        "confidence": conflict.confidence,
        "reason": conflict.reason,
    }
