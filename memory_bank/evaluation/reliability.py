"""How far the confidence in verdicts can be believed: of those given at 0.8, about four in five should be right.

A reliability table (Murphy and Winkler 1977; Guo et al. 2017): verdicts in bands of confidence, against how many in
each band were right; and the expected calibration error, the mean distance of the two weighted by verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_bank.bank.conflict import Conflict

BANDS = 10
"""Bands between 0 and 1; the last one holds 1 itself."""
MOST_ERRORS = 20
"""Errors that an evaluation gives for reading."""


@dataclass(frozen=True)
class Judged:
    """A verdict of the agent on a conflict, with whether it was right; None when it decided for no side."""

    conflict: Conflict
    right: bool | None


def judge(conflict: Conflict, right: Iterable[str], wrong: Iterable[str]) -> Judged | None:
    """How a verdict stands to what is known of the sources; None for a conflict that this says nothing about.

    Known is that one side comes from sources that are `right` and the other from such that are `wrong`: the verdict
    that picks the former is right, and any other one wrong, except that `inconclusive` decides nothing.
    """
    first, second = ({claim.source for claim in side} for side in conflict.sides)
    rights, wrongs = set(right), set(wrong)
    wanted = "first" if first <= rights and second <= wrongs else "second"
    if wanted == "second" and not (second <= rights and first <= wrongs):
        return None
    if conflict.verdict is None or conflict.decided_by != "agent":
        return None
    return Judged(conflict, None if conflict.verdict == "inconclusive" else conflict.verdict == wanted)


def reliability(verdicts: Sequence[Judged]) -> dict[str, Any]:
    """The table: how many verdicts decided and how many were right, in all and by band of confidence."""
    decided = [one for one in verdicts if one.right is not None]
    bands: dict[int, list[Judged]] = {}
    for one in decided:
        bands.setdefault(min(int(_confidence(one) * BANDS), BANDS - 1), []).append(one)
    rows = {f"{band / BANDS:.1f}-{(band + 1) / BANDS:.1f}": _row(bands[band]) for band in sorted(bands)}
    distance = sum(row["verdicts"] * abs(row["confidence"] - row["right"]) for row in rows.values())
    return {
        "verdicts": len(decided),
        "inconclusive": len(verdicts) - len(decided),
        "right": _mean([bool(one.right) for one in decided]),
        "calibration_error": round(distance / max(len(decided), 1), 4),
        "bands": rows,
    }


def _row(verdicts: Sequence[Judged]) -> dict[str, Any]:
    return {
        "verdicts": len(verdicts),
        "confidence": _mean([_confidence(one) for one in verdicts]),
        "right": _mean([bool(one.right) for one in verdicts]),
    }


def _confidence(one: Judged) -> float:
    return one.conflict.confidence or 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def told(conflict: Conflict) -> dict[str, Any]:
    """A conflict for whoever reads the errors of an evaluation."""
    return {
        "id": conflict.id,
        "description": conflict.description,
        "sides": [[{"source": claim.source, "text": claim.text} for claim in side] for side in conflict.sides],
        "verdict": conflict.verdict,
        "confidence": conflict.confidence,
        "reason": conflict.reason,
    }
