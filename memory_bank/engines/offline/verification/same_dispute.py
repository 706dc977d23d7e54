"""Conflicts that are one dispute: the same two statements, found in several places."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of

_SWAPPED: dict[Verdict, Verdict] = {"first": "second", "second": "first"}
_OTHER_SIDE: dict[Side, Side] = {"first": "second", "second": "first", "neither": "neither"}


def settled_before(conflict: Conflict, known: Iterable[Conflict], judge: PairJudge) -> Verification | None:
    """The verdict and evidence of an earlier conflict that is the same dispute; None if there is none.

    A conflict that has evidence was reopened: it is to be verified anew. So is one whose like could not be settled,
    for there may be more evidence by now.
    """
    if conflict.evidence:
        return None
    for other in known:
        if other.id == conflict.id or other.verdict in (None, "inconclusive") or not _touch(conflict, other):
            continue
        for swapped in (False, True):
            theirs = other.claims[::-1] if swapped else other.claims
            if all(
                says_the_same(statement_of(one), statement_of(like), judge)
                for one, like in zip(conflict.claims, theirs, strict=True)
            ):
                return taken_over(conflict, other, swapped=swapped)
    return None


def _touch(conflict: Conflict, other: Conflict) -> bool:
    """Whether two conflicts meet in a node: what became one by the earlier verdict is what later claims contradict."""
    return bool({other.merged_into, *other.node_ids} & set(conflict.node_ids))


def taken_over(conflict: Conflict, other: Conflict, *, swapped: bool) -> Verification | None:
    """The verdict on another conflict as that on this one, with its sides swapped where they are."""
    if other.verdict is None:
        return None
    evidence = [_for_side(one) for one in other.evidence] if swapped else other.evidence
    return Verification(
        conflict_id=conflict.id,
        verdict=_SWAPPED.get(other.verdict, other.verdict) if swapped else other.verdict,
        reason=f"The same dispute as {other.id}: {other.reason or ''}".strip(),
        confidence=1.0 if other.confidence is None else other.confidence,
        evidence=tuple(evidence),
    )


def _for_side(evidence: Evidence) -> Evidence:
    return evidence.model_copy(update={"supports": _OTHER_SIDE[evidence.supports]})
