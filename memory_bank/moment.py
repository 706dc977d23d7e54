"""A session at one moment of its log: the bank so far, and what a person who watches asks of the events.

A watcher folds the log by itself instead of looking at the bank that a worker is changing: live, replayed and
imported sessions are read in the same way, and a moment in the past is the same fold over fewer events.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memory_bank.agents.react import REACT
from memory_bank.bank.bank import Bank
from memory_bank.bank.source import Role, Source
from memory_bank.bank.value import Value
from memory_bank.events import (
    AgentCalled,
    AgentFailed,
    ConflictDecided,
    ConflictReopened,
    EngineChoice,
    Event,
    MemoryKept,
    MemoryRecalled,
    MergeReverted,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    Notice,
    PersonDecided,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    SourceRead,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)

_QUIET = (
    AgentCalled,
    AgentFailed,
    MemoryKept,
    MemoryRecalled,
    NodeAnalysed,
    Notice,
    PersonDecided,
    PromptEnhanced,
    SourceAdded,
    SourceRead,
    StatusChanged,
    TextClassified,
    TextStreamed,
    TurnTaken,
)
"""Events that leave the three layers, the conflicts and the answer as they are."""

_VERDICTS = (ConflictDecided, ConflictReopened, NodesMerged, PersonDecided)

SourceState = Literal["waiting", "reading", "in memory", "kept to check against", "refused"]


class SourceProgress(Value):
    """How far a document has got. `done` of `known` topics are in memory; more may be found as it is read."""

    id: str
    name: str
    role: Role
    bytes: int
    state: SourceState
    done: int = 0
    known: int = 0
    language: str | None = None
    reason: str = ""


class Moment:
    """What the events so far add up to. Not for several threads: each watcher has its own.

    `speaking` is what the acting agent has said of the turn it is at, `asked` the models that each agent's requests
    went to, `marks` the numbers of the events that changed a layer, `verdicts` the events that settle conflicts or take
    that back, `doing` the last event that is more than a detail.
    """

    def __init__(self) -> None:
        self.bank = Bank()
        self.events: list[Event] = []
        self.marks: list[int] = []
        self.verdicts: list[Event] = []
        self.doing: Event | None = None
        self.new_nodes: set[str] = set()
        self.used_nodes: frozenset[str] = frozenset()
        self.made_of: dict[str, tuple[str, ...]] = {}
        self.speaking = ""
        self.asked: dict[str, tuple[EngineChoice, ...]] = {}
        self._clusters: dict[str, int] = {}
        self._worked = 0.0
        self._working_since: datetime | None = None

    def follow(self, events: Sequence[Event]) -> int:
        """Apply the events that came since the last call; how many there were.

        `events` is the whole log, which may grow while it is read. `CorruptLogError` if it does not add up.
        """
        fresh = events[len(self.events) :]
        for event in fresh:
            self._apply(event)
        return len(fresh)

    def _apply(self, event: Event) -> None:
        self.bank.apply(event)
        self._list(event)
        match event:
            case NodeCreated() | NodesMerged() | MergeReverted():
                self._note_nodes(event)
            case PlanUpdated() | SourceIngested():
                self.new_nodes, self.used_nodes = set(), frozenset()
            case PromptEnhanced():
                self.used_nodes = frozenset(event.node_ids)
            case TextClassified(source_id=str(source_id)):
                self._clusters[source_id] = self._clusters.get(source_id, 0) + event.clusters
            case TextStreamed():
                self.speaking += event.text
            case AgentCalled() | AgentFailed() | TurnTaken():
                self._note_requests(event)
            case StatusChanged():
                self.speaking = ""  # a turn that was cut off is taken anew
                self._note_time(event)
            case _:
                return

    def _list(self, event: Event) -> None:
        self.events.append(event)
        if not isinstance(event, _QUIET):
            self.marks.append(len(self.events))
        if not is_detail(event):
            self.doing = event
        if isinstance(event, _VERDICTS):
            self.verdicts.append(event)

    def _note_nodes(self, event: NodeCreated | NodesMerged | MergeReverted) -> None:
        match event:
            case NodeCreated(node=node):
                self.new_nodes.add(node.id)
            case NodesMerged(node=node, merge=merge):
                self.made_of[node.id] = merge.node_ids
                self.new_nodes = (self.new_nodes - set(merge.node_ids)) | {node.id}
            case MergeReverted(node_id=node_id):
                self.new_nodes = (self.new_nodes - {node_id}) | set(self.made_of.pop(node_id))

    def _note_requests(self, event: AgentCalled | AgentFailed | TurnTaken) -> None:
        agent = REACT if isinstance(event, TurnTaken) else event.agent
        calls = event.turn.calls if isinstance(event, TurnTaken) else event.calls
        if agent == REACT:
            self.speaking = ""
        models = (EngineChoice(provider=call.provider, model=call.model) for call in calls)
        self.asked[agent] = tuple(dict.fromkeys((*self.asked.get(agent, ()), *models)))

    def _note_time(self, event: StatusChanged) -> None:
        if self._working_since is not None:
            self._worked += (event.at - self._working_since).total_seconds()
        self._working_since = event.at if event.status == "running" else None

    def seconds(self, now: datetime | None = None) -> float:
        """Seconds at work. Of a session still at work: up to `now`, or where that is None up to its last event."""
        if self._working_since is None:
            return self._worked
        until = now or self.events[-1].at
        return self._worked + max(0.0, (until - self._working_since).total_seconds())

    def progress(self) -> tuple[SourceProgress, ...]:
        """Every document and how far it has got, in the order in which they came."""
        done: dict[str, int] = {}
        for unit in self.bank.units:
            source_id = unit.partition(".")[0]
            done[source_id] = done.get(source_id, 0) + 1
        return tuple(self._progress(source, done.get(source.id, 0)) for source in self.bank.sources.values())

    def _progress(self, source: Source, done: int) -> SourceProgress:
        return SourceProgress(
            id=source.id,
            name=source.name,
            role=source.role,
            bytes=source.bytes,
            state=self._state(source),
            done=done,
            known=self._clusters.get(source.id, 0),
            language=source.language,
            reason=source.refused or "",
        )

    def _state(self, source: Source) -> SourceState:
        if source.refused is not None:
            return "refused"
        if source.id in self.bank.ingested:
            return "in memory" if source.role == "material" else "kept to check against"
        return "waiting" if source.characters is None else "reading"


def is_detail(event: Event) -> bool:
    """Whether an event is of interest only to whoever looks closely; not if something was left out of it."""
    if isinstance(event, AgentCalled):
        return not event.remarks
    return isinstance(event, NodeAnalysed | PromptEnhanced | TextStreamed)
