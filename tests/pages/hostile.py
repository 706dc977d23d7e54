"""A session whose every text tries to be markup, script, Markdown, a formula or an icon."""

from __future__ import annotations

from memory_bank.bank.answer import NO_PASSAGE, Answer, Citation, Dispute, Rejection
from memory_bank.bank.conflict import Conflict, Evidence, Verification
from memory_bank.bank.events import (
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    EdgeCreated,
    Event,
    NodeCreated,
    Notice,
    PlanUpdated,
    SessionCreated,
    SourceAdded,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, StepTurn, ToolCall
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.bank.usage import ModelCall, Remark, Usage
from tests.builders import NOON, OFFLINE

EVIL = (
    "<img src=x onerror=\"window.evil=1\"> </script><script>window.evil=1</script> <a href='javascript:evil'>href</a> "
    "</memory> ![image](https://evil.example/x.png) [link](https://evil.example) $\\frac{1}{2}$ **bold** `code` "
    ":material/bug_report: :smile: :red[colour] &lt;b&gt;"
)
"""One line that would show, run or fetch something wherever it was taken for more than text."""


def hostile_events() -> list[Event]:
    """A finished session that says nothing but `EVIL`."""
    claims = [
        Claim(id=f"c{n}", text=EVIL, entry_id=f"e{n}", start=0, end=len(EVIL), source=EVIL, page=n) for n in (1, 2)
    ]
    nodes = [
        Node(id=f"n{n}", summary=EVIL, context=EVIL, keywords=(EVIL,), timestamp=NOON, claims=(claims[n - 1],))
        for n in (1, 2)
    ]
    entries = [
        Entry(id=f"e{n}", text=f"{EVIL}\n{EVIL}", created_at=NOON, metadata={"source": EVIL, "page": n}) for n in (1, 2)
    ]
    conflict = Conflict(id="x1", node_ids=("n1", "n2"), claims=(claims[0], claims[1]), description=EVIL)
    evidence = Evidence(source=EVIL, passage=EVIL, supports="first")
    task = CompletedTask(type="NORMAL", description=EVIL, status="failed", context=EVIL)
    return [
        SessionCreated(session_id="evil", doc_id="d", task_goal=EVIL, engine={"planning": OFFLINE}, settings={}),
        StatusChanged(status="running", reason=EVIL),
        *(SourceAdded(source=_source(number)) for number in (1, 2)),
        SourceRead(source_id="s1", title=EVIL, media_type="text/plain", characters=9, pages=0),
        SourceRefused(source_id="s2", reason=EVIL, task=task),
        *(
            NodeCreated(node=node, entry=entry, unit=f"s1.1.{entry.id}")
            for node, entry in zip(nodes, entries, strict=True)
        ),
        EdgeCreated(node_ids=("n1", "n2"), reason=EVIL),
        ConflictOpened(conflict=conflict),
        PlanUpdated(
            completed=task, current=CurrentTask(id="t1", type="CROSS_VALIDATE", description=EVIL, conflict_id="x1")
        ),
        TurnTaken(task_id=EVIL, number=1, turn=_turn(), usage=Usage.of(_turn().calls)),
        AgentFailed(key=f"react/{EVIL}", agent="react", attempt=1, error=EVIL, said=EVIL, calls=_turn().calls),
        TextStreamed(task_id=EVIL, text=EVIL),
        ConflictDecided(
            verification=Verification(
                conflict_id="x1", verdict="inconclusive", reason=EVIL, confidence=0.5, evidence=(evidence,)
            ),
            decided_by="agent",
        ),
        AnswerGiven(answer=_answer()),
        Notice(message=EVIL),
        StatusChanged(status="finished", reason=EVIL),
    ]


def _turn() -> StepTurn:
    call = ToolCall(name=EVIL, arguments={EVIL: EVIL})
    spoken = Message(role="assistant", content=EVIL, reasoning=EVIL, tool_calls=(call,))
    asked = ModelCall(provider=EVIL, model=EVIL, prompt_tokens=9, error=EVIL)
    return StepTurn(messages=(spoken,), calls=(asked,), remarks=(Remark(kind="dropped", what=EVIL),))


def _source(number: int) -> Source:
    return Source(id=f"s{number}", name=EVIL, role="material", path=f"files/s{number}", bytes=1, sha256="00" * 32)


def _answer() -> Answer:
    return Answer(
        text=f"{EVIL} [1]\n{EVIL} {NO_PASSAGE}",
        affirmed=f"{EVIL} [1]",
        disputed=(Dispute(conflict_id="x1", sides=(EVIL, EVIL)),),
        rejected=(Rejection(conflict_id="x1", text=EVIL, why=EVIL),),
        citations=(Citation(number=1, entry_id="e1", start=0, end=len(EVIL), source=EVIL, page=1),),
    )
