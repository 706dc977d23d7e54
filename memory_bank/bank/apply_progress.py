"""Apply the events of the run: its status, sources, agent calls, plans, answers and long-term memory."""

from __future__ import annotations

from memory_bank.bank import events as ev
from memory_bank.bank.apply_conflicts import mark_outdated
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.state import BankState, apply_event
from memory_bank.bank.usage import Usage


@apply_event.register
def _create(event: ev.SessionCreated, state: BankState) -> None:
    if state.created_at is not None:
        raise CorruptLogError("the session is created twice")
    state.session_id, state.created_at = event.session_id, event.at
    state.engine, state.settings = event.engine, event.settings
    state.insight_doc = InsightDoc(doc_id=event.doc_id, task_goal=event.task_goal)


@apply_event.register
def _understand(event: ev.TaskUnderstood, state: BankState) -> None:
    if state.status != "created":  # a correction
        mark_outdated(state)
    state.understood = event


@apply_event.register
def _change_status(event: ev.StatusChanged, state: BankState) -> None:
    state.status = event.status
    if event.status == "running":  # a new run tries once more what an earlier one gave up
        state.given_up.clear()
    state.finished_at = event.at if event.status in ("finished", "failed", "cancelled") else None


@apply_event.register
def _note_unit(event: ev.TextClassified, state: BankState) -> None:
    state.classified.add(event.unit)


@apply_event.register
def _add_judgement(event: ev.AgentCalled | ev.AgentFailed | ev.TurnTaken, state: BankState) -> None:
    """Apply a judgement, a failed one, or a turn of the acting agent, and add up what it cost."""
    agent = "react" if isinstance(event, ev.TurnTaken) else event.agent
    # Computed first: a sum that is no number raises before anything has changed.
    usage, agent_usage = state.usage + event.usage, state.usage_of.get(agent, Usage()) + event.usage
    if isinstance(event, ev.AgentCalled):
        if event.key in state.judgements:
            raise CorruptLogError(f"judgement {event.key} is recorded twice")
        state.judgements[event.key] = event.output
        state.given_up.discard(event.key)
    elif isinstance(event, ev.TurnTaken):
        turns = state.turns.get(event.task_id, [])
        if event.number != len(turns) + 1:
            raise CorruptLogError(f"turn {event.number} of {event.task_id} does not follow turn {len(turns)}")
        state.turns[event.task_id] = [*turns, event.turn]
    else:
        state.failed_requests[event.key] += len(event.calls)
        if not event.again:
            state.given_up.add(event.key)
    state.usage, state.usage_of[agent] = usage, agent_usage


@apply_event.register
def _start_step(event: ev.PromptEnhanced, state: BankState) -> None:
    state.prompted.add(event.task_id)
    task = state.insight_doc.current_task
    if task is not None and (task.id, task.type) == (event.task_id, "NORMAL"):
        state.ask_again = False


@apply_event.register
def _plan(event: ev.PlanUpdated, state: BankState) -> None:
    state.planned = True
    state.plans += 1
    # Reading an image does not count: there is at most one such task for each image.
    state.plans_since_answer += event.current is None or event.current.image_id is None
    state.unplanned.clear()
    finished = state.insight_doc.current_task
    if finished and finished.conflict_id and event.completed:
        state.verified.add(finished.conflict_id)
        state.failed_checks[finished.conflict_id] += event.completed.status == "failed"
    state.insight_doc = state.insight_doc.plan(event.completed, event.current)


@apply_event.register
def _answer(event: ev.AnswerGiven, state: BankState) -> None:
    state.answer, state.answer_stale, state.plans_since_answer = event.answer, False, 0
    state.answer_kept = False
    state.planned, state.ask_again = True, False  # work left undone because of a limit is not started again


@apply_event.register
def _recall(event: ev.MemoryRecalled, state: BankState) -> None:
    state.recalled = event


@apply_event.register
def _keep(event: ev.MemoryKept, state: BankState) -> None:
    state.kept.append(event)
    state.answer_kept = state.answer_kept or event.closed


# -- sources


@apply_event.register
def _add_source(event: ev.SourceAdded, state: BankState) -> None:
    if event.source.id in state.sources:
        raise CorruptLogError(f"source {event.source.id} is added twice")
    state.sources[event.source.id] = event.source
    state.ids.add(event.source.id)


@apply_event.register
def _note_reading(event: ev.SourceRead, state: BankState) -> None:
    fields = {"title", "media_type", "characters", "pages", "language", "text_sha256", "dated"}
    source = state.sources[event.source_id]
    state.sources[source.id] = source.model_copy(update=event.model_dump(include=fields))


@apply_event.register
def _finish_source(event: ev.SourceRefused | ev.SourceIngested, state: BankState) -> None:
    source = state.sources[event.source_id]
    if isinstance(event, ev.SourceRefused):
        state.sources[source.id] = source.model_copy(update={"refused": event.reason})
    else:
        state.sources[source.id] = source.model_copy(update={"same_as": event.same_as or source.same_as})
    state.ingested.add(source.id)
    state.insight_doc = state.insight_doc.plan(event.task, state.insight_doc.current_task)
