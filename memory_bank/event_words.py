"""An event in one line of words, the same on the page, on the command line and in a replay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from memory_bank.events import (
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    EdgeCreated,
    EntryRecorded,
    Event,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    Notice,
    PlanUpdated,
    PromptEnhanced,
    SessionCreated,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)
from memory_bank.one_line import one_line

_LONGEST_ARGUMENT = 80

_LineOfSession = (
    SessionCreated | StatusChanged | SourceAdded | SourceRead | SourceRefused | SourceIngested | TextClassified
)
_LineOfAgent = AgentCalled | AgentFailed | TurnTaken | TextStreamed
_LineOfWork = PromptEnhanced | PlanUpdated | AnswerGiven | Notice


def describe(event: Event) -> str:
    """The event in words, on one line. Plain text: names and claims in it come from documents."""
    if isinstance(event, _LineOfSession):
        return one_line(_session_line(event))
    if isinstance(event, _LineOfAgent):
        return one_line(_agent_line(event))
    if isinstance(event, _LineOfWork):
        return one_line(_work_line(event))
    return one_line(_memory_line(event))


def _session_line(event: _LineOfSession) -> str:
    match event:
        case SessionCreated():
            return f"Session began: {event.task_goal}"
        case StatusChanged():
            return f"Session {event.status}" + (f": {event.reason}" if event.reason else "")
        case SourceAdded(source=source):
            use = "to check against" if source.role == "reference" else "to work on"
            return f"Received {source.name} ({source.bytes:,} bytes), {use}"
        case SourceRead():
            pages = f", {event.pages} pages" if event.pages else ""
            return f"Read {event.source_id}: {event.characters:,} characters{pages}"
        case SourceRefused():
            return f"Refused {event.source_id}: {event.reason}"
        case SourceIngested():
            return f"{event.task.description}: {event.task.context}"
        case TextClassified():
            return f"{event.unit}: {event.clusters} topics"
        case _:
            assert_never(event)


def _agent_line(event: _LineOfAgent) -> str:
    match event:
        case AgentCalled():
            subject = event.key.partition("/")[2]
            requests = f", {len(event.calls)} requests" if len(event.calls) > 1 else ""
            judged = f"{event.agent} judged {subject} ({event.usage.seconds:.2f} s{requests})"
            return judged + _remarks(remark.what for remark in event.remarks)
        case AgentFailed():
            subject = event.key.partition("/")[2]
            then = "it is tried again" if event.again else "given up"
            return f"{event.agent} failed on {subject}, attempt {event.attempt}, {then}: {event.error}"
        case TurnTaken(turn=turn):
            remarks = _remarks(remark.what for remark in turn.remarks)
            return f"Step {event.task_id}, turn {event.number}: {_turn(event)}{remarks}"
        case TextStreamed():
            return f"Step {event.task_id} says: {event.text}"
        case _:
            assert_never(event)


def _turn(event: TurnTaken) -> str:
    """What the acting agent did in a turn: the tools it asked, or its answer."""
    messages = event.turn.messages
    asked = [call for message in messages for call in message.tool_calls]
    if asked:
        return "asked " + ", ".join(f"{call.name}({_arguments(call.arguments.values())})" for call in asked)
    if messages and messages[-1].role == "tool":
        return "asked a tool in a way that could not be read"
    return "answered"


def _arguments(values: Iterable[object]) -> str:
    texts = (str(value) for value in values)
    return ", ".join(
        f"“{text}”" if len(text) <= _LONGEST_ARGUMENT else f"“{text[:_LONGEST_ARGUMENT]}…”" for text in texts
    )


def _remarks(remarks: Iterable[str]) -> str:
    said = "; ".join(remarks)
    return f" · {said}" if said else ""


def _work_line(event: _LineOfWork) -> str:
    match event:
        case PromptEnhanced():
            left_out = f", {len(event.left_out)} left out" if event.left_out else ""
            return f"Step {event.task_id} was given {len(event.node_ids)} nodes{left_out}"
        case PlanUpdated(current=current):
            return f"Planned {current.id}: {current.description}" if current else "Planned: nothing is left to do"
        case AnswerGiven(answer=answer):
            return f"Answered, with {len(answer.citations)} citations"
        case Notice():
            return event.message
        case _:
            assert_never(event)


def _memory_line(
    event: NodeCreated
    | NodeUpdated
    | NodeAnalysed
    | EdgeCreated
    | ConflictOpened
    | ConflictDecided
    | NodesMerged
    | EntryRecorded,
) -> str:
    match event:
        case NodeCreated(node=node):
            return f"New node {node.id}: {node.context}"
        case NodeUpdated():
            return f"{event.node_id} describes itself anew: {event.context}"
        case NodeAnalysed():
            return f"{event.node_id} was compared with {len(event.candidates)} nodes"
        case EdgeCreated(node_ids=(a, b)):
            return f"{a} and {b} are related"
        case ConflictOpened(conflict=conflict):
            return f"Conflict {conflict.id} between {' and '.join(conflict.node_ids)}: {conflict.description}"
        case ConflictDecided(verification=verification):
            who, verdict = event.decided_by, verification.verdict
            return f"Verdict on {verification.conflict_id} by the {who}: {verdict}. {verification.reason}"
        case NodesMerged(node=node, merge=merge):
            return f"{' and '.join(merge.node_ids)} became {node.id}"
        case EntryRecorded():
            return f"Recorded {event.entry.id} with {event.node_id}"
        case _:
            assert_never(event)
