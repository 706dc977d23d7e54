"""The timeline of a session: its tasks, each with its usage, its prompt and its effects on memory.

The log is cut into segments, one for each task. A segment begins where the one before it ended, so every request is
counted with exactly one task.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from memory_bank.bank import events as ev
from memory_bank.bank.conflict import DecidedBy
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, TaskType
from memory_bank.bank.usage import Usage
from memory_bank.text.wording import Wording

TaskState = Literal["success", "failed", "current"]


@dataclass
class TaskEffects:
    """What happened in a segment of the log. Nodes and conflicts are named by id.

    `made`: new nodes, results of merges included. `merged`: for each result of a merge, the nodes it was made of.
    `dissolved`: results of merges that were reverted. `edges`: how many were created. `given`: the nodes in the step's
    prompt; `left_out`: those that did not fit. `settled`: who decided each conflict.
    """

    usage: Usage = field(default_factory=Usage)
    made: list[str] = field(default_factory=list)
    merged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dissolved: list[str] = field(default_factory=list)
    edges: int = 0
    given: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    opened: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)
    settled: dict[str, DecidedBy] = field(default_factory=dict)

    def add(self, event: ev.Event) -> None:
        """Record an event."""
        match event:
            case ev.AgentCalled() | ev.AgentFailed() | ev.TurnTaken():
                self.usage += event.usage
            case ev.NodeCreated(node=node):
                self.made.append(node.id)
            case ev.NodesMerged(node=node, merge=merge):
                self.made.append(node.id)
                self.merged[node.id] = merge.node_ids
            case ev.EdgeCreated():
                self.edges += 1
            case ev.PromptEnhanced():
                self.given, self.left_out = event.node_ids, event.left_out
            case ev.ConflictOpened(conflict=conflict):
                self.opened.append(conflict.id)
            case ev.ConflictDecided(verification=verification):
                self.settled[verification.conflict_id] = event.decided_by
            case ev.ConflictReopened():
                self.reopened.append(event.conflict_id)
            case ev.MergeReverted():
                self.dissolved.append(event.node_id)


@dataclass(frozen=True)
class Task:
    """A task and its segment of the log: the events after number `after`, up to number `last`.

    `ended` is None while the task is the current one. `id` names a step (`t3`); for the reading of a document it is
    None and `source_id` names the document. `seconds` is time at work, without pauses. `given_at` is the number of the
    event at which the step received its prompt.
    """

    number: int
    type: TaskType
    description: str
    state: TaskState
    context: str
    began: datetime
    ended: datetime | None
    seconds: float
    after: int
    last: int
    work: TaskEffects
    id: str | None = None
    source_id: str | None = None
    given_at: int | None = None


class Timeline:
    """The tasks of a session after the events so far, and its time at work.

    That is `_worked` seconds, plus the time since `_since`, which is None while the session is not at work.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._done: list[Task] = []
        self._last, self._at = 0, datetime(1970, 1, 1, tzinfo=UTC)
        self._worked = 0.0
        self._since: datetime | None = None
        self._step: CurrentTask | None = None
        self._begin_segment()

    def _begin_segment(self) -> None:
        self._after = self._last
        self._work = TaskEffects()
        self._reading: str | None = None
        self._given_at: int | None = None
        self._began = self._at if self._since else None
        self._seconds_before = self.seconds()

    def add(self, event: ev.Event) -> None:
        """Record an event."""
        self._work.add(event)
        done: CompletedTask | None = None
        match event:
            case ev.StatusChanged():
                self._change_status(event)
            case ev.PromptEnhanced():
                self._given_at = self._last + 1
            case ev.SourceAdded(source=source):
                self._names[source.id] = source.name
            case ev.SourceRead() if self._step is None:  # otherwise it is an image that the step reads
                self._reading = event.source_id
            case ev.SourceIngested(task=CompletedTask()) | ev.SourceRefused(task=CompletedTask()):
                done, self._reading = event.task, event.source_id
            case ev.PlanUpdated(completed=None):
                self._step, self._began = event.current, event.at
                self._seconds_before = self.seconds(event.at)
            case ev.PlanUpdated():
                done = event.completed
        self._last, self._at = self._last + 1, event.at
        if done is not None:
            self._done.append(self._task(done, self._at))
            self._step = event.current if isinstance(event, ev.PlanUpdated) else self._step
            self._begin_segment()

    def _change_status(self, event: ev.StatusChanged) -> None:
        """Start or stop the clock. If it runs at a new start, the earlier run died: it worked up to its last event."""
        running = event.status == "running"
        self._worked = self.seconds(self._at if running else event.at)
        self._since = event.at if running else None
        self._began = self._began or event.at

    def seconds(self, now: datetime | None = None) -> float:
        """Seconds at work. While the session is at work: up to `now`, or up to its last event if `now` is None."""
        return self._worked + (max(0.0, ((now or self._at) - self._since).total_seconds()) if self._since else 0.0)

    def tasks(self, now: datetime | None = None) -> list[Task]:
        """The tasks that have ended, and the current one, whose duration is counted up to `now` as in `seconds`."""
        if self._reading is None and self._step is None:
            return list(self._done)
        return [*self._done, self._task(None, now or self._at)]

    def _task(self, done: CompletedTask | None, until: datetime) -> Task:
        step = self._step if self._reading is None else None
        reading = Wording("Read {file}", file=self._names.get(self._reading or "", ""))
        return Task(
            number=len(self._done) + 1,
            type=done.type if done else step.type if step else "NORMAL",
            description=done.description if done else step.description if step else reading,
            state=done.status if done else "current",
            context=done.context if done else "",
            began=self._began or self._at,
            ended=self._at if done else None,
            seconds=self.seconds(until) - self._seconds_before,
            after=self._after,
            last=self._last,
            work=self._work,
            id=step.id if step else None,
            source_id=self._reading,
            given_at=self._given_at,
        )
