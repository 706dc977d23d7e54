"""Integration by the embedded engine; which claims stand after a verdict is the model's to judge."""

from __future__ import annotations

from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline import integration
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of


def integrate(given: IntegrationInput, judge: PairJudge) -> IntegrationOutput:
    """One node: nothing written anew, nothing refuted kept. Neighbours keep their own descriptions."""
    return integration.integrate(given, lambda claims, conflict, _nodes: _standing(claims, conflict, judge))


def _standing(claims: tuple[Claim, ...], conflict: Conflict, judge: PairJudge) -> tuple[Claim, ...]:
    """The claims without the refuted ones and without others that say the same as a refuted one.

    Where one side stands, a claim says the same as the other only if it contradicts that side.
    """
    refuted = conflict.refuted
    wrong = {claim.id for claim in refuted}
    standing = [claim for claim in conflict.parties if claim.id not in wrong]

    def falls(claim: Claim) -> bool:
        if claim.id in wrong:
            return True
        if not any(says_the_same(statement_of(claim), statement_of(other), judge) for other in refuted):
            return False
        against = judge_both_ways([(statement_of(claim), statement_of(right)) for right in standing], judge)
        return not standing or bool((against >= judge.conflict_between).any())

    return tuple(claim for claim in claims if not falls(claim))
