"""The state of a session after a number of its events, as a viewer needs it.

A viewer replays the log itself instead of reading the bank that a worker is changing. So live, replayed and imported
sessions are read in the same way, and a moment in the past is a replay of fewer events.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memory_bank.agents.react import REACT
from memory_bank.bank import events as ev
from memory_bank.bank.bank import Bank
from memory_bank.bank.source import Source
from memory_bank.bank.value import WordedText
from memory_bank.views.timeline import Timeline

_UNCHANGING_EVENTS = (
    ev.AgentCalled,
    ev.AgentFailed,
    ev.MemoryKept,
    ev.MemoryRecalled,
    ev.NodeAnalysed,
    ev.Notice,
    ev.PersonDecided,
    ev.PromptEnhanced,
    ev.SourceAdded,
    ev.SourceRead,
    ev.StatusChanged,
    ev.TaskUnderstood,
    ev.TextClassified,
    ev.TextStreamed,
    ev.TurnTaken,
)
"""Events that do not change the three layers, the conflicts or the answer."""

_VERDICT_EVENTS = (ev.ConflictDecided, ev.ConflictReopened, ev.NodesMerged, ev.PersonDecided)

SourceState = Literal["waiting", "reading", "in memory", "kept to check against", "refused"]


class SourceProgress(Source):
    """A document, and how far its reading has got.

    `done` of the `known` topics are in memory; more topics may be found as reading goes on. `share` is the part of its
    text that is in memory, from 0 to 1.
    """

    state: SourceState
    done: int = 0
    known: int = 0
    share: float = 0.0
    refused: WordedText | None = None


class Moment:
    """The state of a session after the events so far. Not thread-safe: each viewer has its own.

    `marks`: the numbers of the events that changed a layer, the conflicts or the answer. `verdicts`: the events that
    settle conflicts or revert that. `doing`: the last event that is more than a detail. `new_nodes`: nodes made
    since the last step or document ended. `used_nodes`: nodes in the prompt of the current step. `made_of`: for each
    result of a merge, the nodes it was made of. `speaking`: what the acting agent has said so far in its current turn.
    `asked`: the models that each agent's requests went to. `timeline`: the tasks, and the time at work.
    """

    def __init__(self) -> None:
        self.bank = Bank()
        self.events: list[ev.Event] = []
        self.marks: list[int] = []
        self.verdicts: list[ev.Event] = []
        self.doing: ev.Event | None = None
        self.new_nodes: set[str] = set()
        self.used_nodes: frozenset[str] = frozenset()
        self.made_of: dict[str, tuple[str, ...]] = {}
        self.speaking = ""
        self.asked: dict[str, tuple[ev.EngineChoice, ...]] = {}
        self.timeline = Timeline()
        self._clusters: dict[str, int] = {}

    def follow(self, events: Sequence[ev.Event]) -> None:
        """Apply the events that came since the last call.

        `events` is the whole log, which may grow while it is read. Raises `CorruptLogError` if it is not consistent.
        """
        for event in events[len(self.events) :]:
            self._apply(event)

    def _apply(self, event: ev.Event) -> None:
        self.bank.apply(event)
        self.timeline.add(event)
        self._append(event)
        match event:
            case ev.NodeCreated() | ev.NodesMerged() | ev.MergeReverted():
                self._track_nodes(event)
            case ev.PlanUpdated() | ev.SourceIngested():
                self.new_nodes, self.used_nodes = set(), frozenset()
            case ev.PromptEnhanced():
                self.used_nodes = frozenset(event.node_ids)
            case ev.TextClassified(source_id=str(source_id)):
                self._clusters[source_id] = self._clusters.get(source_id, 0) + event.clusters
            case ev.TextStreamed():
                self.speaking += event.text
            case ev.AgentCalled() | ev.AgentFailed() | ev.TurnTaken():
                self._track_requests(event)
            case ev.StatusChanged():
                self.speaking = ""  # a turn that was cut off is started again

    def _append(self, event: ev.Event) -> None:
        self.events.append(event)
        if not isinstance(event, _UNCHANGING_EVENTS):
            self.marks.append(len(self.events))
        if not is_detail(event):
            self.doing = event
        if isinstance(event, _VERDICT_EVENTS):
            self.verdicts.append(event)

    def _track_nodes(self, event: ev.NodeCreated | ev.NodesMerged | ev.MergeReverted) -> None:
        match event:
            case ev.NodeCreated(node=node):
                self.new_nodes.add(node.id)
            case ev.NodesMerged(node=node, merge=merge):
                self.made_of[node.id] = merge.node_ids
                self.new_nodes = (self.new_nodes - set(merge.node_ids)) | {node.id}
            case ev.MergeReverted(node_id=node_id):
                self.new_nodes = (self.new_nodes - {node_id}) | set(self.made_of.pop(node_id))

    def _track_requests(self, event: ev.AgentCalled | ev.AgentFailed | ev.TurnTaken) -> None:
        agent = REACT if isinstance(event, ev.TurnTaken) else event.agent
        calls = event.turn.calls if isinstance(event, ev.TurnTaken) else event.calls
        if agent == REACT:
            self.speaking = ""
        models = (ev.EngineChoice(provider=call.provider, model=call.model) for call in calls)
        self.asked[agent] = tuple(dict.fromkeys((*self.asked.get(agent, ()), *models)))

    @property
    def newest_record(self) -> datetime | None:
        """When something was last added to memory; None if nothing was."""
        return max((entry.created_at for entry in self.bank.trees), default=None)

    def progress(self) -> tuple[SourceProgress, ...]:
        """The progress of every document, in the order in which the documents were added."""
        done: dict[str, int] = {}
        for unit in self.bank.units:
            source_id = unit.partition(".")[0]
            done[source_id] = done.get(source_id, 0) + 1
        reached = self._reached()
        return tuple(
            SourceProgress(
                **dict(source),
                state=self._state(source),
                done=done.get(source.id, 0),
                known=self._clusters.get(source.id, 0),
                share=min(reached.get(source.id, 0) / max(source.characters or 0, 1), 1.0),
            )
            for source in self.bank.sources.values()
        )

    def _reached(self) -> dict[str, int]:
        """How many characters of each document are in memory: up to the end of its last record."""
        reached: dict[str, int] = {}
        for entry in self.bank.trees:
            source_id, start = str(entry.metadata.get("source_id")), entry.metadata.get("start")
            if isinstance(start, int):
                reached[source_id] = max(reached.get(source_id, 0), start + len(entry.text))
        return reached

    def _state(self, source: Source) -> SourceState:
        if source.refused is not None:
            return "refused"
        if source.id in self.bank.ingested:
            return "in memory" if source.role == "material" else "kept to check against"
        return "waiting" if source.characters is None else "reading"


def is_detail(event: ev.Event) -> bool:
    """Whether an event is hidden unless details are shown. An agent call with remarks is never a detail."""
    if isinstance(event, ev.AgentCalled):
        return not event.remarks
    return isinstance(event, ev.NodeAnalysed | ev.PromptEnhanced | ev.TextStreamed)
