"""The bank: three layers, conflicts and answer, changed by events and by nothing else.

`Bank.apply` is the one place where an event takes effect. Live runs, replay, resume, time travel and import are
the same fold over a list of events, up to one point or another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.interaction_tree import Entry, InteractionTrees, Merge
from memory_bank.bank.message import Turn
from memory_bank.bank.query_graph import Node, NodeStatus, QueryGraph
from memory_bank.bank.source import Source
from memory_bank.bank.usage import Usage
from memory_bank.errors import CorruptLogError
from memory_bank.events import (
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    EdgeCreated,
    EngineChoice,
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
    Status,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)

MOST_CHECKS = 2
_ID = re.compile(r"([a-z]+)([0-9]{1,15})")


class Bank:
    """Everything a session knows, as the sum of its events."""

    def __init__(self) -> None:
        self.session_id = ""
        self.created_at: datetime | None = None
        self.finished_at: datetime | None = None
        self.status: Status = "created"
        self.engine: dict[str, EngineChoice] = {}
        self.settings: dict[str, Any] = {}
        self.usage = Usage()
        self.usage_of: dict[str, Usage] = {}
        self.insight_doc = InsightDoc(doc_id="", task_goal="")
        self.query_graph = QueryGraph()
        self.trees = InteractionTrees()
        self.conflicts: dict[str, Conflict] = {}
        self.sources: dict[str, Source] = {}
        self.answer: Answer | None = None
        self.judgements: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, list[Turn]] = {}
        self.unplanned: list[str] = []
        self.failed_checks: Counter[str] = Counter()
        self.failed_requests: Counter[str] = Counter()
        self.classified: set[str] = set()
        self.units: dict[str, str] = {}
        self.ingested: set[str] = set()
        self.analysed: set[str] = set()
        self.prompted: set[str] = set()
        self.planned = False
        self.merged_into: dict[str, str] = {}
        self.events_applied = 0
        self._highest: dict[str, int] = {}

    @classmethod
    def replay(cls, events: Iterable[Event]) -> Bank:
        """The bank that a list of events adds up to."""
        bank = cls()
        for event in events:
            bank.apply(event)
        return bank

    def next_id(self, prefix: str, ahead: int = 0) -> str:
        """The next free id of a kind (`n12`); `ahead` skips that many, for several made in one event."""
        return f"{prefix}{self._highest.get(prefix, 0) + 1 + ahead}"

    def living(self, node_id: str) -> str:
        """The node that a node has become by merges; itself if it still lives."""
        while node_id in self.merged_into:
            node_id = self.merged_into[node_id]
        return node_id

    def open_conflicts(self) -> list[Conflict]:
        """Conflicts waiting for a verdict, oldest first."""
        return [conflict for conflict in self.conflicts.values() if conflict.status == "open"]

    def plannable_conflicts(self, *, failed_now: bool = False) -> list[Conflict]:
        """Open conflicts that may still be verified: one whose verification failed twice is left open.

        `failed_now` says that the current task failed, which no event has recorded yet.
        """
        task = self.insight_doc.current_task
        failed = Counter(self.failed_checks)
        if failed_now and task and task.conflict_id:
            failed[task.conflict_id] += 1
        return [conflict for conflict in self.open_conflicts() if failed[conflict.id] < MOST_CHECKS]

    def apply(self, event: Event) -> None:
        """Let one event take effect. `CorruptLogError` if it does not fit what came before."""
        self.events_applied += 1
        try:
            self._apply(event)
        except KeyError as error:
            raise CorruptLogError(f"event {event.seq} ({event.type}) names {error}, which is not there") from error

    def _apply(self, event: Event) -> None:
        match event:
            case SessionCreated() | StatusChanged():
                self._apply_life(event)
            case SourceAdded() | SourceRead() | SourceRefused() | SourceIngested():
                self._apply_source(event)
            case NodeCreated() | NodeUpdated() | NodeAnalysed() | EdgeCreated() | EntryRecorded() | NodesMerged():
                self._apply_memory(event)
            case ConflictOpened() | ConflictDecided():
                self._apply_conflict(event)
            case AgentCalled() | AgentFailed() | TurnTaken():
                self._apply_call(event)
            case PromptEnhanced() | PlanUpdated() | AnswerGiven():
                self._apply_work(event)
            case TextClassified():
                self.classified.add(event.unit)
            case TextStreamed() | Notice():
                return  # seen by people and by progress; no layer changes

    def _apply_call(self, event: AgentCalled | AgentFailed | TurnTaken) -> None:
        if isinstance(event, AgentCalled):
            if event.key in self.judgements:
                raise CorruptLogError(f"judgement {event.key} is recorded twice")
            self.judgements[event.key] = event.output
        elif isinstance(event, TurnTaken):
            turns = self.turns.setdefault(event.task_id, [])
            if event.number != len(turns) + 1:
                raise CorruptLogError(f"turn {event.number} of {event.task_id} does not follow turn {len(turns)}")
            turns.append(event.turn)
        else:
            self.failed_requests[event.key] += len(event.calls)
        agent = "react" if isinstance(event, TurnTaken) else event.agent
        self.usage += event.usage
        self.usage_of[agent] = self.usage_of.get(agent, Usage()) + event.usage

    def _apply_work(self, event: PromptEnhanced | PlanUpdated | AnswerGiven) -> None:
        match event:
            case PromptEnhanced():
                self.prompted.add(event.task_id)
            case PlanUpdated():
                self.planned = True
                self.unplanned.clear()
                self._count_check(event)
                self.insight_doc = self.insight_doc.plan(event.completed, event.current)
            case AnswerGiven():
                self.answer = event.answer

    def _count_check(self, event: PlanUpdated) -> None:
        """Planning has finished the task that was current; a verification may have failed."""
        task = self.insight_doc.current_task
        if task and task.conflict_id and event.completed and event.completed.status == "failed":
            self.failed_checks[task.conflict_id] += 1

    def _apply_life(self, event: SessionCreated | StatusChanged) -> None:
        if isinstance(event, SessionCreated):
            if self.created_at is not None:
                raise CorruptLogError("the session is created twice")
            self.session_id, self.created_at = event.session_id, event.at
            self.engine, self.settings = event.engine, event.settings
            self.insight_doc = InsightDoc(doc_id=event.doc_id, task_goal=event.task_goal)
            return
        self.status = event.status
        self.finished_at = event.at if event.status in ("finished", "failed", "cancelled") else None

    def _apply_source(self, event: SourceAdded | SourceRead | SourceRefused | SourceIngested) -> None:
        if isinstance(event, SourceAdded):
            if event.source.id in self.sources:
                raise CorruptLogError(f"source {event.source.id} is added twice")
            self.sources[event.source.id] = event.source
            self._observe(event.source.id)
            return
        source = self.sources[event.source_id]
        if isinstance(event, SourceRead):
            update = {"title": event.title, "media_type": event.media_type}
            update |= {"characters": event.characters, "pages": event.pages}  # type: ignore[dict-item]
            self.sources[source.id] = source.model_copy(update=update)
            return
        if isinstance(event, SourceRefused):
            self.sources[source.id] = source.model_copy(update={"refused": event.reason})
        self.ingested.add(source.id)
        if event.task is not None:
            self.insight_doc = self.insight_doc.finish(event.task)

    def _apply_memory(
        self, event: NodeCreated | NodeUpdated | NodeAnalysed | EdgeCreated | EntryRecorded | NodesMerged
    ) -> None:
        match event:
            case NodeCreated(node=node):
                self._add_node(node)
                self._record_entry(node.id, event.entry)
                self.units[event.unit] = node.id
            case NodeUpdated():
                self._describe(event.node_id, event.context, event.keywords)
            case NodeAnalysed():
                self.analysed.add(event.node_id)
            case EdgeCreated(node_ids=(a, b)):
                self.query_graph.create_edge(a, b)
            case EntryRecorded():
                self._record_entry(event.node_id, event.entry)
            case NodesMerged():
                self._merge(event)

    def _merge(self, event: NodesMerged) -> None:
        """The new node takes over edges, trees and unfinished conflicts of the merged ones, which end."""
        self._require_settled(event.merge)
        merged, new = event.merge.node_ids, event.node
        inherited = [
            neighbour
            for node_id in merged
            for neighbour in self.query_graph.neighbours(node_id)
            if neighbour not in merged
        ]
        self._add_node(new)
        for neighbour in dict.fromkeys(inherited):
            self.query_graph.create_edge(new.id, neighbour)
        for node_id in merged:
            self.query_graph.delete_node(node_id)
            self.merged_into[node_id] = new.id
        self.trees.reattach(merged, new.id, event.merge)
        if event.entry is not None:
            self._record_entry(new.id, event.entry)
        for update in event.neighbour_updates:
            self._describe(update.node_id, update.context, update.keywords)
        self._follow_conflicts(event)
        self._restatus((new.id,))

    def _require_settled(self, merge: Merge) -> None:
        if merge.conflict_id is None:
            return
        conflict = self.conflicts[merge.conflict_id]
        settled = conflict.status == "open" and conflict.verdict is not None and conflict.verdict == merge.verdict
        if not settled or not set(conflict.node_ids) <= set(merge.node_ids):
            raise CorruptLogError(f"the merge into a new node does not follow from the verdict on {conflict.id}")

    def _follow_conflicts(self, event: NodesMerged) -> None:
        new_id = event.node.id
        for conflict in list(self.conflicts.values()):
            update: dict[str, Any] = {}
            if conflict.id == event.merge.conflict_id:
                update = {"status": "resolved", "merged_into": new_id}
            elif conflict.status != "resolved":
                node_ids = tuple(dict.fromkeys(self.living(node_id) for node_id in conflict.node_ids))
                update = {"node_ids": node_ids} if node_ids != conflict.node_ids else {}
            elif conflict.merged_into is not None:
                update = {"merged_into": self.living(conflict.merged_into)}
            if update:
                self.conflicts[conflict.id] = conflict.model_copy(update=update)

    def _apply_conflict(self, event: ConflictOpened | ConflictDecided) -> None:
        if isinstance(event, ConflictOpened):
            conflict = event.conflict
            if conflict.id in self.conflicts:
                raise CorruptLogError(f"conflict {conflict.id} is opened twice")
            if conflict.status != "open" or conflict.verdict is not None:
                raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
            self._observe(conflict.id)
        else:
            verification = event.verification
            conflict = self.conflicts[verification.conflict_id].model_copy(
                update={
                    "status": "disputed" if verification.verdict == "inconclusive" else "open",
                    "verdict": verification.verdict,
                    "decided_by": event.decided_by,
                    "reason": verification.reason,
                    "confidence": verification.confidence,
                    "evidence": verification.evidence,
                }
            )
        self.conflicts[conflict.id] = conflict
        self._restatus(conflict.node_ids)

    def _restatus(self, node_ids: Iterable[str]) -> None:
        """A node is conflicting while a conflict names it, else disputed while a dispute does, else active."""
        for node_id in node_ids:
            node = self.query_graph[node_id]
            states = {conflict.status for conflict in self.conflicts.values() if node_id in conflict.node_ids}
            status: NodeStatus = "active"
            if "open" in states:
                status = "conflicting"
            elif "disputed" in states:
                status = "disputed"
            if status != node.status:
                self.query_graph.update_node(node.model_copy(update={"status": status}))

    def _add_node(self, node: Node) -> None:
        if node.id in self.merged_into:
            raise CorruptLogError(f"node {node.id} is created again after a merge")
        # No conflict names it yet; what an event says about it beyond that is not believed.
        self.query_graph.create_node(node.model_copy(update={"status": "active"}))
        self.unplanned.append(node.id)
        self._observe(node.id)
        for claim in node.claims:
            self._observe(claim.id)

    def _record_entry(self, node_id: str, entry: Entry) -> None:
        if node_id not in self.query_graph:
            raise CorruptLogError(f"entry {entry.id} names the missing node {node_id}")
        self.trees.record(node_id, entry)
        self._observe(entry.id)
        for attachment in entry.attachments:
            self._observe(attachment.id)

    def _describe(self, node_id: str, context: str, keywords: tuple[str, ...]) -> None:
        node = self.query_graph[node_id]
        self.query_graph.update_node(node.model_copy(update={"context": context, "keywords": keywords}))

    def _observe(self, new_id: str) -> None:
        match = _ID.fullmatch(new_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._highest[prefix] = max(self._highest.get(prefix, 0), number)
