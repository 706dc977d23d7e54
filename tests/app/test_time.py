"""Going through a session's time: what a tab looks at, and the buttons of the time bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory_bank.events import Event, NodesMerged, Notice, PlanUpdated
from pages._visitor import PLAY_TICKS, Looking
from tests.app.conftest import Page
from tests.builders import every_event

Keep = Callable[[str, Sequence[Event]], str]

EVENTS = every_event()
LAST = len(EVENTS)
MERGED = next(event.seq for event in EVENTS if isinstance(event, NodesMerged))


def look_at(events: Sequence[Event]) -> Looking:
    look = Looking("s")
    look.follow(events)
    return look


# -- what is looked at


def test_the_newest_moment_is_followed_and_a_past_one_stays_put() -> None:
    look = look_at(EVENTS[:20])
    assert look.moment is look.live
    look.move(12)
    look.follow(EVENTS)
    assert (look.here, look.last) == (12, LAST)
    assert len(look.moment.events) == 12
    look.move(None)
    assert look.moment is look.live


@pytest.mark.parametrize(("seq", "at"), [(0, 1), (1, 1), (LAST - 1, LAST - 1), (LAST, None), (LAST + 9, None)])
def test_a_move_beyond_the_ends_is_to_the_end(seq: int, at: int | None) -> None:
    look = look_at(EVENTS)
    look.move(seq)
    assert look.at == at


def test_steps_go_from_change_to_change_and_back() -> None:
    look = look_at(EVENTS)
    forward, back = [], []
    look.move(1)
    while look.at is not None:
        forward.append(look.here)
        look.step(1)
    assert forward == look.live.marks
    while look.here > 1:
        look.step(-1)
        back.append(look.here)
    assert back == look.live.marks[-2::-1]
    look.step(-1)
    assert look.at == 1


def test_one_step_back_from_between_two_changes_undoes_the_last_one() -> None:
    look = look_at(EVENTS)
    quiet = next(seq for seq in range(8, LAST) if seq not in look.live.marks)
    look.move(quiet)
    look.step(-1)
    before = [mark for mark in look.live.marks if mark < quiet]
    assert look.here == before[-2]


@pytest.mark.parametrize("changes", [1, 39, 40, 41, 79, 400])
def test_a_replay_ends_in_time(changes: int) -> None:
    plans: list[Event] = [PlanUpdated(completed=None, current=None) for _ in range(changes - 1)]
    look = look_at([EVENTS[0], *plans, Notice(message="Done.")])
    look.move(1)
    look.playing = True
    ticks = 0
    while look.playing:
        look.play()
        ticks += 1
        assert ticks <= PLAY_TICKS
    assert look.at is None


def test_a_session_that_grows_does_not_keep_a_replay_from_its_end() -> None:
    look = look_at(EVENTS[:5])
    look.move(1)
    look.playing = True
    for seq in range(6, LAST + 1):
        look.follow(EVENTS[:seq])
        look.play()
        if not look.playing:
            break
    assert look.moment is look.live


def test_what_is_compared_is_never_later_than_what_is_shown() -> None:
    look = look_at(EVENTS)
    look.since = MERGED
    assert look.earlier is not None
    assert len(look.earlier.events) == MERGED
    look.move(5)
    assert len(look.earlier.events) == 5
    look.move(None)
    assert len(look.earlier.events) == MERGED


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
    look = look_at(EVENTS)
    look.since = "step"
    look.move(at)
    assert look.earlier is not None
    assert len(look.earlier.events) == before


def test_a_glance_aside_moves_nothing_else() -> None:
    look = look_at(EVENTS)
    look.move(20)
    look.since = 10
    assert len(look.moment_at(15).events) == 15
    assert len(look.moment_at(LAST + 5).events) == LAST
    assert look.earlier is not None
    assert (len(look.moment.events), len(look.earlier.events)) == (20, 10)


# -- the bar


def looking(page: Page) -> Looking:
    look = page.test.session_state["looking"]
    assert isinstance(look, Looking)
    return look


@pytest.mark.parametrize("name", ["session", "insight_doc"])
def test_time_is_gone_through_on_a_page(keep: Keep, name: str) -> None:
    page = Page(run=keep("done", EVENTS))
    if name != "session":
        page.go(name)
    assert f"Now, event {LAST}" in page.markup
    page.press("One change back")
    assert looking(page).at == looking(page).live.marks[-2]
    page.press("One change back").press("One change forward").press("Now")
    assert looking(page).at is None


def test_a_moment_stays_from_page_to_page(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS))
    page.press("One change back").press("One change back")
    at = looking(page).at
    assert f"Event {at} of {LAST}" in page.go("insight_doc").markup
    assert f"Event {at} of {LAST}" in page.go("conflicts").markup


def test_a_replay_is_begun_and_stopped(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS)).go("insight_doc")
    page.press("Play")
    look = looking(page)
    assert look.playing
    assert look.at is not None
    at = look.at
    page.press("Stop")
    assert not look.playing
    assert look.at == at


def test_the_slider_says_where_it_stands(keep: Keep) -> None:
    page = Page(run=keep("done", EVENTS)).go("insight_doc")
    (slider,) = page.mounted("time_slider")
    assert f'"last": {LAST}' in slider or f'"last":{LAST}' in slider
    assert f"Now, event {LAST}" in slider
