"""Tell conflicts about the same two statements, in another place, and reuse the verdict of an earlier one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from memory_bank.agents.agent import prompt_language
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differ_in_a_value
from memory_bank.text.wording import Wording

FEWEST_SHARED = 0.2
"""Share of the words of the shorter claim."""

_SWAPPED: dict[str, Verdict] = {"first": "second", "second": "first"}


def reuse_verdict(conflict: Conflict, known: Iterable[Conflict], judge: PairJudge) -> Verification | None:
    """The verdict and evidence of an earlier conflict that is the same dispute; None if there is none.

    A conflict that has evidence was reopened and must be verified anew. An inconclusive verdict is not reused: there
    may be more evidence by now.
    """
    if conflict.evidence:
        return None
    for other in known:
        # Later claims contradict the node that the earlier verdict merged.
        apart = {other.merged_into, *other.node_ids}.isdisjoint(conflict.node_ids)
        if other.id == conflict.id or other.verdict in (None, "inconclusive") or apart:
            continue
        swapped = same_dispute(conflict, other, judge)
        if swapped is not None:
            return _taken_over(conflict, other, swapped=swapped == "swapped")
    return None


def same_dispute(conflict: Conflict, other: Conflict, judge: PairJudge) -> Literal["same", "swapped"] | None:
    """Whether two conflicts are about the same two statements, in the same order or with the sides swapped."""
    orders: tuple[Literal["same", "swapped"], ...] = ("same", "swapped")
    for order in orders:
        pairs = list(zip(conflict.claims, other.claims if order == "same" else other.claims[::-1], strict=True))
        if all(_may_be_the_same(*pair) for pair in pairs) and all(
            says_the_same(statement_of(claim), statement_of(other_claim), judge) for claim, other_claim in pairs
        ):
            return order
    return None


def _may_be_the_same(one: Claim, other: Claim) -> bool:
    """Whether the networks are asked, since many conflicts make very many pairs.

    Claims of other figures are not the same, nor are those that share hardly any word; in two languages they need not.
    """
    if differ_in_a_value(one.text, other.text):
        return False
    words, others = set(tokenize(one.text)), set(tokenize(other.text))
    return prompt_language(one.text) != prompt_language(other.text) or len(words & others) >= FEWEST_SHARED * min(
        len(words), len(others)
    )


def _taken_over(conflict: Conflict, other: Conflict, *, swapped: bool) -> Verification | None:
    """Apply another conflict's verdict to this one, with its sides swapped if `swapped`; None if it has none."""
    if other.verdict is None:
        return None
    evidence = other.evidence
    if swapped:
        evidence = tuple(
            item.model_copy(update={"supports": _SWAPPED.get(item.supports, item.supports)}) for item in other.evidence
        )
    return Verification(
        conflict_id=conflict.id,
        verdict=_SWAPPED.get(other.verdict, other.verdict) if swapped else other.verdict,
        reason=Wording("The same dispute as {conflict}: {reason}", conflict=other.id, reason=other.reason or ""),
        confidence=1.0 if other.confidence is None else other.confidence,
        evidence=evidence,
    )
