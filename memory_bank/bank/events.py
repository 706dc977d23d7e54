"""The closed set of events. A session is a list of events; the memory layers are computed from them.

An event states completely what changed, so that applying it needs only the bank before it. The log sets `seq` (the
number of the event) and `at`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict, DecidedBy, OneSide, Verdict, Verification
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.message import StepTurn
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.bank.task_kind import TaskKind
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Id, LanguageCode, Time, Value, Worded, WordedText

Status = Literal["created", "running", "paused", "cancelled", "failed", "finished"]


class EngineChoice(Value):
    """The provider and model that make an agent's judgements."""

    provider: str
    model: str


class _Event(Value):
    seq: int = 0
    at: Time = datetime(1970, 1, 1, tzinfo=UTC)


class _WordedEvent(_Event, Worded):
    """An event with a text of ours."""


class SessionCreated(_Event):
    """A session began with a task."""

    type: Literal["session_created"] = "session_created"
    session_id: str
    doc_id: str
    task_goal: str
    engine: dict[str, EngineChoice]
    settings: dict[str, Any]


class StatusChanged(_WordedEvent):
    """The status of the session changed; `reason` is shown to the person."""

    type: Literal["status_changed"] = "status_changed"
    status: Status
    reason: WordedText = ""


class TaskUnderstood(_Event):
    """What the embedded engine takes the task for. A kind that a person chose is kept to; the task is answered anew."""

    type: Literal["task_understood"] = "task_understood"
    kind: TaskKind
    by: DecidedBy


class SourceAdded(_Event):
    """A document was added and is stored in the session's folder."""

    type: Literal["source_added"] = "source_added"
    source: Source


class SourceRead(_Event):
    """A document was read: its text is known and will be ingested."""

    type: Literal["source_read"] = "source_read"
    source_id: str
    title: str | None
    media_type: str
    characters: int
    pages: int
    language: LanguageCode | None = None
    text_sha256: str | None = None
    dated: date | None = None


class SourceRefused(_WordedEvent):
    """A document could not be read; the session continues without it."""

    type: Literal["source_refused"] = "source_refused"
    source_id: str
    reason: WordedText
    task: CompletedTask | None = None


class SourceIngested(_Event):
    """A document was fully taken into memory. `task` is None for an image, which a planned task reads.

    `same_as` is an earlier source with exactly the same text; the entries of that source then count for both.
    """

    type: Literal["source_ingested"] = "source_ingested"
    source_id: str
    task: CompletedTask | None
    same_as: Id | None = None


class TextClassified(_Event):
    """A text was split into clusters; their number is the total against which progress is measured."""

    type: Literal["text_classified"] = "text_classified"
    unit: str
    source_id: str | None
    clusters: int


class AgentCalled(_Event):
    """An agent made a judgement. `key` identifies its subject; no key is judged twice.

    `remarks` list what was left out of the input and what was repaired or dropped in the output; `reasoning` is the
    model's reasoning before its output.
    """

    type: Literal["agent_called"] = "agent_called"
    key: str
    agent: str
    provider: str
    model: str
    output: dict[str, Any]
    usage: Usage
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
    reasoning: str = ""


class AgentFailed(_WordedEvent):
    """A judgement failed; `again` is whether it will be retried. `said` is the model's output, if there was any."""

    type: Literal["agent_failed"] = "agent_failed"
    key: str
    agent: str
    attempt: int
    error: WordedText
    again: bool = False
    said: str = ""
    usage: Usage = Usage()
    calls: tuple[ModelCall, ...] = ()


class TurnTaken(_Event):
    """Turn `number` (from 1) of a step: the acting agent's output and its tools' results. A resumed step reuses it."""

    type: Literal["turn_taken"] = "turn_taken"
    task_id: str
    number: int
    turn: StepTurn
    usage: Usage


class TextStreamed(_Event):
    """A piece of the acting agent's output as it is streamed; the `TurnTaken` that follows has the whole."""

    type: Literal["text_streamed"] = "text_streamed"
    task_id: str
    text: str


class NodeCreated(_Event):
    """A topic node was created, with the raw entry it is based on. `unit` is the cluster it was made from."""

    type: Literal["node_created"] = "node_created"
    node: Node
    entry: Entry
    unit: str


class NodeUpdated(_Event):
    """A node's context and keywords were rewritten."""

    type: Literal["node_updated"] = "node_updated"
    node_id: Id
    context: str
    keywords: tuple[str, ...]


class NodeAnalysed(_Event):
    """A node was compared with its candidates; all resulting events are recorded before this one."""

    type: Literal["node_analysed"] = "node_analysed"
    node_id: Id
    candidates: tuple[Id, ...]


class EdgeCreated(_WordedEvent):
    """An edge between two related nodes was created."""

    type: Literal["edge_created"] = "edge_created"
    node_ids: tuple[Id, Id]
    reason: WordedText = ""


class ConflictOpened(_Event):
    """A conflict was found: two claims cannot both be true."""

    type: Literal["conflict_opened"] = "conflict_opened"
    conflict: Conflict


class ConflictSupported(_Event):
    """Another claim says the same as one side of an undecided conflict and joins that side."""

    type: Literal["conflict_supported"] = "conflict_supported"
    conflict_id: Id
    side: OneSide
    claim: Claim
    node_id: Id


class ConflictDecided(_Event):
    """A conflict without a verdict got one. `inconclusive` makes it a dispute; a merge follows any other verdict."""

    type: Literal["conflict_decided"] = "conflict_decided"
    verification: Verification
    decided_by: DecidedBy


class PersonDecided(_Event):
    """A person decided a conflict, whatever its verdict was; with verdict None it is to be verified again.

    It takes effect between two steps, through the events that follow from it. Until then a later decision on the same
    conflict replaces it.
    """

    type: Literal["person_decided"] = "person_decided"
    conflict_id: Id
    verdict: Verdict | None
    reason: str = ""


class ConflictReopened(_WordedEvent):
    """The verdict of a conflict was withdrawn: it is open again and keeps its evidence. Its nodes are not merged."""

    type: Literal["conflict_reopened"] = "conflict_reopened"
    conflict_id: Id
    reason: WordedText
    by: DecidedBy


class NeighbourUpdate(Value):
    """The new context and keywords of a neighbour of a merged node."""

    node_id: Id
    context: str
    keywords: tuple[str, ...]


class NodesMerged(_Event):
    """Nodes were merged into `node`, which inherits their edges and trees; `entry` records the verification."""

    type: Literal["nodes_merged"] = "nodes_merged"
    node: Node
    merge: Merge
    neighbour_updates: tuple[NeighbourUpdate, ...] = ()
    entry: Entry | None = None


class MergeReverted(_WordedEvent):
    """The merge that made a living node was undone: the merged nodes are back, each with its own entries.

    What the node gained since goes to them. The conflict that the merge resolved is open again and keeps its verdict.
    """

    type: Literal["merge_reverted"] = "merge_reverted"
    node_id: Id
    reason: WordedText = ""


class EntryRecorded(_Event):
    """An entry was added to the trees of an existing node."""

    type: Literal["entry_recorded"] = "entry_recorded"
    node_id: Id
    entry: Entry


class PromptEnhanced(_Event):
    """The nodes put into a step's prompt, newest first, and those that did not fit."""

    type: Literal["prompt_enhanced"] = "prompt_enhanced"
    task_id: str
    node_ids: tuple[Id, ...]
    left_out: tuple[Id, ...] = ()


class PlanUpdated(_Event):
    """Planning finished a task (none at the start) and set the next one (none at the end)."""

    type: Literal["plan_updated"] = "plan_updated"
    completed: CompletedTask | None
    current: CurrentTask | None


class AnswerGiven(_Event):
    """The session's answer was written; a later one replaces it."""

    type: Literal["answer_given"] = "answer_given"
    answer: Answer


class MemoryRecalled(_WordedEvent):
    """The ids of the long-term records found for the task; one deleted before it is taken in is not used.

    A record that was taken in is part of the session from then on, and is deleted with it.

    `turn_ids` are the earlier tasks of the conversation; `skipped` says why nothing else was searched for.
    """

    type: Literal["memory_recalled"] = "memory_recalled"
    skipped: WordedText = ""
    fact_ids: tuple[Id, ...] = ()
    episode_ids: tuple[Id, ...] = ()
    turn_ids: tuple[Id, ...] = ()


class MemoryKept(_Event):
    """The ids of records written to long-term memory; `said` is how many of the person's utterances were processed.

    `disputed` are the facts that this session contradicts; `closed` says that the session's end was written too.
    """

    type: Literal["memory_kept"] = "memory_kept"
    said: int = Field(0, ge=0)
    created: tuple[Id, ...] = ()
    updated: tuple[Id, ...] = ()
    disputed: tuple[Id, ...] = ()
    closed: bool = False


class Notice(_WordedEvent):
    """A message to the person that changes no layer."""

    type: Literal["notice"] = "notice"
    message: WordedText


Event = Annotated[
    SessionCreated
    | StatusChanged
    | TaskUnderstood
    | SourceAdded
    | SourceRead
    | SourceRefused
    | SourceIngested
    | TextClassified
    | AgentCalled
    | AgentFailed
    | TurnTaken
    | TextStreamed
    | NodeCreated
    | NodeUpdated
    | NodeAnalysed
    | EdgeCreated
    | ConflictOpened
    | ConflictDecided
    | PersonDecided
    | ConflictSupported
    | ConflictReopened
    | NodesMerged
    | MergeReverted
    | EntryRecorded
    | PromptEnhanced
    | PlanUpdated
    | AnswerGiven
    | MemoryRecalled
    | MemoryKept
    | Notice,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
