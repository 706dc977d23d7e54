"""Memory Analysis: how a new node stands to existing ones. Conflict before merge before related before unrelated."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_bank.agents.agent import Agent
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Value

RelationType = Literal["conflict", "merge", "related", "unrelated"]
Phase = Literal["all", "conflict_merge", "related"]

LOOKED_FOR: dict[Phase, tuple[RelationType, ...]] = {
    "all": ("conflict", "merge", "related"),
    "conflict_merge": ("conflict", "merge"),
    "related": ("related",),
}
"""What a judgement looks for: everything at once, or in two of them (ANALYSIS_MODE `two_phase`)."""


class NodeView(Value):
    """What an agent sees of a node: never its embedding. `topic` is the title of the document it came from.

    `voices` tell of claims from a chat, by their ids, who said them and when.
    """

    id: str
    summary: str
    context: str
    keywords: tuple[str, ...]
    topic: str = ""
    claims: tuple[Claim, ...] = ()
    voices: dict[str, str] = Field(default_factory=dict)


class AnalysisInput(Value):
    """The new node and the candidates, best first; the node itself is among them, for contradictions inside it."""

    node: NodeView
    candidates: tuple[NodeView, ...]
    phase: Phase = "all"


class Contradiction(Value):
    """Two claims that cannot both hold, by id, and what they disagree about."""

    new_claim: str
    existing_claim: str
    description: str
    confidence: float


class Description(Value):
    """How a node describes itself once its relation to another is known."""

    context: str
    keywords: tuple[str, ...]


class Relation(Value):
    """How the new node stands to one candidate."""

    existing_id: str
    relation: RelationType
    confidence: float
    reasoning: str
    contradictions: tuple[Contradiction, ...] = ()
    new_description: Description | None = None
    existing_description: Description | None = None


class AnalysisOutput(Value):
    """At most one relation for each candidate; unrelated ones, and those not looked for, may be left out."""

    relations: tuple[Relation, ...]


ANALYSIS = Agent("analysis", AnalysisInput, AnalysisOutput, temperature=0.4, top_p=0.9)
