"""Tell conflicts about the same two statements, in another place, and reuse the verdict of an earlier one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from memory_bank.agents.agent import prompt_language
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of
from memory_bank.judgement.parts import disputed_parts
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differ_in_a_value
from memory_bank.text.wording import Wording

Order: TypeAlias = Literal["same", "swapped"]
FEWEST_SHARED = 0.2
"""Share of the words of the shorter claim."""

_SWAPPED: dict[str, Verdict] = {"first": "second", "second": "first"}


def reuse_verdict(conflict: Conflict, known: Iterable[Conflict], judge: PairJudge) -> Verification | None:
    """The verdict and evidence of an earlier conflict that is the same dispute; None if there is none.

    A conflict that has evidence was reopened and must be verified anew. An inconclusive verdict is not reused: there
    may be more evidence by now; nor is one that both hold without any, which is about the two documents.
    """
    for other in () if conflict.evidence else known:
        if other.verdict == "both" and not other.evidence and other.decided_by != "person":
            continue
        # Later claims contradict the node that the earlier verdict merged; a person's verdict holds everywhere.
        apart = other.decided_by != "person" and {other.merged_into, *other.node_ids}.isdisjoint(conflict.node_ids)
        if other.id == conflict.id or other.verdict is None or other.verdict == "inconclusive" or apart:
            continue
        if order := same_dispute(conflict, other, judge):
            reason = Wording("The same dispute as {conflict}: {reason}", conflict=other.id, reason=other.reason or "")
            return Verification(
                conflict_id=conflict.id,
                verdict=verdict_in_order(other.verdict, order),
                reason=reason,
                confidence=1.0 if other.confidence is None else other.confidence,
                evidence=tuple(
                    each.model_copy(update={"supports": verdict_in_order(each.supports, order)})
                    for each in other.evidence
                ),
            )
    return None


def same_dispute(
    conflict: Conflict, other: Conflict, judge: PairJudge, embedder: Embedder | None = None
) -> Order | None:
    """Whether two conflicts are about the same two statements, in the same order or with the sides swapped.

    With an embedder, statements that say more are compared by the parts in dispute too.
    """
    orders: tuple[Order, ...] = ("same", "swapped")
    for order in orders:
        others = other.claims if order == "same" else (other.claims[1], other.claims[0])
        pairs = list(zip(conflict.claims, others, strict=True))
        if not all(_may_be_the_same(*pair) for pair in pairs):
            continue
        if all(says_the_same(statement_of(one), statement_of(another), judge) for one, another in pairs) or (
            embedder is not None and contradict_alike(conflict.claims, others, judge, embedder)
        ):
            return order
    return None


def verdict_in_order(verdict: Verdict, order: Order) -> Verdict:
    """The verdict of a conflict for another that is the same dispute, whose sides may be swapped."""
    return _SWAPPED.get(verdict, verdict) if order == "swapped" else verdict


def contradict_alike(
    claims: tuple[Claim, Claim], others: tuple[Claim, Claim], judge: PairJudge, embedder: Embedder
) -> bool:
    """Whether two pairs of claims contradict each other in the same, side by side, whatever else the claims say."""
    parts, other_parts = (
        disputed_parts((statement_of(first), statement_of(second)), judge, embedder)
        for first, second in (claims, others)
    )
    return all(says_the_same(part, other, judge) for part, other in zip(parts, other_parts, strict=True))


def _may_be_the_same(one: Claim, other: Claim) -> bool:
    """Whether the networks are asked, since many conflicts make very many pairs.

    Claims of other figures are not the same, nor are those that share hardly any word; in two languages they need not.
    """
    if differ_in_a_value(one.text, other.text):
        return False
    words, others = set(tokenize(one.text)), set(tokenize(other.text))
    alike = len(words & others) >= FEWEST_SHARED * min(len(words), len(others))
    return alike or prompt_language(one.text) != prompt_language(other.text)
