"""Integration without a model: merge nodes into one with the claims that survive, and a summary of their sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.classification import CONTEXT_CHARACTERS
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, says_any, statement_of
from memory_bank.judgement.statement import Statement
from memory_bank.text.shortening import shorten
from memory_bank.text.summary import summarise
from memory_bank.text.wording import one_line

MOST_KEYWORDS = 12
SUMMARY_CHARACTERS = 400
_OPENING = 40
"""Characters of a claim by which it is found in the name of a node, which may be cut off."""


def integrate(agent_input: IntegrationInput, judge: PairJudge) -> IntegrationOutput:
    """Merge the nodes: no sentence is written anew, no refuted claim is kept. Neighbours keep their descriptions."""
    newest_first = agent_input.nodes[::-1]
    claims = tuple(claim for node in agent_input.nodes for claim in node.claims)
    if agent_input.conflict is not None:
        claims = _surviving_claims(claims, agent_input.conflict, judge)
    removed = {one_line(claim.text) for node in agent_input.nodes for claim in node.claims if claim not in claims}
    summary = _summary(agent_input, removed)
    standing = (node.context for node in newest_first if not any(text[:_OPENING] in node.context for text in removed))
    keywords = dict.fromkeys(keyword for node in newest_first for keyword in node.keywords)
    return IntegrationOutput(
        summary=summary,
        context=next(standing, shorten(summary.partition("\n")[0], CONTEXT_CHARACTERS)),
        keywords=tuple(keywords)[:MOST_KEYWORDS],
        claims=claims,
        neighbour_updates=(),
        merge_description=agent_input.description,
    )


def _surviving_claims(claims: tuple[Claim, ...], conflict: Conflict, judge: PairJudge) -> tuple[Claim, ...]:
    """The claims without the refuted ones and without others that say the same as a refuted one.

    Where one side holds, a claim that says the same as the other side goes only if it contradicts the side that holds.
    """
    refuted_ids = {claim.id for claim in conflict.refuted}
    holding = _distinct_statements(claim for claim in conflict.parties if claim.id not in refuted_ids)
    others = [claim for claim in claims if claim.id not in refuted_ids]
    repeats = says_any([statement_of(claim) for claim in others], _distinct_statements(conflict.refuted), judge)
    repeating = [claim for claim, is_repeat in zip(others, repeats, strict=True) if is_repeat]
    pairs = [(statement_of(claim), statement) for claim in repeating for statement in holding]
    contradicts = judge_both_ways(pairs, judge).reshape(len(repeating), len(holding)) >= judge.conflict_between
    removed = refuted_ids | {claim.id for n, claim in enumerate(repeating) if not holding or contradicts[n].any()}
    return tuple(claim for claim in claims if claim.id not in removed)


def _distinct_statements(claims: Iterable[Claim]) -> list[Statement]:
    """The claims as statements, one of each wording."""
    return list({" ".join(claim.text.casefold().split()): statement_of(claim) for claim in claims}.values())


def _summary(agent_input: IntegrationInput, removed: Collection[str]) -> str:
    """The outcome of the conflict first, then the nodes' sentences without those that state a removed claim."""
    conflict, outcome = agent_input.conflict, ""
    if conflict is not None and conflict.verdict in ("both", "neither"):  # no claim states it, its reason does
        outcome = one_line(conflict.reason or "")
    elif conflict is not None:
        holding = [claim for claim in conflict.claims if claim not in conflict.refuted]
        outcome = one_line(holding[0].text) if len(holding) == 1 else ""
    lines = dict.fromkeys(one_line(line) for node in agent_input.nodes for line in node.summary.splitlines())
    remaining = [
        line for line in lines if line != outcome and not any(text in line or line in text for text in removed)
    ]
    room = max(SUMMARY_CHARACTERS - len(outcome), 0)
    summary = summarise("\n\n".join(remaining), room) if remaining else ""
    return f"{outcome}\n{summary}".strip()
