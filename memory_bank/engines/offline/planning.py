"""Planning without a model: conflicts that bear on the task, other conflicts, the question, done."""

from __future__ import annotations

import re

from memory_bank.agents.planning import NextTask, PlanningInput, PlanningOutput
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.engines.offline.bearing import bearing_on
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
    conflict = _next_conflict(given, done, embedder)
    if conflict is not None:
        nodes = " and ".join(conflict.node_ids)
        description = _VERIFY.format(conflict=conflict.id, nodes=nodes, point=conflict.description)
        return NextTask(type="CROSS_VALIDATE", description=description, conflict_id=conflict.id)
    if _question_open(given, done):
        return NextTask(type="NORMAL", description=given.insight_doc.task_goal)
    return None


def _next_conflict(given: PlanningInput, done: tuple[CompletedTask, ...], embedder: Embedder) -> Conflict | None:
    """The next conflict to verify: those that bear on the task, those that were reopened, and some of the others.

    A conflict that was verified is open again because a person or new evidence reopened it, however many others were
    verified since. Of one dispute in several places one comes before the next dispute, its likes after all of them.
    """
    found = [_VERIFIED.fullmatch(task.description) for task in done if task.type == "CROSS_VALIDATE"]
    verified = [match["conflict"] for match in found if match]
    points = {match["point"] for match in found if match}
    waiting = list(given.open_conflicts)
    few = len(verified) < MOST_CONFLICTS
    bearing = bearing_on(given.insight_doc.task_goal, waiting, embedder) if few else []
    reopened = [conflict for conflict in waiting if conflict.id in verified]
    others = waiting if len(verified) < MOST_OTHER_CONFLICTS else []
    for group in (bearing, reopened, others):
        if group:
            return next((conflict for conflict in group if conflict.description not in points), group[0])
    return None


def _question_open(given: PlanningInput, done: tuple[CompletedTask, ...]) -> bool:
    """Whether the question is still to be answered, or anew because something came since."""
    attempts = [index for index, task in enumerate(done) if _is_question(task, given.insight_doc)]
    if not attempts:
        return True
    changed = any(task.type == "CROSS_VALIDATE" for task in done[attempts[-1] :])
    brought = given.last_step is not None and given.last_step.new_nodes > 0
    return (changed or brought) and len(attempts) < MOST_ATTEMPTS


def _is_question(task: CompletedTask, doc: InsightDoc) -> bool:
    return task.type == "NORMAL" and task.description == doc.task_goal
