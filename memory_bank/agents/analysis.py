"""Memory Analysis: relate a new node to existing ones. Conflict takes precedence over merge, merge over related."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_bank.agents.agent import Agent
from memory_bank.bank.conflict import FoundBy
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Value, Worded, WordedText

RelationType = Literal["conflict", "merge", "related", "unrelated"]
Phase = Literal["all", "conflict_merge", "related"]

RELATIONS_BY_PHASE: dict[Phase, tuple[RelationType, ...]] = {
    "all": ("conflict", "merge", "related"),
    "conflict_merge": ("conflict", "merge"),
    "related": ("related",),
}
"""The relations that each phase looks for: all at once, or in two phases (ANALYSIS_MODE `two_phase`)."""


class NodeView(Value):
    """A node as an agent sees it, without its embedding. `topic` is the title of the document it came from.

    `head` is what stands before the first sentence of that document, such as its author; empty if it has several.
    By claim id, `voices` says who made a claim in a chat, and when, and `dates` the date of its document; `items` are
    the claims that are entries of lists.
    """

    id: str
    summary: str
    context: str
    keywords: tuple[str, ...]
    topic: str = ""
    head: str = ""
    claims: tuple[Claim, ...] = ()
    voices: dict[str, str] = Field(default_factory=dict)
    dates: dict[str, str] = Field(default_factory=dict)
    items: frozenset[str] = frozenset()


class AnalysisInput(Value):
    """The new node and the candidates, best first. It is one itself where contradictions inside it are looked for.

    `goal` is what the person works on, `claims` how many claims are in memory, `checkable` whether there are reference
    sources to check them against. Of a `merged` node, `compared` are the pairs of entries, by id, whose claims a model
    compared before the merge.
    """

    node: NodeView
    candidates: tuple[NodeView, ...]
    phase: Phase = "all"
    goal: str = ""
    claims: int = 0
    checkable: bool = False
    merged: bool = False
    compared: frozenset[frozenset[str]] = frozenset()


class Contradiction(Worded):
    """Two claims that cannot both be true, by id, what they disagree about, and who found it.

    `bears` says whether the goal asks about it, where that was judged.
    """

    new_claim: str
    existing_claim: str
    description: WordedText
    confidence: float
    found_by: FoundBy = "agent"
    bears: bool | None = None


class Description(Value):
    """A node's new context and keywords, once its relation to another node is known."""

    context: str
    keywords: tuple[str, ...]


class Relation(Worded):
    """The relation of the new node to one candidate."""

    existing_id: str
    relation: RelationType
    confidence: float
    reasoning: WordedText
    contradictions: tuple[Contradiction, ...] = ()
    new_description: Description | None = None
    existing_description: Description | None = None


class AnalysisOutput(Value):
    """At most one relation per candidate; unrelated ones, and those the phase does not look for, may be left out."""

    relations: tuple[Relation, ...]


ANALYSIS = Agent("analysis", AnalysisInput, AnalysisOutput, temperature=0.4, top_p=0.9)
