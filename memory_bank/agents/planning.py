"""Planning: the one next step. It alone decides when the work is done."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.agents.remember import PastTask
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc, TaskType
from memory_bank.bank.source import Source
from memory_bank.bank.value import Value


class StepReport(Value):
    """How the last step ended: whether it failed, what it found, how many nodes it brought."""

    failed: bool
    found: str
    new_nodes: int


class NewNode(Value):
    """A node that came since the last plan."""

    id: str
    summary: str
    context: str
    keywords: tuple[str, ...]


class PlanningInput(Value):
    """Insight Doc, what is new, and the conflicts and images waiting. `last_step` is None at the start.

    `conversation` are the tasks before this one, oldest first, where it is one of several.
    """

    insight_doc: InsightDoc
    new_nodes: tuple[NewNode, ...]
    open_conflicts: tuple[Conflict, ...]
    images: tuple[Source, ...] = ()
    last_step: StepReport | None = None
    conversation: tuple[PastTask, ...] = ()


class NextTask(Value):
    """The next step; for CROSS_VALIDATE the conflict it is about."""

    type: TaskType
    description: str
    conflict_id: str | None = None


class PlanningOutput(Value):
    """The finished task as it goes into the record, and the next one; None when nothing is left to do."""

    completed: CompletedTask | None
    next_task: NextTask | None


def reading(image: Source) -> NextTask:
    """The task that reads an image: its description names the image's id, by which the step knows it."""
    return NextTask(type="NORMAL", description=f"Read image {image.id} ({image.name})")


PLANNING = Agent("planning", PlanningInput, PlanningOutput, temperature=0.6, top_p=0.95)
