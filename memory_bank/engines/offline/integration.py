"""Integration without a model: the standing claims of all nodes, and a summary of their own sentences."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.structure import SUMMARY_CHARACTERS
from memory_bank.engines.offline.summary import summarise
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge, says_any, statement_of
from memory_bank.judgement.statement import Statement
from memory_bank.one_line import one_line

MOST_KEYWORDS = 12


def integrate(given: IntegrationInput, judge: PairJudge) -> IntegrationOutput:
    """One node: nothing written anew, nothing refuted kept. Neighbours keep their own descriptions."""
    newest_first = given.nodes[::-1]
    claims = tuple(claim for node in given.nodes for claim in node.claims)
    if given.conflict is not None:
        claims = _standing(claims, given.conflict, judge)
    keywords = dict.fromkeys(keyword for node in newest_first for keyword in node.keywords)
    return IntegrationOutput(
        summary=_summary(given, claims),
        context=newest_first[0].context,
        keywords=tuple(keywords)[:MOST_KEYWORDS],
        claims=claims,
        neighbour_updates=(),
        merge_description=_description(given),
    )


def _standing(claims: tuple[Claim, ...], conflict: Conflict, judge: PairJudge) -> tuple[Claim, ...]:
    """The claims without the refuted ones and without others that say the same as a refuted one.

    Where one side stands, a claim says the same as the other only if it contradicts that side.
    """
    wrong = {claim.id for claim in conflict.refuted}
    right = _once(claim for claim in conflict.parties if claim.id not in wrong)
    others = [claim for claim in claims if claim.id not in wrong]
    same = says_any([statement_of(claim) for claim in others], _once(conflict.refuted), judge)
    likewise = [claim for claim, one in zip(others, same, strict=True) if one]
    pairs = [(statement_of(claim), one) for claim in likewise for one in right]
    against = judge_both_ways(pairs, judge).reshape(len(likewise), len(right)) >= judge.conflict_between
    falling = wrong | {claim.id for n, claim in enumerate(likewise) if not right or against[n].any()}
    return tuple(claim for claim in claims if claim.id not in falling)


def _once(claims: Iterable[Claim]) -> list[Statement]:
    """Statements of different words, the first of each."""
    return list({" ".join(claim.text.casefold().split()): statement_of(claim) for claim in claims}.values())


def _summary(given: IntegrationInput, claims: tuple[Claim, ...]) -> str:
    """What was settled first, then the nodes' sentences less those that fell."""
    settled = _settled(given.conflict) if given.conflict is not None else ""
    fallen = {one_line(claim.text) for node in given.nodes for claim in node.claims if claim not in claims}
    lines = (one_line(line) for node in given.nodes for line in node.summary.splitlines())
    kept = [line for line in dict.fromkeys(lines) if line != settled and not any(text in line for text in fallen)]
    room = max(SUMMARY_CHARACTERS - len(settled), 0)
    return f"{settled}\n{summarise(_PARAGRAPH.join(kept), room) if kept else ''}".strip()


_PARAGRAPH = "\n\n"


def _settled(conflict: Conflict) -> str:
    """The sentence that stands; where no claim states what was found, why, which says it in words."""
    if conflict.verdict in ("both", "neither"):
        return one_line(conflict.reason or "")
    standing = [claim for claim in conflict.claims if claim not in conflict.refuted]
    return one_line(standing[0].text) if len(standing) == 1 else ""


def _description(given: IntegrationInput) -> str:
    names = " and ".join(node.id for node in given.nodes)
    if given.conflict is None:
        return f"{names} say the same."
    return f"{names}: {given.conflict.description}; verdict {given.conflict.verdict}. {given.conflict.reason}"
