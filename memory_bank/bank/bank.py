"""The bank: three layers, conflicts and answer, changed by events and by nothing else.

`Bank.apply` is the one place where an event takes effect. Live runs, replay, resume, time travel and import are
the same fold over a list of events, up to one point or another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry, InteractionTrees, Merge
from memory_bank.bank.merges import Merges
from memory_bank.bank.message import Turn
from memory_bank.bank.query_graph import Claim, Node, NodeStatus, QueryGraph
from memory_bank.bank.source import Source
from memory_bank.bank.usage import Usage
from memory_bank.errors import CorruptLogError
from memory_bank.events import (
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
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
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
    TurnTaken,
)

MOST_CHECKS = 2
_ID = re.compile(r"([a-z]+)([0-9]{1,15})")
_WORD = re.compile(r"[A-Za-z0-9]+")


class Bank:
    """Everything a session knows, as the sum of its events.

    What a loop without a state of its own needs besides the layers: `decisions` of a person that have not taken effect;
    `rounds`, how often what a verdict led to was taken back; `given_up`, the judgements that failed for good in this
    run; `planned`, whether planning has been asked since the start or since a person reopened a conflict; `plans` in
    all, and since the last answer; `ask_again` and `answer_stale`, whether a person's decision took effect since the
    last step that worked on the question, and since the answer; `recalled` and `kept`, what went from and to long-term
    memory, and `answer_kept`, whether the answer did.
    """

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
        self.decisions: dict[str, PersonDecided] = {}
        self.rounds: Counter[str] = Counter()
        self.answer: Answer | None = None
        self.answer_stale = False
        self.ask_again = False
        self.judgements: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, list[Turn]] = {}
        self.unplanned: list[str] = []
        self.failed_checks: Counter[str] = Counter()
        self.failed_requests: Counter[str] = Counter()
        self.given_up: set[str] = set()
        self.classified: set[str] = set()
        self.units: dict[str, str] = {}
        self.ingested: set[str] = set()
        self.recalled: MemoryRecalled | None = None
        self.kept: list[MemoryKept] = []
        self.answer_kept = False
        self.analysed: set[str] = set()
        self.prompted: set[str] = set()
        self.planned = False
        self.plans = 0
        self.plans_since_answer = 0
        self._merges = Merges(self.query_graph, self.trees)
        self._named: dict[str, tuple[str, ...]] = {}  # by each conflict when it was opened
        self._stands: dict[str, dict[str, Literal["first", "second"]]] = {}
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

    @property
    def merged_into(self) -> Mapping[str, str]:
        """The node that each merged node became, which may have been merged too."""
        return self._merges.merged_into

    def living(self, node_id: str) -> str:
        """The node that a node has become by merges; itself if it still lives, or if its merge was taken back."""
        return self._merges.living(node_id)

    def open_conflicts(self) -> list[Conflict]:
        """Conflicts waiting for a verdict, oldest first. For any thread, as is `plannable_conflicts`."""
        return [conflict for conflict in list(self.conflicts.values()) if conflict.status == "open"]

    def opposed(self, conflict: Conflict) -> list[tuple[str, str]]:
        """The pairs of nodes that an undecided conflict stands between; none where it lies inside one node."""
        if len(conflict.node_ids) < 3:
            return [conflict.node_ids] if len(conflict.node_ids) == 2 else []
        first, second = (
            dict.fromkeys(self.trees.node_of(claim.entry_id) for claim in side if claim.entry_id in self.trees)
            for side in conflict.sides
        )
        pairs = {frozenset((a, b)): (a, b) for a in first for b in second if a != b}
        return list(pairs.values())

    def stands(self, claim_id: str) -> Mapping[str, Literal["first", "second"]]:
        """The conflicts that a claim is a party to, each with its side."""
        return self._stands.get(claim_id, {})

    def sources_of(self, claim: Claim) -> list[str]:
        """The names of the documents that a claim stands in: the one it was found in, and those of the same text."""
        source_id = self.trees.entry(claim.entry_id).metadata.get("source_id")
        return [
            claim.source,
            *(source.name for source in self.sources.values() if source_id and source.same_as == source_id),
        ]

    def waiting_images(self) -> list[Source]:
        """The images that no task has read yet, in the order in which they came."""
        return [source for source in self.sources.values() if source.is_image and source.id not in self.ingested]

    def waiting_image(self, task: CurrentTask) -> Source | None:
        """The image that a task is to read: a waiting one whose id the description names, the first that it does."""
        named = self._named_image(task)
        return named if named is not None and named.id not in self.ingested else None

    def refused_image(self, task: CurrentTask) -> str | None:
        """Why the image that a task was to read was refused; None if it was not, or the task reads none."""
        named = self._named_image(task)
        return None if named is None else named.refused

    def _named_image(self, task: CurrentTask) -> Source | None:
        images = {source.id: source for source in self.sources.values() if source.is_image}
        words = _WORD.findall(task.description) if task.type == "NORMAL" and images else []
        return next((images[word] for word in words if word in images), None)  # the name may hold another's id

    def plannable_conflicts(self, *, failed_now: bool = False) -> list[Conflict]:
        """Open conflicts that may still be verified: not one whose verification failed twice, nor a person's verdict.

        `failed_now` says that the current task failed, which no event has recorded yet.
        """
        task = self.insight_doc.current_task
        failed = Counter(self.failed_checks)
        if failed_now and task and task.conflict_id:
            failed[task.conflict_id] += 1
        return [
            conflict
            for conflict in self.open_conflicts()
            if failed[conflict.id] < MOST_CHECKS and conflict.decided_by != "person"
        ]

    def apply(self, event: Event) -> None:
        """Let one event take effect. `CorruptLogError` if it does not fit what came before; nothing changes then."""
        try:
            self._apply(event)
        except KeyError as error:
            raise CorruptLogError(f"event {event.seq} ({event.type}) names {error}, which is not there") from error
        except ValidationError as error:  # what was spent so far and this is more than a number holds
            raise CorruptLogError(f"event {event.seq} ({event.type}) adds up to no number") from error

    def _apply(self, event: Event) -> None:
        match event:
            case SessionCreated() | StatusChanged():
                self._apply_life(event)
            case SourceAdded() | SourceRead() | SourceRefused() | SourceIngested():
                self._apply_source(event)
            case NodeCreated() | NodeUpdated() | NodeAnalysed() | EdgeCreated() | EntryRecorded():
                self._apply_memory(event)
            case NodesMerged() | MergeReverted():
                self._apply_merge(event)
            case ConflictOpened() | ConflictSupported() | ConflictDecided() | PersonDecided() | ConflictReopened():
                self._apply_conflict(event)
            case AgentCalled() | AgentFailed() | TurnTaken():
                self._apply_call(event)
            case PromptEnhanced() | PlanUpdated() | AnswerGiven():
                self._apply_work(event)
            case MemoryRecalled() | MemoryKept():
                self._apply_long_term(event)
            case TextClassified():
                self.classified.add(event.unit)
            case _:
                return  # seen by people and by progress; no layer changes

    def _apply_long_term(self, event: MemoryRecalled | MemoryKept) -> None:
        if isinstance(event, MemoryRecalled):
            self.recalled = event
        else:
            self.kept.append(event)
            self.answer_kept = self.answer_kept or event.closed

    def _apply_call(self, event: AgentCalled | AgentFailed | TurnTaken) -> None:
        agent = "react" if isinstance(event, TurnTaken) else event.agent
        usage, own = self.usage + event.usage, self.usage_of.get(agent, Usage()) + event.usage
        if isinstance(event, AgentCalled):
            if event.key in self.judgements:
                raise CorruptLogError(f"judgement {event.key} is recorded twice")
            self.judgements[event.key] = event.output
            self.given_up.discard(event.key)
        elif isinstance(event, TurnTaken):
            turns = self.turns.get(event.task_id, [])
            if event.number != len(turns) + 1:
                raise CorruptLogError(f"turn {event.number} of {event.task_id} does not follow turn {len(turns)}")
            self.turns[event.task_id] = [*turns, event.turn]
        else:
            self.failed_requests[event.key] += len(event.calls)
            if not event.again:
                self.given_up.add(event.key)
        self.usage, self.usage_of[agent] = usage, own

    def _apply_work(self, event: PromptEnhanced | PlanUpdated | AnswerGiven) -> None:
        match event:
            case PromptEnhanced():
                self.prompted.add(event.task_id)
                task = self.insight_doc.current_task
                if task is not None and (task.id, task.type) == (event.task_id, "NORMAL"):
                    self.ask_again = False
            case PlanUpdated():
                self.planned = True
                self.plans += 1
                reads = event.current is not None and self._named_image(event.current) is not None
                self.plans_since_answer += not reads  # as many as there are images, and each of them once
                self.unplanned.clear()
                self._count_check(event)
                self.insight_doc = self.insight_doc.plan(event.completed, event.current)
            case AnswerGiven():
                self.answer, self.answer_stale, self.plans_since_answer = event.answer, False, 0
                self.answer_kept = False
                self.planned, self.ask_again = True, False  # what the limits left undone is not begun again

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
        if event.status == "running":  # a run tries once more what an earlier one gave up
            self.given_up.clear()
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
            update |= {"language": event.language, "text_sha256": event.text_sha256}
            update |= {"dated": event.dated}  # type: ignore[dict-item]
            self.sources[source.id] = source.model_copy(update=update)
            return
        if isinstance(event, SourceIngested) and event.same_as is not None:
            self.sources[source.id] = source.model_copy(update={"same_as": event.same_as})
        if isinstance(event, SourceRefused):
            self.sources[source.id] = source.model_copy(update={"refused": event.reason})
        self.ingested.add(source.id)
        if event.task is not None:
            self.insight_doc = self.insight_doc.finish(event.task)

    def _apply_memory(self, event: NodeCreated | NodeUpdated | NodeAnalysed | EdgeCreated | EntryRecorded) -> None:
        match event:
            case NodeCreated(node=node):
                self._require_new(event.entry)
                self._add_node(node)
                self._record_entry(node.id, event.entry)
                self.units[event.unit] = node.id
            case NodeUpdated():
                node = self.query_graph[event.node_id]
                update = {"context": event.context, "keywords": event.keywords}
                self.query_graph.update_node(node.model_copy(update=update))
            case NodeAnalysed():
                self.analysed.add(event.node_id)
            case EdgeCreated(node_ids=(a, b)):
                self._merges.relate(a, b)
            case EntryRecorded():
                self._record_entry(event.node_id, event.entry)

    def _apply_merge(self, event: NodesMerged | MergeReverted) -> None:
        if isinstance(event, NodesMerged):
            self._merge(event)
        else:
            self._take_back(event)

    def _merge(self, event: NodesMerged) -> None:
        """The new node takes over edges, trees and unfinished conflicts of the merged ones, which end."""
        self._require_settled(event.merge)
        self._require_apart(event)
        self._add_node(event.node)
        self._merges.join(event.merge, event.node.id)
        if event.entry is not None:
            self._record_entry(event.node.id, event.entry)
        for update in event.neighbour_updates:
            self._merges.rewrite(event.node.id, update.node_id, update.context, update.keywords)
        self._follow_conflicts(event)
        self._restatus((event.node.id,))

    def _require_settled(self, merge: Merge) -> None:
        if merge.conflict_id is None:
            return
        conflict = self.conflicts[merge.conflict_id]
        settled = conflict.status == "open" and conflict.verdict is not None and conflict.verdict == merge.verdict
        if not settled or not set(conflict.node_ids) <= set(merge.node_ids):
            raise CorruptLogError(f"the merge into a new node does not follow from the verdict on {conflict.id}")

    def _require_apart(self, event: NodesMerged) -> None:
        parts = event.merge.node_ids
        described = [update.node_id for update in event.neighbour_updates]
        self._require_nodes(*parts, *described)
        if len(set(parts)) < len(parts) or not set(parts).isdisjoint(described):
            raise CorruptLogError(f"the merge into {event.node.id} names a node twice")
        if event.entry is not None:
            self._require_new(event.entry)

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

    def _take_back(self, event: MergeReverted) -> None:
        """The merged nodes live again, with their own entries and conflicts; what came since goes to one of them."""
        parts, since = self._merges.take_back(event.node_id)
        for conflict in list(self.conflicts.values()):
            self._name_again(conflict, event.node_id, parts)
        for entry in since:
            about = self.conflicts.get(str(entry.metadata.get("conflict_id")))
            fitting = [part for part in parts if about is not None and part in about.node_ids]
            self.trees.move(entry.id, fitting[-1] if fitting else parts[-1])
        self._restatus(parts)
        self._unsettle()

    def _name_again(self, conflict: Conflict, node_id: str, parts: tuple[str, ...]) -> None:
        """Let a conflict that named the node name those that hold its claims; the one it resolved is open again."""
        update: dict[str, Any] = {}
        if conflict.merged_into == node_id:
            heirs = [part for part in parts if conflict.id in {found.conflict_id for found in self.trees.merges(part)}]
            if heirs:
                update = {"merged_into": heirs[0]}
            else:
                update = {"status": "open", "merged_into": None, "node_ids": self._living_named(conflict.id)}
                self.rounds[conflict.id] += 1
        elif conflict.status != "resolved" and node_id in conflict.node_ids:
            homes = [self.trees.node_of(c.entry_id) for c in conflict.parties if c.entry_id in self.trees]
            holders = tuple(part for part in dict.fromkeys(homes) if part in parts) or parts[-1:]
            named = self._named[conflict.id]
            self._named[conflict.id] = tuple(
                found for name in named for found in (holders if name == node_id else (name,))
            )
            update = {"node_ids": self._living_named(conflict.id)}
        if update:
            self.conflicts[conflict.id] = conflict.model_copy(update=update)

    def _living_named(self, conflict_id: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.living(node_id) for node_id in self._named[conflict_id]))

    def _unsettle(self) -> None:
        """A person's decision takes effect: what was found and answered before may hold no more."""
        self.ask_again = True
        self.answer_stale = self.answer is not None

    def _apply_conflict(
        self, event: ConflictOpened | ConflictSupported | ConflictDecided | PersonDecided | ConflictReopened
    ) -> None:
        match event:
            case ConflictOpened(conflict=conflict):
                self._open_conflict(conflict)
            case ConflictSupported():
                self._support(event)
            case ConflictDecided():
                self._decide(event)
            case ConflictReopened():
                self._reopen(event.conflict_id)
            case PersonDecided():
                self.decisions[self.conflicts[event.conflict_id].id] = event

    def _open_conflict(self, conflict: Conflict) -> None:
        if conflict.id in self.conflicts:
            raise CorruptLogError(f"conflict {conflict.id} is opened twice")
        if conflict.status != "open" or conflict.verdict is not None:
            raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
        self._require_nodes(*conflict.node_ids)
        self._observe(conflict.id)
        self.conflicts[conflict.id] = conflict
        self._named[conflict.id] = conflict.node_ids
        first, second = conflict.sides
        for claim in first:
            self._stands.setdefault(claim.id, {})[conflict.id] = "first"
        for claim in second:
            self._stands.setdefault(claim.id, {})[conflict.id] = "second"
        self._restatus(conflict.node_ids)

    def _support(self, event: ConflictSupported) -> None:
        conflict = self.conflicts[event.conflict_id]
        if not conflict.undecided or conflict.id in self.stands(event.claim.id):
            raise CorruptLogError(f"{event.claim.id} cannot join a side of {conflict.id}: it is settled, or has it")
        self._require_nodes(event.node_id)
        first, second = conflict.supporters
        joined = ((*first, event.claim), second) if event.side == "first" else (first, (*second, event.claim))
        self._named[conflict.id] = (*self._named[conflict.id], event.node_id)
        self._stands.setdefault(event.claim.id, {})[conflict.id] = event.side
        update = {"supporters": joined, "node_ids": self._living_named(conflict.id)}
        self.conflicts[conflict.id] = conflict.model_copy(update=update)
        self._restatus((event.node_id,))

    def _decide(self, event: ConflictDecided) -> None:
        verification = event.verification
        conflict = self.conflicts[verification.conflict_id]
        if conflict.verdict is not None:
            raise CorruptLogError(f"conflict {conflict.id} is decided again without being reopened")
        update = {
            "status": "disputed" if verification.verdict == "inconclusive" else "open",
            "verdict": verification.verdict,
            "decided_by": event.decided_by,
            "reason": verification.reason,
            "confidence": verification.confidence,
            "evidence": verification.evidence,
        }
        self.conflicts[conflict.id] = conflict.model_copy(update=update)
        self._restatus(conflict.node_ids)
        if event.decided_by == "person":
            self.decisions.pop(conflict.id, None)
            self._unsettle()

    def _reopen(self, conflict_id: str) -> None:
        """The conflict is as it was opened, but for the evidence found so far; it may be verified anew."""
        conflict = self.conflicts[conflict_id]
        if conflict.status == "resolved":
            raise CorruptLogError(f"conflict {conflict_id} is reopened before its merge is taken back")
        update = {"status": "open", "verdict": None, "decided_by": None, "reason": None, "confidence": None}
        self.conflicts[conflict_id] = conflict.model_copy(update=update)
        self._restatus(conflict.node_ids)
        self.rounds[conflict_id] += 1
        del self.failed_checks[conflict_id]
        decision = self.decisions.get(conflict_id)
        if decision is None or decision.verdict is None:
            self.decisions.pop(conflict_id, None)
            self.planned = False
        self._unsettle()

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

    def _require_nodes(self, *node_ids: str) -> None:
        """`KeyError` for the first that does not live."""
        for node_id in node_ids:
            self.query_graph[node_id]

    def _require_new(self, entry: Entry) -> None:
        if entry.id in self.trees:
            raise CorruptLogError(f"entry {entry.id} is recorded twice")

    def _add_node(self, node: Node) -> None:
        if self._merges.gone(node.id):
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

    def _observe(self, new_id: str) -> None:
        match = _ID.fullmatch(new_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._highest[prefix] = max(self._highest.get(prefix, 0), number)
