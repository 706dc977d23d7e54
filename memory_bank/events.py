"""The closed set of events. A session is the list of its events; the layers are what they add up to.

An event is a fact: it says what changed, whole, so that applying it needs nothing but the bank before it.
`seq` and `at` are given by the log.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict, DecidedBy, Verdict, Verification
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.message import Turn
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Id, LanguageCode, Time, Value

Status = Literal["created", "running", "paused", "cancelled", "failed", "finished"]


class EngineChoice(Value):
    """Who makes an agent's judgements."""

    provider: str
    model: str


class _Event(Value):
    seq: int = 0
    at: Time = datetime(1970, 1, 1, tzinfo=UTC)


class SessionCreated(_Event):
    """A session began with a task."""

    type: Literal["session_created"] = "session_created"
    session_id: str
    doc_id: str
    task_goal: str
    engine: dict[str, EngineChoice]
    settings: dict[str, Any]


class StatusChanged(_Event):
    """The session's life moved on; `reason` is for a person."""

    type: Literal["status_changed"] = "status_changed"
    status: Status
    reason: str = ""


class SourceAdded(_Event):
    """A document came in and is stored in the session's folder."""

    type: Literal["source_added"] = "source_added"
    source: Source


class SourceRead(_Event):
    """A document was read: its text is known and will be worked on."""

    type: Literal["source_read"] = "source_read"
    source_id: str
    title: str | None
    media_type: str
    characters: int
    pages: int
    language: LanguageCode | None = None
    text_sha256: str | None = None
    dated: date | None = None


class SourceRefused(_Event):
    """A document could not be read; the rest goes on."""

    type: Literal["source_refused"] = "source_refused"
    source_id: str
    reason: str
    task: CompletedTask | None = None


class SourceIngested(_Event):
    """Everything in a document is in memory now. `task` is None for an image: a planned task read it.

    `same_as` is the source whose text it repeats word for word: what was recorded of that one stands for both.
    """

    type: Literal["source_ingested"] = "source_ingested"
    source_id: str
    task: CompletedTask | None
    same_as: Id | None = None


class TextClassified(_Event):
    """A text was split into clusters, so many: what progress is counted against."""

    type: Literal["text_classified"] = "text_classified"
    unit: str
    source_id: str | None
    clusters: int


class AgentCalled(_Event):
    """A judgement was made. `key` names what it was about; the same key is never judged twice.

    `remarks` say what was left out of the input and what of the output was repaired or dropped; `reasoning` is what
    the model thought first.
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


class AgentFailed(_Event):
    """A judgement failed; `again` tells whether it is tried once more. `said` is what the model said, if it did."""

    type: Literal["agent_failed"] = "agent_failed"
    key: str
    agent: str
    attempt: int
    error: str
    again: bool = False
    said: str = ""
    usage: Usage = Usage()
    calls: tuple[ModelCall, ...] = ()


class TurnTaken(_Event):
    """The acting agent spoke and its tools answered: turn `number` of a step, from 1. A resumed step has it already."""

    type: Literal["turn_taken"] = "turn_taken"
    task_id: str
    number: int
    turn: Turn
    usage: Usage


class TextStreamed(_Event):
    """A piece of what the acting agent is saying, as it comes; the whole follows in its `TurnTaken`."""

    type: Literal["text_streamed"] = "text_streamed"
    task_id: str
    text: str


class NodeCreated(_Event):
    """A topic node with the raw entry behind it. `unit` names the cluster it was made from."""

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
    """A node was compared with its candidates and all that followed is recorded."""

    type: Literal["node_analysed"] = "node_analysed"
    node_id: Id
    candidates: tuple[Id, ...]


class EdgeCreated(_Event):
    """Two nodes are related."""

    type: Literal["edge_created"] = "edge_created"
    node_ids: tuple[Id, Id]
    reason: str = ""


class ConflictOpened(_Event):
    """Two claims cannot both hold."""

    type: Literal["conflict_opened"] = "conflict_opened"
    conflict: Conflict


class ConflictSupported(_Event):
    """Another claim was found to say the same as a side of a conflict that is undecided: it joins that side."""

    type: Literal["conflict_supported"] = "conflict_supported"
    conflict_id: Id
    side: Literal["first", "second"]
    claim: Claim
    node_id: Id


class ConflictDecided(_Event):
    """A verdict on a conflict that has none. `inconclusive` makes a dispute; any other is followed by a merge."""

    type: Literal["conflict_decided"] = "conflict_decided"
    verification: Verification
    decided_by: DecidedBy


class PersonDecided(_Event):
    """A person decided a conflict, whatever was decided before; verdict None: let it be verified again.

    It takes effect at the next boundary between steps, by the events that follow from it. Until then a later one on
    the same conflict replaces it.
    """

    type: Literal["person_decided"] = "person_decided"
    conflict_id: Id
    verdict: Verdict | None
    reason: str = ""


class ConflictReopened(_Event):
    """The verdict on a conflict that is not merged holds no more: it is open again, its evidence kept."""

    type: Literal["conflict_reopened"] = "conflict_reopened"
    conflict_id: Id
    reason: str
    by: DecidedBy


class NeighbourUpdate(Value):
    """How a neighbour of a merged node describes itself from now on."""

    node_id: Id
    context: str
    keywords: tuple[str, ...]


class NodesMerged(_Event):
    """Nodes became one, which inherits their edges and trees; `entry` is the record of the verification."""

    type: Literal["nodes_merged"] = "nodes_merged"
    node: Node
    merge: Merge
    neighbour_updates: tuple[NeighbourUpdate, ...] = ()
    entry: Entry | None = None


class MergeReverted(_Event):
    """The merge that made a living node is taken back: the merged nodes live again, every entry where it was.

    What came to the node since goes to them. The conflict that the merge resolved is open again and keeps its verdict.
    """

    type: Literal["merge_reverted"] = "merge_reverted"
    node_id: Id
    reason: str = ""


class EntryRecorded(_Event):
    """A raw record was added to an existing node's trees."""

    type: Literal["entry_recorded"] = "entry_recorded"
    node_id: Id
    entry: Entry


class PromptEnhanced(_Event):
    """What memory a step was given, newest first, and what did not fit."""

    type: Literal["prompt_enhanced"] = "prompt_enhanced"
    task_id: str
    node_ids: tuple[Id, ...]
    left_out: tuple[Id, ...] = ()


class PlanUpdated(_Event):
    """Planning finished a task (or none, at the start) and decided the next (or none, at the end)."""

    type: Literal["plan_updated"] = "plan_updated"
    completed: CompletedTask | None
    current: CurrentTask | None


class AnswerGiven(_Event):
    """The session's answer; a later one replaces it."""

    type: Literal["answer_given"] = "answer_given"
    answer: Answer


class MemoryRecalled(_Event):
    """What long-term memory had for the task, by ids: a record forgotten before it was taken in is given to nobody.

    What was taken in is part of the session from then on, and goes when the session is deleted.

    `turn_ids` are the tasks before it in the conversation; `skipped` says why nothing else was looked for.
    """

    type: Literal["memory_recalled"] = "memory_recalled"
    skipped: str = ""
    fact_ids: tuple[Id, ...] = ()
    episode_ids: tuple[Id, ...] = ()
    turn_ids: tuple[Id, ...] = ()


class MemoryKept(_Event):
    """What of the session went into long-term memory, by the ids of its records; `said` counts what was gone through.

    `disputed` are the facts that what was said here contradicts; `closed` that the session's end is kept too.
    """

    type: Literal["memory_kept"] = "memory_kept"
    said: int = Field(0, ge=0)
    created: tuple[Id, ...] = ()
    updated: tuple[Id, ...] = ()
    disputed: tuple[Id, ...] = ()
    closed: bool = False


class Notice(_Event):
    """Something a person should know that changed no layer."""

    type: Literal["notice"] = "notice"
    message: str


Event = Annotated[
    SessionCreated
    | StatusChanged
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
