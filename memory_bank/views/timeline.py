"""The timeline of a session: its tasks, each with its usage, its prompt and its effects on memory.

The log is cut into segments, one for each task. A segment begins where the one before it ended, so every request is
counted with exactly one task.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from memory_bank.bank import events as ev
from memory_bank.bank.conflict import DecidedBy
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, TaskType
from memory_bank.bank.usage import Usage

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
            case _:
                return


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
    conflict_id: str | None = None
    given_at: int | None = None


@dataclass(frozen=True)
class _Clock:
    """Time at work: `worked` seconds, plus the time since `since` (None while the session is not at work)."""

    worked: float = 0.0
    since: datetime | None = None

    def seconds(self, at: datetime) -> float:
        """Seconds at work until that time."""
        return self.worked + (max(0.0, (at - self.since).total_seconds()) if self.since else 0.0)

    def after(self, event: ev.StatusChanged, previous: datetime) -> _Clock:
        """The clock after a change of status. `previous` is the time of the event before.

        If the new status is "running" while the clock runs, the earlier run died: it was at work until `previous`.
        """
        running = event.status == "running"
        return _Clock(self.seconds(previous if running else event.at), event.at if running else None)


@dataclass(frozen=True)
class _SegmentStart:
    """The state at the beginning of a task's segment: its number, the events and the time before it, clock and step."""

    number: int = 1
    after: int = 0
    at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    clock: _Clock = _Clock()
    step: CurrentTask | None = None


class _Segment:
    """The segment of the log since the last task ended, as far as it was read. `names`: document names by source id."""

    def __init__(self, start: _SegmentStart, names: Mapping[str, str]) -> None:
        self.start = start
        self.last, self.at, self.clock, self.step = start.after, start.at, start.clock, start.step
        self.work = TaskEffects()
        self._names = names
        self._reading: str | None = None
        self._given_at: int | None = None
        self._began = start.at if start.clock.since else None
        self._seconds_before = start.clock.seconds(start.at)

    def read(self, event: ev.Event) -> Task | None:
        """Record an event. Returns the task that it ends, if any."""
        self.work.add(event)
        done: CompletedTask | None = None
        match event:
            case ev.StatusChanged():
                self.clock = self.clock.after(event, self.at)
                self._began = self._began or event.at
            case ev.PromptEnhanced():
                self._given_at = self.last + 1
            case ev.SourceRead() if self.step is None:  # otherwise it is an image that the step reads
                self._reading = event.source_id
            case ev.SourceIngested(task=CompletedTask()) | ev.SourceRefused(task=CompletedTask()):
                done, self._reading = event.task, event.source_id
            case ev.PlanUpdated(completed=None):
                self.step, self._began, self._seconds_before = event.current, event.at, self.clock.seconds(event.at)
            case ev.PlanUpdated():
                done = event.completed
            case _:
                pass
        self.last, self.at = self.last + 1, event.at
        return self._task(done, self.at) if done else None

    def next(self, event: ev.Event) -> _SegmentStart:
        """The start of the next segment; `event` is the one that ended this segment."""
        step = event.current if isinstance(event, ev.PlanUpdated) else self.step
        return _SegmentStart(self.start.number + 1, self.last, self.at, self.clock, step)

    def current(self, now: datetime | None) -> Task | None:
        """The task that has not ended, up to `now` or to the last event; None if there is none."""
        if self._reading is None and self.step is None:
            return None
        return self._task(None, now or self.at)

    def _task(self, done: CompletedTask | None, until: datetime) -> Task:
        step = self.step if self._reading is None else None
        description = step.description if step else f"Read {self._names.get(self._reading or '', '')}"
        return Task(
            number=self.start.number,
            type=done.type if done else step.type if step else "NORMAL",
            description=done.description if done else description,
            state=done.status if done else "current",
            context=done.context if done else "",
            began=self._began or self.at,
            ended=self.at if done else None,
            seconds=self.clock.seconds(until) - self._seconds_before,
            after=self.start.after,
            last=self.last,
            work=self.work,
            id=step.id if step else None,
            source_id=self._reading,
            conflict_id=step.conflict_id if step else None,
            given_at=self._given_at,
        )


class Timeline:
    """The tasks of a session, updated as its log grows, now or as they were at any earlier moment."""

    def __init__(self) -> None:
        self._events: Sequence[ev.Event] = ()
        self._names: dict[str, str] = {}
        self._done: list[Task] = []
        self._starts: list[_SegmentStart] = [_SegmentStart()]
        self._newest = _Segment(_SegmentStart(), self._names)

    def follow(self, events: Sequence[ev.Event]) -> None:
        """Record the events that came since the last call; `events` is the whole log."""
        self._events = events
        for event in events[self._newest.last :]:
            if isinstance(event, ev.SourceAdded):
                self._names[event.source.id] = event.source.name
            ended = self._newest.read(event)
            if ended is not None:
                self._done.append(ended)
                self._starts.append(self._newest.next(event))
                self._newest = _Segment(self._starts[-1], self._names)

    def tasks(self, at: int | None = None, now: datetime | None = None) -> list[Task]:
        """The tasks that had ended by event `at` (None: by the last event), and the one that was current then.

        The duration of the current task at the end of the log is counted up to `now`, or up to the last event if that
        is None.
        """
        if at is None or at >= self._newest.last:
            done, current = self._done, self._newest.current(now)
        else:
            done = self._done[: bisect_right(self._done, at, key=lambda task: task.last)]
            segment = _Segment(self._starts[len(done)], self._names)
            for event in self._events[segment.last : at]:
                segment.read(event)
            current = segment.current(None)
        return [*done, *([current] if current else [])]
