"""Integration without a model: the standing claims of all nodes, and a summary of their own sentences."""

from __future__ import annotations

from memory_bank.agents.analysis import NodeView
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims import ClaimText
from memory_bank.engines.offline.comparison import Relation, compare
from memory_bank.engines.offline.structure import SUMMARY_CHARACTERS
from memory_bank.engines.offline.summary import summarise

MOST_KEYWORDS = 12


def integrate(given: IntegrationInput) -> IntegrationOutput:
    """One node: nothing written anew, nothing refuted kept. Neighbours keep their own descriptions."""
    newest_first = given.nodes[::-1]
    claims = tuple(claim for node in given.nodes for claim in node.claims)
    if given.conflict is not None:
        claims = _standing(claims, given.conflict, given.nodes)
    keywords = dict.fromkeys(keyword for node in newest_first for keyword in node.keywords)
    return IntegrationOutput(
        summary=_summary(given, claims),
        context=newest_first[0].context,
        keywords=tuple(keywords)[:MOST_KEYWORDS],
        claims=claims,
        neighbour_updates=(),
        merge_description=_description(given),
    )


def _standing(claims: tuple[Claim, ...], conflict: Conflict, nodes: tuple[NodeView, ...]) -> tuple[Claim, ...]:
    """The claims without the refuted ones and without others that say the same as a refuted one.

    Where one side stands, a claim says the same as the other only if it contradicts that side.
    """
    refuted = conflict.refuted
    topics = {claim.id: node.topic for node in nodes for claim in node.claims}
    standing = [claim for claim in conflict.claims if claim not in refuted]

    def says(claim: Claim, other: Claim, relation: Relation) -> bool:
        left = ClaimText(claim.text, topics.get(claim.id, ""))
        right = ClaimText(other.text, topics.get(other.id, ""))
        return compare(left, right).relation is relation

    def falls(claim: Claim) -> bool:
        if any(claim.id == wrong.id for wrong in refuted):
            return True
        against = any(says(claim, right, Relation.CONTRADICT) for right in standing if right.id != claim.id)
        return (against or not standing) and any(says(claim, wrong, Relation.AGREE) for wrong in refuted)

    return tuple(claim for claim in claims if not falls(claim))


def _summary(given: IntegrationInput, claims: tuple[Claim, ...]) -> str:
    """The nodes' sentences less those that fell, and for a verdict what it was."""
    fallen = {" ".join(claim.text.split()) for node in given.nodes for claim in node.claims if claim not in claims}
    lines = [line for node in given.nodes for line in node.summary.splitlines()]
    kept = [line for line in dict.fromkeys(lines) if line not in fallen]
    summary = summarise("\n\n".join(kept), SUMMARY_CHARACTERS) if kept else ""
    if given.conflict is not None and given.conflict.verdict in ("both", "neither"):
        summary = f"{given.conflict.reason}\n{summary}".strip()
    return summary


def _description(given: IntegrationInput) -> str:
    names = " and ".join(node.id for node in given.nodes)
    if given.conflict is None:
        return f"{names} say the same."
    return f"{names}: {given.conflict.description}; verdict {given.conflict.verdict}. {given.conflict.reason}"
