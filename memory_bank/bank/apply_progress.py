"""Apply the events of the run: its status, agent calls, plans, answers and long-term memory."""

from __future__ import annotations

from memory_bank.bank.apply_conflicts import mark_outdated
from memory_bank.bank.apply_sources import image_of_task
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    MemoryKept,
    MemoryRecalled,
    PlanUpdated,
    PromptEnhanced,
    SessionCreated,
    StatusChanged,
    TaskUnderstood,
    TurnTaken,
)
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.state import BankState
from memory_bank.bank.usage import Usage


def apply_session_event(state: BankState, event: SessionCreated | StatusChanged | TaskUnderstood) -> None:
    """Apply the creation of the session, how its task was understood, or a change of its status."""
    if isinstance(event, SessionCreated):
        if state.created_at is not None:
            raise CorruptLogError("the session is created twice")
        state.session_id, state.created_at = event.session_id, event.at
        state.engine, state.settings = event.engine, event.settings
        state.insight_doc = InsightDoc(doc_id=event.doc_id, task_goal=event.task_goal)
        return
    if isinstance(event, TaskUnderstood):
        if state.status != "created":  # a correction
            mark_outdated(state)
        state.understood = event
        return
    state.status = event.status
    if event.status == "running":  # a new run tries once more what an earlier one gave up
        state.given_up.clear()
    state.finished_at = event.at if event.status in ("finished", "failed", "cancelled") else None


def apply_agent_event(state: BankState, event: AgentCalled | AgentFailed | TurnTaken) -> None:
    """Apply a judgement, a failed one, or a turn of the acting agent, and add up what it cost."""
    agent = "react" if isinstance(event, TurnTaken) else event.agent
    # Computed first: a sum that is no number raises before anything has changed.
    usage, agent_usage = state.usage + event.usage, state.usage_of.get(agent, Usage()) + event.usage
    if isinstance(event, AgentCalled):
        if event.key in state.judgements:
            raise CorruptLogError(f"judgement {event.key} is recorded twice")
        state.judgements[event.key] = event.output
        state.given_up.discard(event.key)
    elif isinstance(event, TurnTaken):
        turns = state.turns.get(event.task_id, [])
        if event.number != len(turns) + 1:
            raise CorruptLogError(f"turn {event.number} of {event.task_id} does not follow turn {len(turns)}")
        state.turns[event.task_id] = [*turns, event.turn]
    else:
        state.failed_requests[event.key] += len(event.calls)
        if not event.again:
            state.given_up.add(event.key)
    state.usage, state.usage_of[agent] = usage, agent_usage


def apply_task_event(state: BankState, event: PromptEnhanced | PlanUpdated | AnswerGiven) -> None:
    """Apply the start of a step, a plan, or the answer."""
    match event:
        case PromptEnhanced():
            state.prompted.add(event.task_id)
            task = state.insight_doc.current_task
            if task is not None and (task.id, task.type) == (event.task_id, "NORMAL"):
                state.ask_again = False
        case PlanUpdated():
            _apply_plan(state, event)
        case AnswerGiven():
            state.answer, state.answer_stale, state.plans_since_answer = event.answer, False, 0
            state.answer_kept = False
            state.planned, state.ask_again = True, False  # work left undone because of a limit is not started again


def _apply_plan(state: BankState, event: PlanUpdated) -> None:
    state.planned = True
    state.plans += 1
    # Reading an image does not count: there is at most one such task for each image.
    reads_image = event.current is not None and image_of_task(state, event.current) is not None
    state.plans_since_answer += not reads_image
    state.unplanned.clear()
    finished = state.insight_doc.current_task
    if finished and finished.conflict_id and event.completed and event.completed.status == "failed":
        state.failed_checks[finished.conflict_id] += 1
    state.insight_doc = state.insight_doc.plan(event.completed, event.current)


def apply_long_term_event(state: BankState, event: MemoryRecalled | MemoryKept) -> None:
    """Apply what was read from or written to long-term memory."""
    if isinstance(event, MemoryRecalled):
        state.recalled = event
    else:
        state.kept.append(event)
        state.answer_kept = state.answer_kept or event.closed
