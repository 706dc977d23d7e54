"""Going through a session's time: what a tab looks at, and the buttons of the time bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory_bank.bank.events import Event, NodesMerged, Notice, PlanUpdated, StatusChanged
from pages.shared.tab_state import PLAY_TICKS, ViewState
from tests.builders import at, every_event, make_called, make_created, make_current
from tests.pages.conftest import Page

Keep = Callable[[str, Sequence[Event]], str]

EVENTS = every_event()
LAST = len(EVENTS)
MERGED = next(event.seq for event in EVENTS if isinstance(event, NodesMerged))


def view_after(events: Sequence[Event]) -> ViewState:
    view = ViewState("s")
    view.update(events)
    return view


# -- what is looked at


def test_the_newest_moment_is_followed_and_a_past_one_stays_put() -> None:
    view = view_after(EVENTS[:20])
    assert view.moment is view.live
    view.move(12)
    view.update(EVENTS)
    assert (view.seq, view.last_seq) == (12, LAST)
    assert len(view.moment.events) == 12
    view.move(None)
    assert view.moment is view.live


@pytest.mark.parametrize(("seq", "at"), [(0, 1), (1, 1), (LAST - 1, LAST - 1), (LAST, None), (LAST + 9, None)])
def test_a_move_beyond_the_ends_is_to_the_end(seq: int, at: int | None) -> None:
    view = view_after(EVENTS)
    view.move(seq)
    assert view.at == at


def test_steps_go_from_change_to_change_and_back() -> None:
    view = view_after(EVENTS)
    forward, back = [], []
    view.move(1)
    while view.at is not None:
        forward.append(view.seq)
        view.step(1)
    assert forward == view.live.marks
    while view.seq > 1:
        view.step(-1)
        back.append(view.seq)
    assert back == view.live.marks[-2::-1]
    view.step(-1)
    assert view.at == 1


def test_one_step_back_from_between_two_changes_undoes_the_last_one() -> None:
    view = view_after(EVENTS)
    quiet = next(seq for seq in range(8, LAST) if seq not in view.live.marks)
    view.move(quiet)
    view.step(-1)
    before = [mark for mark in view.live.marks if mark < quiet]
    assert view.seq == before[-2]


@pytest.mark.parametrize("changes", [1, 39, 40, 41, 79, 400])
def test_a_replay_ends_in_time(changes: int) -> None:
    plans: list[Event] = [PlanUpdated(completed=None, current=None) for _ in range(changes - 1)]
    view = view_after([EVENTS[0], *plans, Notice(message="Done.")])
    view.move(1)
    view.playing = True
    ticks = 0
    while view.playing:
        view.play()
        ticks += 1
        assert ticks <= PLAY_TICKS
    assert view.at is None


def test_a_session_that_grows_does_not_keep_a_replay_from_its_end() -> None:
    view = view_after(EVENTS[:5])
    view.move(1)
    view.playing = True
    for seq in range(6, LAST + 1):
        view.update(EVENTS[:seq])
        view.play()
        if not view.playing:
            break
    assert view.moment is view.live


def test_what_is_compared_is_never_later_than_what_is_shown() -> None:
    view = view_after(EVENTS)
    view.compared_to = MERGED
    assert view.earlier is not None
    assert len(view.earlier.events) == MERGED
    view.move(5)
    assert len(view.earlier.events) == 5
    view.move(None)
    assert len(view.earlier.events) == MERGED


@pytest.mark.parametrize(
    ("at", "before"),
    [
        pytest.param(None, 7, id="the last step, when all is done"),
        pytest.param(MERGED, 7, id="the step at work"),
        pytest.param(7, 5, id="a task that has just ended"),
        pytest.param(4, 0, id="the first task"),
    ],
)
def test_the_moment_before_a_step_is_where_its_stretch_begins(at: int | None, before: int) -> None:
    view = view_after(EVENTS)
    view.compared_to = "step"
    view.move(at)
    assert view.earlier is not None
    assert len(view.earlier.events) == before


def test_a_glance_aside_moves_nothing_else() -> None:
    view = view_after(EVENTS)
    view.move(20)
    view.compared_to = 10
    assert len(view.moment_at(15).events) == 15
    assert len(view.moment_at(LAST + 5).events) == LAST
    assert view.earlier is not None
    assert (len(view.moment.events), len(view.earlier.events)) == (20, 10)


def test_only_the_current_task_of_the_newest_moment_lasts_until_now() -> None:
    plan = PlanUpdated(completed=None, current=make_current("t1"))
    told = ((0, make_created()), (0, StatusChanged(status="running")), (20, plan), (25, make_called()))
    view = view_after([event.model_copy(update={"at": at(second)}) for second, event in told])
    assert view.tasks(at(80))[-1].seconds == 60
    view.move(3)
    assert view.tasks(at(80))[-1].seconds == 0


# -- the bar


def view_of(page: Page) -> ViewState:
    view = page.test.session_state["view"]
    assert isinstance(view, ViewState)
    return view


@pytest.mark.parametrize("name", ["session", "insight_doc"])
def test_time_is_gone_through_on_a_page(keep: Keep, name: str) -> None:
    page = Page(run=keep("done", EVENTS))
    if name != "session":
        page.go(name)
    assert f"Now, event {LAST}" in page.markup
    page.press("One change back")
    assert view_of(page).at == view_of(page).live.marks[-2]
    page.press("One change back").press("One change forward").press("Now")
    assert view_of(page).at is None


def test_a_moment_stays_from_page_to_page(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS))
    page.press("One change back").press("One change back")
    at = view_of(page).at
    assert f"Event {at} of {LAST}" in page.go("insight_doc").markup
    assert f"Event {at} of {LAST}" in page.go("conflicts").markup


def test_a_replay_is_begun_and_stopped(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS)).go("insight_doc")
    page.press("Play")
    view = view_of(page)
    assert view.playing
    assert view.at is not None
    at = view.at
    page.press("Stop")
    assert not view.playing
    assert view.at == at


def test_the_slider_says_where_it_stands(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS)).go("insight_doc")
    (slider,) = page.mounted("time_slider")
    assert f'"last": {LAST}' in slider or f'"last":{LAST}' in slider
    assert f"Now, event {LAST}" in slider
