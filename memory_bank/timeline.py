"""The tasks of a session along its log: what each was, what it took, was given, and did to the memory.

A task's stretch of the log begins where the one before it ended: every request is counted with one task.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from memory_bank.bank.conflict import DecidedBy
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, TaskType
from memory_bank.bank.usage import Usage
from memory_bank.events import (
    AgentCalled,
    AgentFailed,
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    EdgeCreated,
    Event,
    MergeReverted,
    NodeCreated,
    NodesMerged,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TurnTaken,
)

TaskState = Literal["success", "failed", "current"]


@dataclass
class Work:
    """What happened in a stretch of the log, nodes and conflicts by their ids.

    `made` came to be, results of merges among them, which `merged` names with what they were made of; `dissolved` are
    those whose merge was taken back. `given` stood in the step's prompt; `left_out` would not fit. `settled` says who
    decided.
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

    def add(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case AgentCalled() | AgentFailed() | TurnTaken():
                self.usage += event.usage
            case NodeCreated(node=node):
                self.made.append(node.id)
            case NodesMerged(node=node, merge=merge):
                self.made.append(node.id)
                self.merged[node.id] = merge.node_ids
            case EdgeCreated():
                self.edges += 1
            case PromptEnhanced():
                self.given, self.left_out = event.node_ids, event.left_out
            case ConflictOpened(conflict=conflict):
                self.opened.append(conflict.id)
            case ConflictDecided(verification=verification):
                self.settled[verification.conflict_id] = event.decided_by
            case ConflictReopened():
                self.reopened.append(event.conflict_id)
            case MergeReverted():
                self.dissolved.append(event.node_id)
            case _:
                return


@dataclass(frozen=True)
class Task:
    """A task and its stretch of the log, the events after `after` up to `last`.

    `ended` is None while it is the current one. `id` names a step (`t3`), `source_id` the document that was read
    instead. `seconds` are those at work: pauses are left out. `given_at` is the event at which the step was given its
    memory.
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
    work: Work
    id: str | None = None
    source_id: str | None = None
    conflict_id: str | None = None
    given_at: int | None = None


@dataclass(frozen=True)
class _Clock:
    """Time at work: `worked` seconds before `since`, from where the session is at work (None: it rests)."""

    worked: float = 0.0
    since: datetime | None = None

    def seconds(self, at: datetime) -> float:
        """Those at work until then."""
        return self.worked + (max(0.0, (at - self.since).total_seconds()) if self.since else 0.0)

    def turned(self, event: StatusChanged, before: datetime) -> _Clock:
        """The clock after a change of the session's life. A run that died was at work until the event before."""
        runs = event.status == "running"
        return _Clock(self.seconds(before if runs else event.at), event.at if runs else None)


@dataclass(frozen=True)
class _Start:
    """Where a task's stretch of the log begins: after so many events, at that time, with what is known then."""

    number: int = 1
    after: int = 0
    at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    clock: _Clock = _Clock()
    step: CurrentTask | None = None


class _Stretch:
    """The log since the end of a task, as far as it was read. `names` are those of the documents."""

    def __init__(self, start: _Start, names: Mapping[str, str]) -> None:
        self.start = start
        self.last, self.at, self.clock, self.step = start.after, start.at, start.clock, start.step
        self.work = Work()
        self._names = names
        self._reading: str | None = None
        self._given_at: int | None = None
        self._began = start.at if start.clock.since else None
        self._before = start.clock.seconds(start.at)

    def read(self, event: Event) -> Task | None:
        """Take note of an event; the task that it ends."""
        self.work.add(event)
        done: CompletedTask | None = None
        match event:
            case StatusChanged():
                self.clock = self.clock.turned(event, self.at)
                self._began = self._began or event.at
            case PromptEnhanced():
                self._given_at = self.last + 1
            case SourceRead() if self.step is None:  # else it is an image, and the step reads it
                self._reading = event.source_id
            case SourceIngested(task=CompletedTask()) | SourceRefused(task=CompletedTask()):
                done, self._reading = event.task, event.source_id
            case PlanUpdated(completed=None):
                self.step, self._began, self._before = event.current, event.at, self.clock.seconds(event.at)
            case PlanUpdated():
                done = event.completed
            case _:
                pass
        self.last, self.at = self.last + 1, event.at
        return self._task(done, self.at) if done else None

    def next(self, event: Event) -> _Start:
        """Where the stretch after this one begins, which the event ended."""
        step = event.current if isinstance(event, PlanUpdated) else self.step
        return _Start(self.start.number + 1, self.last, self.at, self.clock, step)

    def current(self, now: datetime | None) -> Task | None:
        """The task that is not ended, up to now or the last event."""
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
            seconds=self.clock.seconds(until) - self._before,
            after=self.start.after,
            last=self.last,
            work=self.work,
            id=step.id if step else None,
            source_id=self._reading,
            conflict_id=step.conflict_id if step else None,
            given_at=self._given_at,
        )


class Timeline:
    """The tasks of a session, followed as its log grows, and as they stood at any earlier moment."""

    def __init__(self) -> None:
        self._events: Sequence[Event] = ()
        self._names: dict[str, str] = {}
        self._done: list[Task] = []
        self._starts: list[_Start] = [_Start()]
        self._newest = _Stretch(_Start(), self._names)

    def follow(self, events: Sequence[Event]) -> None:
        """Take note of the events that came since the last call; `events` is the whole log."""
        self._events = events
        for event in events[self._newest.last :]:
            if isinstance(event, SourceAdded):
                self._names[event.source.id] = event.source.name
            ended = self._newest.read(event)
            if ended is not None:
                self._done.append(ended)
                self._starts.append(self._newest.next(event))
                self._newest = _Stretch(self._starts[-1], self._names)

    def tasks(self, at: int | None = None, now: datetime | None = None) -> list[Task]:
        """Those that had ended after event `at` (None: all), and the one that was current then.

        The newest current one has lasted up to `now`, or where that is None up to the last event.
        """
        if at is None or at >= self._newest.last:
            done, current = self._done, self._newest.current(now)
        else:
            done = self._done[: bisect_right(self._done, at, key=lambda task: task.last)]
            stretch = _Stretch(self._starts[len(done)], self._names)
            for event in self._events[stretch.last : at]:
                stretch.read(event)
            current = stretch.current(None)
        return [*done, *([current] if current else [])]
