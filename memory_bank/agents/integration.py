"""Memory Integration: makes one node of several, by a merge or after a verification."""

from __future__ import annotations

from typing import Literal

from memory_bank.agents.agent import Agent
from memory_bank.agents.analysis import NodeView
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.value import Value
from memory_bank.events import NeighbourUpdate


class NeighbourView(Value):
    """What Integration sees of a neighbour."""

    id: str
    context: str
    keywords: tuple[str, ...]


class IntegrationInput(Value):
    """The nodes, oldest first, their neighbours, and why they become one. `conflict` carries its verdict."""

    nodes: tuple[NodeView, ...]
    neighbours: tuple[NeighbourView, ...]
    why: Literal["conflict", "merge"]
    conflict: Conflict | None = None


class IntegrationOutput(Value):
    """The merged node. `claims` are taken from the nodes: none is invented, refuted ones are left out."""

    summary: str
    context: str
    keywords: tuple[str, ...]
    claims: tuple[Claim, ...]
    neighbour_updates: tuple[NeighbourUpdate, ...]
    merge_description: str


INTEGRATION = Agent("integration", IntegrationInput, IntegrationOutput, temperature=0.2, top_p=0.85)
