"""Planning without a model: conflicts that bear on the task, images, other conflicts, the question, done."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memory_bank.agents.planning import NextTask, PlanningInput, PlanningOutput, reading
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.engines.offline.bearing import bearing_on
from memory_bank.engines.offline.following.question import standing_alone
from memory_bank.modules.embedding import Embedder

MOST_CONFLICTS = 40
"""Verifications after which the question is answered, whatever is open: the steps of a session are limited."""
MOST_OTHER_CONFLICTS = 20
"""Verifications after which conflicts that do not bear on the task no longer hold up the answer."""
_VERIFY = "Verify {conflict} ({nodes}): {point}"
_VERIFIED = re.compile(r"Verify (?P<conflict>\S+) \(.*?\): (?P<point>.*)", re.DOTALL)
MOST_ATTEMPTS = 2
FOUND_CHARACTERS = 300


def plan(given: PlanningInput, embedder: Embedder) -> PlanningOutput:
    """The finished task for the record, and the next one."""
    completed = _completed(given)
    done = (*given.insight_doc.completed_tasks, *((completed,) if completed else ()))
    return PlanningOutput(completed=completed, next_task=_next(given, done, embedder))


def _completed(given: PlanningInput) -> CompletedTask | None:
    task, step = given.insight_doc.current_task, given.last_step
    if task is None or step is None:
        return None
    found = " ".join(step.found.split())
    context = found if len(found) <= FOUND_CHARACTERS else found[: FOUND_CHARACTERS - 1].rstrip() + "…"
    return CompletedTask(
        type=task.type,
        description=task.description,
        status="failed" if step.failed else "success",
        context=context,
    )


def _next(given: PlanningInput, done: tuple[CompletedTask, ...], embedder: Embedder) -> NextTask | None:
    found = [_VERIFIED.fullmatch(task.description) for task in done if task.type == "CROSS_VALIDATE"]
    verified = [match for match in found if match]
    bearing, others = _waiting(given, [match["conflict"] for match in verified], embedder)
    if given.images and not bearing:
        return reading(given.images[0])
    if waiting := bearing or others:
        conflict = _first_of_its_kind(waiting, {match["point"] for match in verified})
        nodes = " and ".join(conflict.node_ids)
        description = _VERIFY.format(conflict=conflict.id, nodes=nodes, point=conflict.description)
        return NextTask(type="CROSS_VALIDATE", description=description, conflict_id=conflict.id)
    if _question_open(given, done):
        return NextTask(type="NORMAL", description=_question(given))
    return None


def _question(given: PlanningInput) -> str:
    """What is asked, in full: a task of a conversation may leave out what the conversation is about."""
    return standing_alone(given.insight_doc.task_goal, given.conversation)


def _waiting(
    given: PlanningInput, verified: Sequence[str], embedder: Embedder
) -> tuple[Sequence[Conflict], Sequence[Conflict]]:
    """The conflicts to verify that bear on the task, and others: those that were reopened, else some of the rest.

    A conflict that was verified is open again because a person or new evidence reopened it, however many others were
    verified since.
    """
    waiting = given.open_conflicts
    few = len(verified) < MOST_CONFLICTS
    bearing = bearing_on(given.insight_doc.task_goal, waiting, embedder) if few else []
    reopened = [conflict for conflict in waiting if conflict.id in verified]
    return bearing, reopened or (waiting if len(verified) < MOST_OTHER_CONFLICTS else [])


def _first_of_its_kind(conflicts: Sequence[Conflict], points: Collection[str]) -> Conflict:
    """Of one dispute in several places one comes before the next dispute, its likes after all of them."""
    return next((conflict for conflict in conflicts if conflict.description not in points), conflicts[0])


def _question_open(given: PlanningInput, done: tuple[CompletedTask, ...]) -> bool:
    """Whether the question is still to be answered, or anew because something came since."""
    asked = _question(given)
    attempts = [index for index, task in enumerate(done) if (task.type, task.description) == ("NORMAL", asked)]
    if not attempts:
        return True
    changed = any(task.type == "CROSS_VALIDATE" for task in done[attempts[-1] :])
    brought = given.last_step is not None and given.last_step.new_nodes > 0
    return (changed or brought) and len(attempts) < MOST_ATTEMPTS
