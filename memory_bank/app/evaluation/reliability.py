"""Reliability of verdicts: of those given with confidence 0.8, about four in five should be right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_bank.app.evaluation.items import mean
from memory_bank.bank.conflict import Conflict

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
    """How many verdicts were decided, the share of them that is right, and beside it their mean confidence."""
    decided = [verdict for verdict in verdicts if verdict.right is not None]
    return {
        "verdicts": len(decided),
        "inconclusive": len(verdicts) - len(decided),
        "right": mean([bool(verdict.right) for verdict in decided]),
        "confidence": mean([verdict.conflict.confidence or 0.0 for verdict in decided]),
    }


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
