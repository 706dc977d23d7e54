"""The timeline of a session: each task with its segment of the log, its time at work and its effects."""

from __future__ import annotations

import pytest
from hypothesis import given

from memory_bank.bank.events import (
    ConflictOpened,
    Event,
    PlanUpdated,
    SourceAdded,
    SourceIngested,
    SourceRead,
    StatusChanged,
)
from memory_bank.bank.usage import Usage
from memory_bank.views.snapshot import Moment
from memory_bank.views.timeline import Task, Timeline
from tests.bank.story import MOVES, Move, Story
from tests.builders import (
    at,
    every_event,
    make_called,
    make_conflict,
    make_created,
    make_current,
    make_source,
    make_task,
)
from tests.large_session import large_session

EVENTS = every_event()


def timed(*events: tuple[float, Event]) -> list[Event]:
    """The events with these times, in seconds."""
    return [
        event.model_copy(update={"seq": seq, "at": at(second)}) for seq, (second, event) in enumerate(events, start=1)
    ]


def timeline_of(events: list[Event]) -> Timeline:
    timeline = Timeline()
    for event in events:
        timeline.add(event)
    return timeline


def tasks(events: list[Event]) -> list[Task]:
    return timeline_of(events).tasks()


def test_each_document_and_each_step_is_a_task() -> None:
    read, refused, step = tasks(EVENTS)
    assert (read.number, read.source_id, read.state, read.id) == (1, "s1", "success", None)
    assert (refused.source_id, refused.state, refused.after, refused.last) == ("s2", "failed", 5, 7)
    assert (step.id, step.state, step.after) == ("t1", "success", 7)


def test_a_task_knows_what_it_did_to_the_memory() -> None:
    work = tasks(EVENTS)[-1].work
    assert work.made == ["n1", "n2", "n4", "n3", "n5"]
    assert work.merged == {"n3": ("n1", "n2"), "n5": ("n4", "n3")}
    assert work.dissolved == ["n5"]
    assert (work.given, work.left_out, work.edges) == (("n1", "n2"), ("n4",), 1)
    assert (work.opened, work.reopened, work.settled) == (["x1", "x2"], ["x2"], {"x1": "agent", "x2": "person"})


PLAN = PlanUpdated(completed=None, current=make_current("t1"))
NEXT = PlanUpdated(completed=make_task(), current=make_current("t2"))
RUN, PAUSE = StatusChanged(status="running"), StatusChanged(status="paused")


@pytest.mark.parametrize(
    ("events", "seconds"),
    [
        pytest.param([(10, RUN), (20, PLAN), (50, NEXT)], 30, id="from its plan to the next"),
        pytest.param([(0, RUN), (20, PLAN), (30, PAUSE), (90, RUN), (95, NEXT)], 15, id="a pause is left out"),
        pytest.param(
            [(0, RUN), (20, PLAN), (25, make_called()), (90, RUN), (95, NEXT)],
            10,
            id="so is the time that a run was dead",
        ),
        pytest.param([(0, RUN), (20, PLAN), (20, PAUSE), (90, RUN), (95, NEXT)], 5, id="paused at once"),
    ],
)
def test_time_at_work(events: list[tuple[float, Event]], seconds: float) -> None:
    done, following = tasks(timed((0, make_created()), *events))
    assert done.seconds == seconds
    assert done.began == at(20)
    assert (following.id, following.state, following.seconds) == ("t2", "current", 0)


def test_the_current_task_lasts_up_to_now() -> None:
    events = timed((0, make_created()), (0, RUN), (20, PLAN), (25, make_called()))
    timeline = timeline_of(events)
    assert timeline.tasks()[-1].seconds == 5
    assert timeline.tasks(now=at(80))[-1].seconds == 60
    assert timeline_of(events[:3]).tasks()[-1].seconds == 0


def test_a_document_that_is_being_read_is_the_current_task() -> None:
    read = SourceRead(source_id="s1", title=None, media_type="text/markdown", characters=9, pages=0)
    events = timed((0, make_created()), (0, SourceAdded(source=make_source())), (0, RUN), (4, read), (6, make_called()))
    (reading,) = tasks(events)
    assert (reading.description, reading.state, reading.source_id, reading.seconds) == (
        "Read notes.md",
        "current",
        "s1",
        6,
    )
    done = [*events, *timed((9, SourceIngested(source_id="s1", task=make_task())))]
    assert [(task.state, task.seconds) for task in tasks(done)] == [("success", 9)]


def test_what_happens_after_the_last_task_belongs_to_none() -> None:
    late = ConflictOpened(conflict=make_conflict())
    events = timed(
        (0, make_created()), (0, RUN), (20, PLAN), (50, PlanUpdated(completed=make_task(), current=None)), (51, late)
    )
    (step,) = tasks(events)
    assert step.work.opened == []


@given(MOVES)
def test_the_tasks_are_those_of_the_insight_doc(story: list[Move]) -> None:
    moment = Moment()
    moment.follow(Story().play(story).events)
    doc = moment.bank.insight_doc
    found = tasks(moment.events)
    ended = [task for task in found if task.state != "current"]
    assert [(task.description, task.context, task.state) for task in ended] == [
        (task.description, task.context, task.status) for task in doc.completed_tasks
    ]
    current = [task.id for task in found if task.state == "current" and task.source_id is None]
    assert current in ([], [doc.current_task and doc.current_task.id])


def test_every_request_is_counted_with_one_task() -> None:
    events = large_session()
    moment = Moment()
    moment.follow(events)
    found = tasks(events)
    spent = sum((task.work.usage for task in found), Usage())
    assert (spent.calls, spent.tokens) == (moment.bank.usage.calls, moment.bank.usage.tokens)
    assert spent.calls > 0
    assert [task.after for task in found] == [0, *(task.last for task in found[:-1])]
