"""An event in one line of words, the same on the page, on the command line and in a replay, in any language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from memory_bank.events import (
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    ConflictSupported,
    EdgeCreated,
    EntryRecorded,
    Event,
    MemoryKept,
    MemoryRecalled,
    MergeReverted,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    Notice,
    PersonDecided,
    PlanUpdated,
    PromptEnhanced,
    SessionCreated,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    Status,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)
from memory_bank.one_line import one_line
from memory_bank.words import ENGLISH, Words, later

_LONGEST_ARGUMENT = 80
_STATUS: dict[Status, str] = {
    "created": later("Session created"),
    "running": later("Session running"),
    "paused": later("Session paused"),
    "cancelled": later("Session cancelled"),
    "failed": later("Session failed"),
    "finished": later("Session finished"),
}

_LineOfSession = (
    SessionCreated | StatusChanged | SourceAdded | SourceRead | SourceRefused | SourceIngested | TextClassified
)
_LineOfAgent = AgentCalled | AgentFailed | TurnTaken | TextStreamed
_LineOfWork = PromptEnhanced | PlanUpdated | AnswerGiven | Notice
_LineOfContradiction = ConflictOpened | ConflictSupported
_LineOfDecision = ConflictDecided | PersonDecided | ConflictReopened
_LineOfLongTerm = MemoryRecalled | MemoryKept
_LineOfMemory = NodeCreated | NodeUpdated | NodeAnalysed | EdgeCreated | NodesMerged | MergeReverted | EntryRecorded


def describe(event: Event, words: Words = ENGLISH) -> str:
    """The event in words, on one line. Plain text: names and claims in it come from documents."""
    if isinstance(event, _LineOfSession):
        return one_line(_session_line(event, words))
    if isinstance(event, _LineOfAgent):
        return one_line(_agent_line(event, words))
    if isinstance(event, _LineOfWork):
        return one_line(_work_line(event, words))
    if isinstance(event, _LineOfContradiction):
        return one_line(_contradiction_line(event, words))
    if isinstance(event, _LineOfDecision):
        return one_line(_decision_line(event, words))
    if isinstance(event, _LineOfLongTerm):
        return one_line(_long_term_line(event, words))
    return one_line(_memory_line(event, words))


def _session_line(event: _LineOfSession, words: Words) -> str:
    match event:
        case SessionCreated():
            return words.say("Session began: {task}", task=event.task_goal)
        case StatusChanged():
            return _because(words.say(_STATUS[event.status]), event.reason, words)
        case SourceAdded(source=source):
            if source.role == "reference":
                return words.say("Received {file} ({bytes} bytes), to check against", **_received(event))
            return words.say("Received {file} ({bytes} bytes), to work on", **_received(event))
        case SourceRead():
            size, read = f"{event.characters:,}", event.source_id
            if not event.pages:
                return words.say("Read {source}: {characters} characters", source=read, characters=size)
            return words.say_n(
                "Read {source}: {characters} characters, {n} page",
                "Read {source}: {characters} characters, {n} pages",
                event.pages,
                source=read,
                characters=size,
            )
        case SourceRefused():
            return words.say("Refused {source}: {reason}", source=event.source_id, reason=words.recorded(event.reason))
        case SourceIngested():
            return _ingested(event, words)
        case TextClassified():
            return words.say_n("{unit}: {n} topic", "{unit}: {n} topics", event.clusters, unit=event.unit)
        case _:
            assert_never(event)


def _ingested(event: SourceIngested, words: Words) -> str:
    if event.task is None:
        return words.say("What image {source} says is in memory", source=event.source_id)
    return _because(words.recorded(event.task.description), event.task.context, words)


def _received(event: SourceAdded) -> dict[str, str]:
    return {"file": event.source.name, "bytes": f"{event.source.bytes:,}"}


def _because(what: str, reason: str, words: Words) -> str:
    """What happened, and the log's words on it."""
    return words.say("{what}: {reason}", what=what, reason=words.recorded(reason)) if reason else what


def _agent_line(event: _LineOfAgent, words: Words) -> str:
    match event:
        case AgentCalled():
            return _judged(event, words) + _remarks((remark.what for remark in event.remarks), words)
        case AgentFailed():
            values = {
                "agent": words.say(event.agent),
                "subject": event.key.partition("/")[2],
                "attempt": event.attempt,
                "reason": words.recorded(event.error),
            }
            if event.again:
                return words.say(
                    "{agent} failed on {subject}, attempt {attempt}, it is tried again: {reason}", **values
                )
            return words.say("{agent} failed on {subject}, attempt {attempt}, given up: {reason}", **values)
        case TurnTaken(turn=turn):
            said = words.say(
                "Step {step}, turn {number}: {what}", step=event.task_id, number=event.number, what=_turn(event, words)
            )
            return said + _remarks((remark.what for remark in turn.remarks), words)
        case TextStreamed():
            return words.say("Step {step} says: {text}", step=event.task_id, text=event.text)
        case _:
            assert_never(event)


def _judged(event: AgentCalled, words: Words) -> str:
    values = {
        "agent": words.say(event.agent),
        "subject": event.key.partition("/")[2],
        "seconds": f"{event.usage.seconds:.2f}",
    }
    if len(event.calls) < 2:
        return words.say("{agent} judged {subject} ({seconds} s)", **values)
    return words.say("{agent} judged {subject} ({seconds} s, {number} requests)", number=len(event.calls), **values)


def _turn(event: TurnTaken, words: Words) -> str:
    """What the acting agent did in a turn: the tools it asked, or its answer."""
    messages = event.turn.messages
    asked = [call for message in messages for call in message.tool_calls]
    if asked:
        calls = ", ".join(f"{call.name}({_arguments(call.arguments.values())})" for call in asked)
        return words.say("asked {tools}", tools=calls)
    if messages and messages[-1].role == "tool":
        return words.say("asked a tool in a way that could not be read")
    return words.say("answered")


def _arguments(values: Iterable[object]) -> str:
    texts = (str(value) for value in values)
    return ", ".join(
        f"“{text}”" if len(text) <= _LONGEST_ARGUMENT else f"“{text[:_LONGEST_ARGUMENT]}…”" for text in texts
    )


def _remarks(remarks: Iterable[str], words: Words) -> str:
    said = "; ".join(words.recorded(remark) for remark in remarks)
    return f" · {said}" if said else ""


def _work_line(event: _LineOfWork, words: Words) -> str:
    match event:
        case PromptEnhanced():
            return _given(event, words)
        case PlanUpdated(current=current):
            if current is None:
                return words.say("Planned: nothing is left to do")
            return words.say("Planned {step}: {task}", step=current.id, task=words.recorded(current.description))
        case AnswerGiven(answer=answer):
            return words.say_n("Answered, with {n} citation", "Answered, with {n} citations", len(answer.citations))
        case Notice():
            return words.recorded(event.message)
        case _:
            assert_never(event)


def _given(event: PromptEnhanced, words: Words) -> str:
    nodes = len(event.node_ids)
    if not event.left_out:
        return words.say_n(
            "Step {step} was given {n} node", "Step {step} was given {n} nodes", nodes, step=event.task_id
        )
    return words.say_n(
        "Step {step} was given {n} node, {number} left out",
        "Step {step} was given {n} nodes, {number} left out",
        nodes,
        step=event.task_id,
        number=len(event.left_out),
    )


def _contradiction_line(event: _LineOfContradiction, words: Words) -> str:
    match event:
        case ConflictOpened(conflict=conflict):
            about = words.recorded(conflict.description)
            values = {"conflict": conflict.id, "nodes": words.listed(conflict.node_ids), "description": about}
            if len(conflict.node_ids) == 1:
                return words.say("Conflict {conflict} within {nodes}: {description}", **values)
            return words.say("Conflict {conflict} between {nodes}: {description}", **values)
        case ConflictSupported(claim=claim):
            values = {"conflict": event.conflict_id, "node": event.node_id, "source": claim.source}
            if event.side == "first":
                return words.say("{node} ({source}) says the same as the first statement of {conflict}", **values)
            return words.say("{node} ({source}) says the same as the second statement of {conflict}", **values)
        case _:
            assert_never(event)


def _decision_line(event: _LineOfDecision, words: Words) -> str:
    match event:
        case ConflictDecided(verification=verification):
            values = {
                "conflict": verification.conflict_id,
                "verdict": words.say(verification.verdict),
                "reason": words.recorded(verification.reason),
            }
            if event.decided_by == "person":
                return words.say("Verdict on {conflict} by a person: {verdict}. {reason}", **values)
            return words.say("Verdict on {conflict} by the agent: {verdict}. {reason}", **values)
        case PersonDecided(verdict=None):
            return words.say(
                "A person wants {conflict} verified again. {reason}", conflict=event.conflict_id, reason=event.reason
            )
        case PersonDecided():
            return words.say(
                "A person decided on {conflict}: {verdict}. {reason}",
                conflict=event.conflict_id,
                verdict=words.say(str(event.verdict)),
                reason=event.reason,
            )
        case ConflictReopened():
            values = {"conflict": event.conflict_id, "reason": words.recorded(event.reason)}
            if event.by == "person":
                return words.say("Conflict {conflict} is open again, reopened by a person. {reason}", **values)
            return words.say("Conflict {conflict} is open again, reopened by the agent. {reason}", **values)
        case _:
            assert_never(event)


def _memory_line(event: _LineOfMemory, words: Words) -> str:
    match event:
        case NodeCreated(node=node):
            return words.say("New node {node}: {topic}", node=node.id, topic=node.context)
        case NodeUpdated():
            return words.say("{node} describes itself anew: {topic}", node=event.node_id, topic=event.context)
        case NodeAnalysed():
            return words.say_n(
                "{node} was compared with {n} node",
                "{node} was compared with {n} nodes",
                len(event.candidates),
                node=event.node_id,
            )
        case EdgeCreated(node_ids=(a, b)):
            return words.say("{node} and {other} are related", node=a, other=b)
        case NodesMerged(node=node, merge=merge):
            return words.say("{nodes} became {node}", nodes=words.listed(merge.node_ids), node=node.id)
        case MergeReverted():
            return _because(words.say("The merge into {node} was taken back", node=event.node_id), event.reason, words)
        case EntryRecorded():
            return words.say("Recorded {entry} with {node}", entry=event.entry.id, node=event.node_id)
        case _:
            assert_never(event)


def _long_term_line(event: _LineOfLongTerm, words: Words) -> str:
    match event:
        case MemoryRecalled():
            if event.skipped:
                return _because(words.say("Nothing was looked for in long-term memory"), event.skipped, words)
            return words.say(
                "From long-term memory: facts {facts}, similar tasks {episodes}, tasks of this conversation {turns}",
                facts=len(event.fact_ids),
                episodes=len(event.episode_ids),
                turns=len(event.turn_ids),
            )
        case MemoryKept():
            return words.say(
                "Into long-term memory: new {created}, known {updated}, against what is stored {disputed}",
                created=len(event.created),
                updated=len(event.updated),
                disputed=len(event.disputed),
            )
        case _:
            assert_never(event)
