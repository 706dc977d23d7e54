"""Memory Integration: combine several nodes into one, for a merge or after a verification."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_bank.agents.agent import Agent
from memory_bank.agents.analysis import NodeView
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.events import NeighbourUpdate
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.value import Id, Value, Worded, WordedText
from memory_bank.text.wording import Wording, format_list


class IntegrationInput(Value):
    """The nodes, oldest first, their neighbours, and why they are combined. `conflict` includes its verdict.

    `decided` are other conflicts of the nodes with verdicts that the text should follow too; each is carried out after
    this one. `written` says that the text of the only node follows the verdict on `conflict` already. `pending` are the
    other conflicts between the nodes, which are not decided.
    """

    nodes: tuple[NodeView, ...]
    neighbours: tuple[Node, ...]
    why: Literal["conflict", "merge"]
    conflict: Conflict | None = None
    decided: tuple[Conflict, ...] = ()
    written: bool = False
    pending: tuple[Conflict, ...] = ()

    @property
    def verdicts(self) -> tuple[Conflict, ...]:
        """All conflicts whose verdicts the text should follow, the one that is carried out first."""
        return (*((self.conflict,) if self.conflict else ()), *self.decided)

    @property
    def description(self) -> Wording:
        """Why the nodes are combined, in a line of ours."""
        ids = format_list([node.id for node in self.nodes])
        if self.conflict is None:
            return Wording("{nodes} say the same.", nodes=ids)
        return Wording(
            "{nodes}: {description}; verdict {verdict}. {reason}",
            nodes=ids,
            description=self.conflict.description,
            verdict=Wording(self.conflict.verdict or ""),
            reason=self.conflict.reason or "",
        )


class IntegrationOutput(Worded):
    """The combined node. `claims` are those of the nodes, without refuted ones; none may be invented.

    `follows` are the verdicts on `decided` conflicts that the text follows, by conflict.
    """

    summary: str
    context: str
    keywords: tuple[str, ...]
    claims: tuple[Claim, ...]
    neighbour_updates: tuple[NeighbourUpdate, ...]
    merge_description: WordedText
    follows: dict[Id, Verdict] = Field(default_factory=dict)


INTEGRATION = Agent("integration", IntegrationInput, IntegrationOutput, temperature=0.2, top_p=0.85)
