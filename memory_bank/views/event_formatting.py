"""Describe an event in one line of text. The page, the command line and replays all use this."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.bank import events as ev
from memory_bank.bank.task_kind import UNDERSTOOD
from memory_bank.bank.usage import Remark
from memory_bank.text.wording import mark_for_translation, one_line
from memory_bank.views.conflict_text import conflict_heading
from memory_bank.views.i18n import ENGLISH, Translator

_MAX_ARGUMENT_LENGTH = 80
_STATUS_TEXTS: dict[ev.Status, str] = {
    "created": mark_for_translation("Session created"),
    "running": mark_for_translation("Session running"),
    "paused": mark_for_translation("Session paused"),
    "cancelled": mark_for_translation("Session cancelled"),
    "failed": mark_for_translation("Session failed"),
    "finished": mark_for_translation("Session finished"),
}


def describe(event: ev.Event, words: Translator = ENGLISH) -> str:
    """Describe the event on one line, in the language of `words`.

    The result is plain text that the caller must escape: names and claims in it come from documents.
    """
    return one_line(_session_line(event, words))


def _session_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.SessionCreated():
            return words.say("Session began: {task}", task=event.task_goal)
        case ev.StatusChanged():
            return _with_reason(words.say(_STATUS_TEXTS[event.status]), event.reason, words)
        case ev.SourceAdded(source=source):
            values = {"file": source.name, "bytes": f"{source.bytes:,}"}
            if source.role == "reference":
                return words.say("Received {file} ({bytes} bytes), to check against", **values)
            return words.say("Received {file} ({bytes} bytes), to work on", **values)
        case ev.SourceRead():
            source_id, characters = event.source_id, f"{event.characters:,}"
            if not event.pages:
                return words.say("Read {source}: {characters} characters", source=source_id, characters=characters)
            return words.say_n(
                "Read {source}: {characters} characters, {n} page",
                "Read {source}: {characters} characters, {n} pages",
                event.pages,
                source=source_id,
                characters=characters,
            )
        case ev.SourceRefused():
            return words.say("Refused {source}: {reason}", source=event.source_id, reason=words.recorded(event.reason))
        case ev.SourceIngested():
            if event.task is None:
                return words.say("What image {source} says is in memory", source=event.source_id)
            return _with_reason(words.recorded(event.task.description), event.task.context, words)
        case _:
            return _agent_line(event, words)


def _with_reason(what: str, reason: str, words: Translator) -> str:
    """Append the recorded reason, if there is one, translated."""
    return words.say("{what}: {reason}", what=what, reason=words.recorded(reason)) if reason else what


def _agent_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.TextClassified():
            return words.say_n("{unit}: {n} topic", "{unit}: {n} topics", event.clusters, unit=event.unit)
        case ev.AgentCalled():
            called = {
                "agent": words.say(event.agent),
                "subject": event.key.partition("/")[2],
                "seconds": f"{event.usage.seconds:.2f}",
            }
            line = words.say("{agent} judged {subject} ({seconds} s)", **called)
            if (number := len(event.calls)) > 1:
                line = words.say("{agent} judged {subject} ({seconds} s, {number} requests)", number=number, **called)
            return line + _remarks(event.remarks, words)
        case ev.AgentFailed():
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
        case ev.TurnTaken(turn=turn):
            line = words.say(
                "Step {step}, turn {number}: {what}", step=event.task_id, number=event.number, what=_turn(event, words)
            )
            return line + _remarks(turn.remarks, words)
        case ev.TextStreamed():
            return words.say("Step {step} says: {text}", step=event.task_id, text=event.text)
        case _:
            return _work_line(event, words)


def _turn(event: ev.TurnTaken, words: Translator) -> str:
    """What the acting agent did in a turn: it called tools, or it answered."""
    messages = event.turn.messages
    calls = [call for message in messages for call in message.tool_calls]
    if calls:
        tools = (f"{call.name}({', '.join(map(_argument, call.arguments.values()))})" for call in calls)
        return words.say("asked {tools}", tools=", ".join(tools))
    if messages and messages[-1].role == "tool":
        return words.say("asked a tool in a way that could not be read")
    return words.say("answered")


def _argument(value: object) -> str:
    text = str(value)
    return f"“{text}”" if len(text) <= _MAX_ARGUMENT_LENGTH else f"“{text[:_MAX_ARGUMENT_LENGTH]}…”"


def _remarks(remarks: Iterable[Remark], words: Translator) -> str:
    joined = "; ".join(words.recorded(remark.what) for remark in remarks)
    return f" · {joined}" if joined else ""


def _work_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.TaskUnderstood():
            return words.recorded(UNDERSTOOD[event.kind])
        case ev.PromptEnhanced():
            return _prompt_enhanced(event, words)
        case ev.PlanUpdated(current=current):
            if current is None:
                return words.say("Planned: nothing is left to do")
            return words.say("Planned {step}: {task}", step=current.id, task=words.recorded(current.description))
        case ev.AnswerGiven(answer=answer):
            return words.say_n("Answered, with {n} citation", "Answered, with {n} citations", len(answer.citations))
        case ev.Notice():
            return words.recorded(event.message)
        case _:
            return _contradiction_line(event, words)


def _prompt_enhanced(event: ev.PromptEnhanced, words: Translator) -> str:
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


def _contradiction_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.ConflictOpened(conflict=conflict):
            description = conflict_heading(conflict, words)
            if conflict.found_by == "pair_model":
                description = words.say(
                    "{description} (the pair model is sure; the model passed it over)", description=description
                )
            values = {"conflict": conflict.id, "nodes": words.listed(conflict.node_ids), "description": description}
            if len(conflict.node_ids) == 1:
                return words.say("Conflict {conflict} within {nodes}: {description}", **values)
            return words.say("Conflict {conflict} between {nodes}: {description}", **values)
        case ev.ConflictSupported(claim=claim):
            values = {"conflict": event.conflict_id, "node": event.node_id, "source": claim.source}
            if event.side == "first":
                return words.say("{node} ({source}) says the same as the first statement of {conflict}", **values)
            return words.say("{node} ({source}) says the same as the second statement of {conflict}", **values)
        case _:
            return _decision_line(event, words)


def _decision_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.ConflictDecided(verification=verification):
            values = {
                "conflict": verification.conflict_id,
                "verdict": words.say(verification.verdict),
                "reason": words.recorded(verification.reason),
            }
            if event.decided_by == "person":
                return words.say("Verdict on {conflict} by a person: {verdict}. {reason}", **values)
            return words.say("Verdict on {conflict} by the agent: {verdict}. {reason}", **values)
        case ev.PersonDecided(verdict=None):
            return words.say(
                "A person wants {conflict} verified again. {reason}", conflict=event.conflict_id, reason=event.reason
            )
        case ev.PersonDecided():
            return words.say(
                "A person decided on {conflict}: {verdict}. {reason}",
                conflict=event.conflict_id,
                verdict=words.say(str(event.verdict)),
                reason=event.reason,
            )
        case ev.ConflictReopened():
            values = {"conflict": event.conflict_id, "reason": words.recorded(event.reason)}
            if event.by == "person":
                return words.say("Conflict {conflict} is open again, reopened by a person. {reason}", **values)
            return words.say("Conflict {conflict} is open again, reopened by the agent. {reason}", **values)
        case _:
            return _memory_line(event, words)


def _memory_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.NodeCreated(node=node):
            return words.say("New node {node}: {topic}", node=node.id, topic=node.context)
        case ev.NodeUpdated():
            return words.say("{node} describes itself anew: {topic}", node=event.node_id, topic=event.context)
        case ev.NodeAnalysed():
            return words.say_n(
                "{node} was compared with {n} node",
                "{node} was compared with {n} nodes",
                len(event.candidates),
                node=event.node_id,
            )
        case ev.EdgeCreated(node_ids=(a, b)):
            return words.say("{node} and {other} are related", node=a, other=b)
        case ev.NodesMerged(node=node, merge=merge):
            return words.say("{nodes} became {node}", nodes=words.listed(merge.node_ids), node=node.id)
        case ev.MergeReverted():
            return _with_reason(
                words.say("The merge into {node} was taken back", node=event.node_id), event.reason, words
            )
        case ev.EntryRecorded():
            return words.say("Recorded {entry} with {node}", entry=event.entry.id, node=event.node_id)
        case _:
            return _long_term_line(event, words)


def _long_term_line(event: ev.Event, words: Translator) -> str:
    match event:
        case ev.MemoryRecalled():
            if event.skipped:
                return _with_reason(words.say("Nothing was looked for in long-term memory"), event.skipped, words)
            return words.say(
                "From long-term memory: facts {facts}, similar tasks {episodes}, tasks of this conversation {turns}",
                facts=len(event.fact_ids),
                episodes=len(event.episode_ids),
                turns=len(event.turn_ids),
            )
        case ev.MemoryKept():
            return words.say(
                "Into long-term memory: new {created}, known {updated}, against what is stored {disputed}",
                created=len(event.created),
                updated=len(event.updated),
                disputed=len(event.disputed),
            )
        case _:
            raise TypeError(f"nothing is said of the event {event.type}")
