"""A session told by numbers: any list of moves makes a sequence of events that a session could have recorded.

A move is `(what, i, j)`. `i` and `j` choose among what is there (nodes, conflicts, verdicts), so that every move
means something; one that cannot be made now is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.events import (
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
    NeighbourUpdate,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    Notice,
    PersonDecided,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from tests.builders import (
    USAGE,
    make_answer,
    make_attachment,
    make_called,
    make_created,
    make_current,
    make_merge,
    make_node,
    make_source,
    make_task,
    make_turn,
    make_verification,
)
from tests.step_clock import StepClock

Move = tuple[str, int, int]
VERDICTS: tuple[Verdict, ...] = ("first", "second", "both", "neither", "inconclusive")


def content(path: str) -> bytes:
    """What is in a file of the story."""
    return f"The content of {path}.".encode()


def _size_of(path: str) -> dict[str, object]:
    return {"path": path, "bytes": len(content(path)), "sha256": hashlib.sha256(content(path)).hexdigest()}


class Story:
    """The events so far and the bank they add up to. `heard` is called after each event."""

    def __init__(self, heard: Callable[[Story, Event], None] = lambda _story, _event: None) -> None:
        self.open()
        self.entries: dict[str, Entry] = {}
        self.node_ids: list[str] = []
        self._clock = StepClock()
        self._heard = heard
        self._moves: dict[str, Callable[[int, int], None]] = {
            "create": self.create,
            "relate": self.relate,
            "describe": self.describe,
            "dispute": self.dispute,
            "support": self.support,
            "decide": self.decide,
            "settle": self.settle,
            "merge": self.merge,
            "revert": self.revert,
            "ask": self.ask,
            "record": self.record,
            "read": self.read,
            "plan": self.plan,
            "speak": self.speak,
            "work": self.work,
            "remember": self.remember,
            "live": self.live,
        }
        self.tell(make_created())

    def open(self) -> None:
        self.bank = Bank()
        self.events: list[Event] = []

    def play(self, moves: Sequence[Move]) -> Story:
        for what, i, j in moves:
            if what != "skip":
                self._moves[what](i, j)
        return self

    def tell(self, event: Event) -> None:
        event = event.model_copy(update={"seq": len(self.events) + 1, "at": self._clock.now()})
        self.bank.apply(event)
        self.events.append(event)
        self._heard(self, event)

    # -- moves -----------------------------------------------------------------------------------------------

    def create(self, i: int, j: int) -> None:
        number = len(self.node_ids) + 1
        sentences = (f"Dam {j % 3} was finished in {1960 + i % 4}.", f"It is {10 + j} m high.")
        entry = self._entry(" ".join(sentences))
        if i % 4 == 0:
            entry = self.entries[entry.id] = entry.model_copy(update={"metadata": entry.metadata | {"title": f"T{j}"}})
        claims = tuple(
            Claim(
                id=self.bank.next_id("c", ahead),
                text=sentence,
                entry_id=entry.id,
                start=entry.text.index(sentence),
                end=entry.text.index(sentence) + len(sentence),
                source="a",
            )
            for ahead, sentence in enumerate(sentences[: 1 + j % 2])
        )
        node = self._node(f"topic {j}", *claims)
        self.tell(NodeCreated(node=node, entry=entry, unit=f"s1.1.{number}"))
        self.tell(NodeAnalysed(node_id=node.id, candidates=tuple(self.living()[-3:])))

    def relate(self, i: int, j: int) -> None:
        if pair := self._pair(i, j):
            self.tell(EdgeCreated(node_ids=pair, reason="both name the dam"))

    def describe(self, i: int, j: int) -> None:
        if living := self.living():
            self.tell(NodeUpdated(node_id=living[i % len(living)], context=f"topic {j}, anew", keywords=(f"k{j}",)))

    def dispute(self, i: int, j: int) -> None:
        """Open a conflict between two nodes that have claims, or inside one."""
        nodes = [node for node in self.bank.query_graph if node.claims]
        if not nodes:
            return
        a, b = nodes[i % len(nodes)], nodes[j % len(nodes)]
        conflict = Conflict(
            id=self.bank.next_id("x"),
            node_ids=tuple(dict.fromkeys((a.id, b.id))),
            claims=(a.claims[0], b.claims[-1]),
            description=f"{i} or {j}?",
        )
        self.tell(ConflictOpened(conflict=conflict))

    def support(self, i: int, j: int) -> None:
        """A claim of any node joins a side of a conflict that is undecided."""
        conflicts = [conflict for conflict in self.bank.conflicts.values() if conflict.undecided]
        nodes = [node for node in self.bank.query_graph if node.claims]
        if conflicts and nodes:
            conflict, node = conflicts[i % len(conflicts)], nodes[j % len(nodes)]
            claim, side = node.claims[0], ("first", "second")[j % 2]
            if conflict.id not in self.bank.stands(claim.id):
                self.tell(
                    ConflictSupported.model_validate(
                        {"conflict_id": conflict.id, "side": side, "claim": claim.model_dump(), "node_id": node.id}
                    )
                )

    def decide(self, i: int, j: int) -> None:
        conflicts = [conflict for conflict in self.bank.conflicts.values() if conflict.status != "resolved"]
        if conflicts:
            conflict = conflicts[i % len(conflicts)]
            if conflict.verdict is not None:
                self.tell(ConflictReopened(conflict_id=conflict.id, reason=f"doubt {j}", by="person"))
            verification = make_verification(conflict.id, VERDICTS[j % len(VERDICTS)])
            self.tell(ConflictDecided(verification=verification, decided_by="agent" if j % 2 else "person"))

    def settle(self, i: int, j: int) -> None:
        decided = [conflict for conflict in self.bank.open_conflicts() if conflict.verdict is not None]
        if decided:
            conflict = decided[i % len(decided)]
            record = self._entry(f"Verification of {conflict.id}.") if j % 2 else None
            self._merge(conflict.node_ids, conflict, record)

    def merge(self, i: int, j: int) -> None:
        if pair := self._pair(i, j):
            self._merge(pair, None, None)

    def revert(self, i: int, j: int) -> None:
        """Take a merge back, whatever became of the nodes around it since."""
        made = [node_id for node_id in self.living() if self.bank.trees.made_by(node_id)]
        if made:
            self.tell(MergeReverted(node_id=made[i % len(made)], reason=f"doubt {j}"))

    def ask(self, i: int, j: int) -> None:
        """What a person decides waits; here it is told and left waiting, or taken for carried out."""
        if self.bank.conflicts:
            conflict_id = list(self.bank.conflicts)[i % len(self.bank.conflicts)]
            verdict = (*VERDICTS, None)[j % 6]
            self.tell(PersonDecided(conflict_id=conflict_id, verdict=verdict, reason=f"reason {j}"))

    def record(self, i: int, j: int) -> None:
        if living := self.living():
            attached = self.bank.next_id("a")
            attachment = make_attachment().model_copy(update={"id": attached, **_size_of(f"files/{attached}")})
            entry = self._entry(f"Record {j}.").model_copy(update={"attachments": (attachment,) if j % 2 else ()})
            if j % 3 == 0:
                entry = entry.model_copy(update={"metadata": entry.metadata | {"conflict_id": f"x{i}"}})
            self.entries[entry.id] = entry
            self.tell(EntryRecorded(node_id=living[i % len(living)], entry=entry))

    def read(self, i: int, j: int) -> None:
        source_id = self.bank.next_id("s")
        self.tell(SourceAdded(source=make_source(source_id).model_copy(update=_size_of(f"files/{source_id}"))))
        if j % 3 == 0:
            self.tell(SourceRefused(source_id=source_id, reason="it is an image", task=make_task("failed")))
            return
        self.tell(SourceRead(source_id=source_id, title=None, media_type="text/plain", characters=i, pages=j))
        self.tell(TextClassified(unit=f"{source_id}.1", source_id=source_id, clusters=j))
        same_as = "s1" if i % 3 == 0 and source_id != "s1" else None
        self.tell(SourceIngested(source_id=source_id, task=make_task(), same_as=same_as))

    def plan(self, i: int, j: int) -> None:
        """The current step ends, if there is one; another one is set, or none."""
        task, open_ids = self.bank.insight_doc.current_task, [found.id for found in self.bank.open_conflicts()]
        done = task and CompletedTask.model_validate(
            {
                "type": task.type,
                "description": task.description,
                "status": ("success", "failed")[j % 2],
                "context": f"found {j}",
            }
        )
        following = make_current(f"t{self.bank.plans + 1}", open_ids[j % len(open_ids)] if open_ids and i % 2 else None)
        self.tell(PlanUpdated(completed=done, current=following if i % 3 else None))

    def speak(self, i: int, j: int) -> None:
        """A turn of the current step, which may fail first."""
        task = self.bank.insight_doc.current_task
        if task is None:
            return
        if task.id not in self.bank.prompted:
            self.tell(PromptEnhanced(task_id=task.id, node_ids=tuple(self.living()[:i])))
        if j % 3 == 0:
            failed = AgentFailed(key=f"react/{task.id}", agent="react", attempt=1, error="busy", again=i % 2 == 0)
            self.tell(failed)
        self.tell(TextStreamed(task_id=task.id, text="I look"))
        number = len(self.bank.turns.get(task.id, ())) + 1
        self.tell(TurnTaken(task_id=task.id, number=number, turn=make_turn(), usage=USAGE))

    def remember(self, i: int, j: int) -> None:
        """Something comes from long-term memory, or goes there."""
        if i % 2:
            self.tell(MemoryRecalled(fact_ids=(f"f{i}",), turn_ids=(f"q{j}",)))
        else:
            self.tell(MemoryKept(said=j, created=(f"f{j}",), disputed=(f"f{i}",), closed=j % 2 == 0))

    def work(self, i: int, j: int) -> None:
        """One step: planned, judged, answered."""
        if self.bank.insight_doc.current_task is not None:
            self.plan(0, j)
        number = self.bank.plans + 1
        open_ids = [conflict.id for conflict in self.bank.open_conflicts()]
        current = make_current(f"t{number}", open_ids[0] if open_ids and i % 2 else None)
        if j % 3 == 0:
            self.tell(AgentFailed(key=f"planning/t{number}", agent="planning", attempt=1, error="no answer"))
        self.tell(make_called(f"planning/t{number}", seconds=i / 4))
        self.tell(PlanUpdated(completed=None, current=current))
        self.tell(PromptEnhanced(task_id=current.id, node_ids=tuple(self.living()[:2])))
        if self.entries and j % 2:
            self.tell(AnswerGiven(answer=make_answer(next(iter(self.entries)))))
        self.tell(PlanUpdated(completed=make_task("failed" if j % 5 == 0 else "success"), current=None))

    def live(self, i: int, j: int) -> None:
        """The session's life moves on."""
        statuses = ("running", "paused", "running", "failed", "finished", "cancelled")
        status = StatusChanged.model_validate({"status": statuses[i % len(statuses)], "reason": str(j)})
        self.tell(status)
        self.tell(Notice(message=f"Notice {j}"))

    # -- what there is ---------------------------------------------------------------------------------------

    def living(self) -> list[str]:
        return [node.id for node in self.bank.query_graph]

    def _pair(self, i: int, j: int) -> tuple[str, str] | None:
        living = self.living()
        if len(living) < 2:
            return None
        first = i % len(living)
        return living[first], living[(first + 1 + j % (len(living) - 1)) % len(living)]

    def _merge(self, node_ids: tuple[str, ...], conflict: Conflict | None, record: Entry | None) -> None:
        graph = self.bank.query_graph
        refuted = set(conflict.refuted) if conflict else set()
        claims = [claim for node_id in node_ids for claim in graph[node_id].claims if claim not in refuted]
        around = [other for node_id in node_ids for other in graph.neighbours(node_id) if other not in node_ids]
        self.tell(
            NodesMerged(
                node=self._node("several in one", *claims),
                merge=make_merge(*node_ids, conflict=conflict).model_copy(update={"at": self._clock.now()}),
                neighbour_updates=tuple(
                    NeighbourUpdate(node_id=other, context=f"beside {node_ids[0]}", keywords=("beside",))
                    for other in dict.fromkeys(around[:2])
                ),
                entry=record,
            )
        )

    def _node(self, context: str, *claims: Claim) -> Node:
        node = make_node(self.bank.next_id("n"), context, *claims)
        self.node_ids.append(node.id)
        return node.model_copy(update={"timestamp": self._clock.now(), "summary": f"All of {context}."})

    def _entry(self, text: str) -> Entry:
        metadata = {"source": "notes.md", "start": 0, "page": 1, "tool_calls": []}
        entry = Entry(id=self.bank.next_id("e"), text=text, created_at=self._clock.now(), metadata=metadata)
        self.entries[entry.id] = entry
        return entry


# "skip" comes first: a failing example shrinks to it, and is found among long stories.
_FREQUENT = (
    ("create",) * 4
    + ("relate",) * 4
    + ("dispute",) * 4
    + ("support",) * 2
    + ("decide",) * 6
    + ("settle",) * 5
    + ("revert",) * 3
)
_SELDOM = ("ask", "describe", "record", "read", "plan", "speak", "work", "remember", "live")
_MOVES = ("skip", *_FREQUENT, "merge", "merge", *_SELDOM)
MOVE = st.tuples(st.sampled_from(_MOVES), st.integers(0, 11), st.integers(0, 11))
MOVES = st.lists(MOVE, min_size=40, max_size=60)

# One of everything: five verdicts, merges of merges, a conflict inside a node, one left open, one left in dispute.
FULL: tuple[Move, ...] = (
    ("live", 0, 0),
    ("read", 40, 2),
    ("read", 7, 3),
    *(("create", number, number) for number in range(8)),
    *(("relate", number, number) for number in range(5)),
    ("work", 0, 1),
    ("dispute", 0, 1),
    ("decide", 0, 0),
    ("settle", 0, 1),
    ("dispute", 0, 1),
    ("decide", 0, 1),
    ("settle", 0, 0),
    ("dispute", 3, 3),
    ("decide", 0, 2),
    ("settle", 0, 1),
    ("merge", -2, 0),  # the last two: both came from merges
    ("describe", 1, 1),
    ("record", 0, 1),
    ("dispute", 1, 2),
    ("decide", 0, 4),
    ("dispute", 0, 1),
    ("support", 0, 2),
    ("work", 1, 1),
    ("live", 4, 1),
)
