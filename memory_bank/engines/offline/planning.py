"""Planning without a model: conflicts relevant to the task, images, other conflicts, the question, done."""

from __future__ import annotations

from memory_bank.agents.planning import (
    MOST_VERIFICATIONS,
    NextTask,
    PlanningInput,
    PlanningOutput,
    image_task,
    verification_task,
)
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.judgement.conflict_relevance import relevant_conflicts
from memory_bank.judgement.coreference.question import standing_alone
from memory_bank.search.embedding import Embedder
from memory_bank.text.wording import Wording, one_line

MOST_OTHER_CONFLICTS = 20
"""Verifications after which conflicts that are not relevant to the task no longer delay the answer."""
MOST_ATTEMPTS = 2
"""Times that the question is answered at most."""
FOUND_CHARACTERS = 300


def plan(agent_input: PlanningInput, embedder: Embedder) -> PlanningOutput:
    """The finished task for the record, and the next one."""
    task, step = agent_input.insight_doc.current_task, agent_input.last_step
    done, completed = agent_input.insight_doc.completed_tasks, None
    if task is not None and step is not None:
        found = one_line(step.found)
        if len(found) > FOUND_CHARACTERS and not isinstance(found, Wording):  # cut, it could not be translated
            found = f"{found[: FOUND_CHARACTERS - 1].rstrip()}…"
        completed = task.completed("failed" if step.failed else "success", found)
        done = (*done, completed)
    return PlanningOutput(completed=completed, next_task=_next_task(agent_input, done, embedder))


def _next_task(agent_input: PlanningInput, done: tuple[CompletedTask, ...], embedder: Embedder) -> NextTask | None:
    """To verify the open conflicts relevant to the task, then the reopened ones, or else the rest up to a limit."""
    goal, waiting = agent_input.insight_doc.task_goal, agent_input.open_conflicts
    verifications = sum(task.type == "CROSS_VALIDATE" for task in done)
    relevant = relevant_conflicts(goal, waiting, embedder) if verifications < MOST_VERIFICATIONS else []
    if agent_input.images and not relevant:
        return image_task(agent_input.images[0])
    verified = {conflict.id for conflict in agent_input.verified}
    reopened = [conflict for conflict in waiting if conflict.id in verified]
    others = waiting if verifications < MOST_OTHER_CONFLICTS else ()
    if chosen := relevant or reopened or others:
        # One whose point was not verified yet, so that each dispute has a turn before its repetitions.
        points = {conflict.description for conflict in agent_input.verified}
        return verification_task(next((each for each in chosen if each.description not in points), chosen[0]))
    question = standing_alone(goal, agent_input.conversation)
    if _needs_answer(question, agent_input, done):
        return NextTask(type="NORMAL", description=question)
    return None


def _needs_answer(question: str, agent_input: PlanningInput, done: tuple[CompletedTask, ...]) -> bool:
    """Whether the question has no answer yet, or something new came since and an attempt is left."""
    attempts = [n for n, task in enumerate(done) if (task.type, task.description) == ("NORMAL", question)]
    if not attempts:
        return True
    verified_since = any(task.type == "CROSS_VALIDATE" for task in done[attempts[-1] :])
    new_nodes = agent_input.last_step is not None and agent_input.last_step.new_nodes > 0
    return (verified_since or new_nodes) and len(attempts) < MOST_ATTEMPTS
