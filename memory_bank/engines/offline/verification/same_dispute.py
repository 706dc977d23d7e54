"""Conflicts that are one dispute: the same two values of the same thing, found in several places."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification
from memory_bank.engines.offline.claims.claims import ClaimText, claim_features
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.engines.offline.verification.point import Point, same_value

_SWAPPED: dict[Verdict, Verdict] = {"first": "second", "second": "first"}
_OTHER_SIDE: dict[Side, Side] = {"first": "second", "second": "first", "neither": "neither"}


def settled_before(conflict: Conflict, point: Point, known: Iterable[Conflict]) -> Verification | None:
    """The verdict and evidence of an earlier conflict that is the same dispute; None if there is none.

    A conflict that has evidence was reopened: it is to be verified anew. So is one whose like could not be settled,
    for there may be more evidence by now.
    """
    if conflict.evidence:
        return None
    for other in known:
        if other.id == conflict.id or other.verdict in (None, "inconclusive") or not _of_one_thing(conflict, other):
            continue
        swapped = _same(point, Point.of(other, point.claims[0].topic, point.claims[0].kinds))
        if swapped is not None:
            return taken_over(conflict, other, swapped=swapped)
    return None


def _of_one_thing(conflict: Conflict, other: Conflict) -> bool:
    """Whether two conflicts touch in a node, and name no two things: two mills may be said to have been built in 1905.

    What became one node by the earlier verdict is what the later claims contradict.
    """
    if not {other.merged_into, *other.node_ids} & set(conflict.node_ids):
        return False
    mine, theirs = (_named(one) for one in (conflict, other))
    return not mine or not theirs or any(a <= b or b <= a for a in mine for b in theirs)


def _named(conflict: Conflict) -> list[frozenset[str]]:
    """The subjects that the claims of a conflict name."""
    subjects = (claim_features(ClaimText(claim.text)).subject for claim in conflict.claims)
    return [subject.words for subject in subjects if subject.kind is SubjectKind.NAME and subject.words]


def _same(point: Point, other: Point) -> bool | None:
    """Whether two points are one, with the sides swapped (true) or as they are (false); None if they are not."""
    if point.spans is None or other.spans is None or point.attribute != other.attribute:
        return None
    mine, theirs = ([span.text for span in each] for each in (point.spans, other.spans))
    if all(same_value(*pair) for pair in zip(mine, theirs, strict=True)):
        return False
    return True if all(same_value(*pair) for pair in zip(mine, theirs[::-1], strict=True)) else None


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
