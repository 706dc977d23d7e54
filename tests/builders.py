"""Values for tests, with the parts that do not matter filled in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import get_args

from memory_bank.bank.answer import Answer, Citation, Dispute, Rejection
from memory_bank.bank.conflict import Conflict, Evidence, Verdict, Verification
from memory_bank.bank.events import (
    EVENT,
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    ConflictSupported,
    EdgeCreated,
    EngineChoice,
    EntryRecorded,
    Event,
    MemoryKept,
    MemoryRecalled,
    MergeReverted,
    NeighbourUpdate,
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
    StatusChanged,
    TaskUnderstood,
    TextClassified,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.interaction_tree import Attachment, Entry, Merge
from memory_bank.bank.message import Message, StepTurn, ToolCall
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.bank.task_kind import TaskKind
from memory_bank.bank.usage import ModelCall, Remark, Usage

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
CALL = ModelCall(provider="openai", model="gpt-4o-mini", prompt_tokens=90, completion_tokens=9, milliseconds=700)
USAGE = Usage.of((CALL,))
OFFLINE = EngineChoice(provider="offline", model="hash")
EVENT_TYPES: tuple[type, ...] = get_args(get_args(Event)[0])


def at(seconds: float) -> datetime:
    """That many seconds after noon of the tests' day."""
    return NOON + timedelta(seconds=seconds)


def make_claim(claim_id: str = "c1", entry_id: str = "e1", text: str = "The dam was finished in 1970.") -> Claim:
    return Claim(id=claim_id, text=text, entry_id=entry_id, start=0, end=len(text), source="notes.md")


def make_entry(entry_id: str = "e1", text: str = "The dam was finished in 1970.", seconds: float = 0) -> Entry:
    return Entry(id=entry_id, text=text, created_at=at(seconds), metadata={"source": "notes.md", "start": 0})


def make_turn() -> StepTurn:
    """One round of a step: a tool is called, and brings a passage."""
    call = ToolCall(name="search", arguments={"query": "the dam"}, id="call_1")
    asked = Message(role="assistant", content="I look it up.", reasoning="Which year?", tool_calls=(call,))
    told = Message(
        role="tool", content="It was 1970.", name="search", source="register.md", page=2, tool_call_id="call_1"
    )
    return StepTurn(messages=(asked, told), calls=(CALL,), remarks=(Remark(kind="shortened", what="1 tool result"),))


def make_attachment(path: str = "files/a1") -> Attachment:
    return Attachment(id="a1", type="image", path=path, media_type="image/png", bytes=3, sha256="00" * 32)


def make_node(node_id: str = "n1", context: str = "When the dam was finished.", *claims: Claim) -> Node:
    summary = f"What {node_id} says of the dam."
    return Node(id=node_id, summary=summary, context=context, keywords=("dam",), timestamp=NOON, claims=claims)


def make_merge(*node_ids: str, seconds: float = 0, conflict: Conflict | None = None) -> Merge:
    verdict = conflict and conflict.verdict
    conflict_id = conflict and conflict.id
    return Merge(node_ids=node_ids, at=at(seconds), description="same dam", verdict=verdict, conflict_id=conflict_id)


def make_conflict(conflict_id: str = "x1", *node_ids: str) -> Conflict:
    claims = (make_claim("c1", "e1"), make_claim("c2", "e2", "The dam was finished in 1968."))
    return Conflict(id=conflict_id, node_ids=node_ids or ("n1", "n2"), claims=claims, description="1970 or 1968?")


def make_verification(conflict_id: str = "x1", verdict: Verdict = "first") -> Verification:
    evidence = Evidence(source="register.md", passage="Completed: 1970", supports="first", page=2, entry_id="e1")
    return Verification(
        conflict_id=conflict_id, verdict=verdict, reason="the register", confidence=0.9, evidence=(evidence,)
    )


def make_source(source_id: str = "s1", path: str = "files/s1") -> Source:
    return Source(id=source_id, name="notes.md", role="material", path=path, bytes=120, sha256="00" * 32)


def make_task(status: str = "success") -> CompletedTask:
    given = {"type": "NORMAL", "description": "Read notes.md", "status": status, "context": "120 characters."}
    return CompletedTask.model_validate(given)


def make_current(task_id: str = "t1", conflict_id: str | None = None) -> CurrentTask:
    kind = "NORMAL" if conflict_id is None else "CROSS_VALIDATE"
    return CurrentTask.model_validate(
        {"id": task_id, "type": kind, "description": "Find the year.", "conflict_id": conflict_id}
    )


def make_answer(entry_id: str = "e1") -> Answer:
    return Answer(
        text="1970 [1]",
        affirmed="1970 [1]",
        disputed=(Dispute(conflict_id="x2", sides=("6,650 km", "6,695 km")),),
        rejected=(Rejection(conflict_id="x1", text="1968", why="the register"),),
        citations=(Citation(number=1, entry_id=entry_id, start=0, end=4, source="notes.md", page=1),),
    )


def make_created(session_id: str = "session-1", task: str = "When was the dam finished?") -> SessionCreated:
    return SessionCreated(
        session_id=session_id,
        doc_id=f"doc-{session_id}",
        task_goal=task,
        engine={"planning": OFFLINE},
        settings={"retrieval_k": 5},
    )


def make_called(key: str = "planning/t1", seconds: float = 0.25) -> AgentCalled:
    usage = Usage(calls=1, prompt_tokens=10, completion_tokens=2, seconds=seconds)
    return AgentCalled(
        key=key, agent="planning", provider="offline", model="hash", output={"next_task": None}, usage=usage
    )


def in_markdown(events: Iterable[Event]) -> list[Event]:
    """The events with words of the document and of the node made of it in bold."""
    bold = {"finished in 1968": "finished in **1968**", "settled.": "**settled**."}
    texts = [event.model_dump_json() for event in events]
    for plain, marked in bold.items():
        texts = [text.replace(plain, marked) for text in texts]
    return [EVENT.validate_json(text) for text in texts]


def every_event() -> list[Event]:
    """One event of each type, as a session might have recorded them one after another."""
    first, second = make_entry("e1"), make_entry("e2", "The dam was finished in 1968.", seconds=1)
    merged = make_node("n3", "When the dam was finished, settled.", make_claim())
    decided = make_conflict().model_copy(update={"verdict": "first"})
    overturned = make_conflict("x2", "n4").model_copy(update={"verdict": "both"})
    events: list[Event] = [
        make_created(),
        StatusChanged(status="running"),
        SourceAdded(source=make_source()),
        SourceRead(source_id="s1", title="Notes", media_type="text/markdown", characters=120, pages=2),
        SourceIngested(source_id="s1", task=make_task()),
        SourceAdded(source=make_source("s2", "files/s2")),
        SourceRefused(source_id="s2", reason="it is an image", task=make_task("failed")),
        TextClassified(unit="s1.1", source_id="s1", clusters=2),
        make_called("classification/s1.1"),
        AgentFailed(
            key="planning/t1",
            agent="planning",
            attempt=1,
            error="no answer",
            again=True,
            said="?",
            usage=USAGE,
            calls=(CALL,),
        ),
        NodeCreated(node=make_node("n1", "The dam.", make_claim()), entry=first, unit="s1.1.1"),
        NodeCreated(node=make_node("n2", "The year."), entry=second, unit="s1.1.2"),
        NodeCreated(node=make_node("n4", "The river."), entry=make_entry("e4"), unit="s1.1.3"),
        EdgeCreated(node_ids=("n1", "n4"), reason="both name the dam"),
        NodeUpdated(node_id="n2", context="The year of the dam.", keywords=("dam", "year")),
        ConflictOpened(conflict=make_conflict()),
        NodeAnalysed(node_id="n2", candidates=("n1",)),
        PlanUpdated(completed=None, current=make_current("t1", "x1")),
        PromptEnhanced(task_id="t1", node_ids=("n1", "n2"), left_out=("n4",)),
        TextStreamed(task_id="t1", text="I look"),
        TurnTaken(task_id="t1", number=1, turn=make_turn(), usage=USAGE),
        ConflictDecided(verification=make_verification(), decided_by="agent"),
        NodesMerged(
            node=merged,
            merge=make_merge("n1", "n2", conflict=decided, seconds=4),
            neighbour_updates=(NeighbourUpdate(node_id="n4", context="The river of the dam.", keywords=("river",)),),
            entry=make_entry("e3", "Register: completed 1970.", seconds=3),
        ),
        EntryRecorded(
            node_id="n3", entry=make_entry("e5", seconds=5).model_copy(update={"attachments": (make_attachment(),)})
        ),
        ConflictOpened(conflict=make_conflict("x2", "n4")),
        ConflictDecided(verification=make_verification("x2", "both"), decided_by="agent"),
        NodesMerged(node=make_node("n5"), merge=make_merge("n4", "n3", conflict=overturned, seconds=6)),
        PersonDecided(conflict_id="x2", verdict="inconclusive", reason="the register is not clear"),
        MergeReverted(node_id="n5", reason="a person decided on x2"),
        ConflictReopened(conflict_id="x2", reason="the register is not clear", by="person"),
        ConflictDecided(verification=make_verification("x2", "inconclusive"), decided_by="person"),
        PlanUpdated(completed=make_task(), current=None),
        AnswerGiven(answer=make_answer()),
        ConflictSupported(conflict_id="x2", side="second", claim=make_claim("c7", "e4"), node_id="n4"),
        MemoryRecalled(fact_ids=("f1",), episode_ids=("p1",), turn_ids=("q1",)),
        MemoryKept(said=1, created=("f2",), updated=("f3",), disputed=("f4",), closed=True),
        TaskUnderstood(kind=TaskKind.WHEN, by="agent"),
        Notice(message="Done."),
        StatusChanged(status="finished", reason="the work is done"),
    ]
    return [event.model_copy(update={"seq": number, "at": at(number)}) for number, event in enumerate(events, start=1)]


def warned(events: Iterable[Event]) -> list[str]:
    """What a session told."""
    return [event.message for event in events if isinstance(event, Notice)]
