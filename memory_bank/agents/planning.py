"""Planning: choose the next step. Only this agent decides when the work is done."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.agents.remember import PastTask
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc, TaskType
from memory_bank.bank.query_graph import Node
from memory_bank.bank.source import Source
from memory_bank.bank.value import Id, Value, Worded, WordedText
from memory_bank.text.wording import Wording, format_list


class StepReport(Worded):
    """The outcome of the last step: whether it failed, what it found, how many nodes it added."""

    failed: bool
    found: WordedText
    new_nodes: int


class PlanningInput(Value):
    """The Insight Doc, new nodes, open conflicts and waiting images. `last_step` is None at the start.

    `answered` says that the last step answered its task, with passages or with a conflict that has its verdict;
    `concerned` are the ids of the conflicts that concern what it found. `verified` are the conflicts that this and
    earlier steps verified. `conversation` holds the earlier tasks of the same conversation, oldest first.
    """

    insight_doc: InsightDoc
    new_nodes: tuple[Node, ...]
    open_conflicts: tuple[Conflict, ...]
    images: tuple[Source, ...] = ()
    last_step: StepReport | None = None
    answered: bool = False
    concerned: tuple[Id, ...] = ()
    verified: tuple[Conflict, ...] = ()
    conversation: tuple[PastTask, ...] = ()


class NextTask(Worded):
    """The next step; CROSS_VALIDATE also names its conflict, and a task of reading an image that image."""

    type: TaskType
    description: WordedText
    conflict_id: str | None = None
    image_id: Id | None = None


class PlanningOutput(Value):
    """The completed task as it is recorded, and the next one; None if nothing is left to do."""

    completed: CompletedTask | None
    next_task: NextTask | None


MOST_VERIFICATIONS = 40
"""Verifications after which the question is answered, whatever is open: the steps of a session are limited."""


def image_task(image: Source) -> NextTask:
    """The task of reading an image."""
    description = Wording("Read image {image} ({file})", image=image.id, file=image.name)
    return NextTask(type="NORMAL", description=description, image_id=image.id)


def verification_task(conflict: Conflict) -> NextTask:
    """The task of verifying a conflict; its words are the same for every engine."""
    description = Wording(
        "Verify {conflict} ({nodes}): {description}",
        conflict=conflict.id,
        nodes=format_list(conflict.node_ids),
        description=conflict.description,
    )
    return NextTask(type="CROSS_VALIDATE", description=description, conflict_id=conflict.id)


PLANNING = Agent("planning", PlanningInput, PlanningOutput, temperature=0.6, top_p=0.95)
