"""Going through a session's time in Chromium: the slider in a person's hand, replay, and back to now."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import graph
from tests.browser.conftest import Visitors, settle
from tests.browser.serving import Served

RUN_MS = 60_000
PHONE: dict[str, object] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
PAGES = ("", "insight_doc")


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Moment: event number")


def thumb(page: Page, part: float) -> tuple[float, float]:
    """Where on the screen a part of the slider's way is."""
    slider(page).scroll_into_view_if_needed()
    box = slider(page).bounding_box()
    assert box is not None
    return box["x"] + 8 + part * (box["width"] - 16), box["y"] + box["height"] / 2


def where(page: Page) -> Locator:
    """The words below the slider."""
    return page.locator(".mb-moment b")


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).first.click()


def open_finished(page: Page, served: Served, session_id: str, name: str) -> int:
    """A page of the finished demo; the number of its newest event."""
    page.goto(f"{served.url}/{name}?run={session_id}")
    expect(where(page)).to_have_text(re.compile("Now, event"))
    settle(page)
    return int(slider(page).input_value())


def to_insight_doc(page: Page) -> None:
    """Go there from another page, whose slider is gone then."""
    page.get_by_role("link", name="Insight Doc").click()
    expect(page.locator(".mb-doc").first).to_be_visible()
    expect(slider(page)).to_have_count(1)


@pytest.mark.parametrize("name", PAGES)
def test_slider_steps_and_now(page: Page, served: Served, finished_demo: str, name: str) -> None:
    last = open_finished(page, served, finished_demo, name)
    slider(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(where(page)).to_have_text(f"Event {last - 3} of {last}")
    expect(slider(page)).to_be_focused()
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(f"^Event {last - 3} of {last}: "))
    page.keyboard.press("Home")
    expect(where(page)).to_have_text(f"Event 1 of {last}")
    expect(page.get_by_role("button", name="One change back").first).to_be_disabled()
    press(page, "One change forward")
    expect(where(page)).not_to_have_text(f"Event 1 of {last}")
    press(page, "Now")
    expect(where(page)).to_have_text(f"Now, event {last}")
    expect(slider(page)).to_have_value(str(last))


def test_a_drag_is_followed_by_the_graph(page: Page, served: Served, finished_demo: str) -> None:
    last = open_finished(page, served, finished_demo, "")
    assert len(graph.state(page)["ids"]) > 1
    page.mouse.move(*thumb(page, 1))
    page.mouse.down()
    page.mouse.move(*thumb(page, 0.5), steps=4)
    page.mouse.move(*thumb(page, 0), steps=4)
    page.mouse.up()
    expect(where(page)).to_have_text(f"Event 1 of {last}")
    graph.wait_until(page, "nodes.length === 0")


@pytest.mark.parametrize("name", PAGES)
def test_a_replay_runs_to_now_and_can_be_stopped(page: Page, served: Served, finished_demo: str, name: str) -> None:
    last = open_finished(page, served, finished_demo, name)
    press(page, "Play")
    expect(where(page)).to_have_text(re.compile(rf"^Event \d+ of {last}"))
    press(page, "Stop")
    expect(page.get_by_role("button", name="Play", exact=True).first).to_be_visible()
    stopped = where(page).inner_text()
    page.wait_for_timeout(1500)  # three ticks of a replay
    expect(where(page)).to_have_text(stopped)
    press(page, "Play")
    expect(where(page)).to_have_text(f"Now, event {last}", timeout=RUN_MS)
    expect(page.get_by_role("button", name="Play", exact=True).first).to_be_visible()


@pytest.mark.parametrize("name", PAGES)
def test_the_past_stays_put_while_the_session_goes_on(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("2 nodes").first).to_be_visible(timeout=RUN_MS)
    if name:
        to_insight_doc(page)
    slider(page).focus()
    page.keyboard.press("Home")
    expect(where(page)).to_have_text(re.compile("^Event 1 of "))
    seen = int(slider(page).get_attribute("max") or 0)
    slider(page).evaluate("(input) => (input.mine = true)")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(where(page)).to_have_text(re.compile("^Event 5 of "))
    expect(slider(page)).not_to_have_attribute("max", str(seen), timeout=RUN_MS)
    expect(slider(page)).to_have_value("5")
    expect(slider(page)).to_be_focused()
    assert slider(page).evaluate("(input) => input.mine"), "the slider was made anew"
    press(page, "Now")
    expect(where(page)).to_have_text(re.compile("^Now, event "))
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    assert slider(page).input_value() == slider(page).get_attribute("max")


def test_a_slider_that_is_held_is_not_moved(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("2 nodes").first).to_be_visible(timeout=RUN_MS)
    to_insight_doc(page)
    page.mouse.move(*thumb(page, 0.5))
    page.mouse.down()
    held, known = slider(page).input_value(), slider(page).get_attribute("max")
    page.wait_for_timeout(2500)  # two looks at a session at work
    assert slider(page).input_value() == held
    assert slider(page).get_attribute("max") == known
    page.mouse.up()
    expect(where(page)).to_have_text(re.compile(f"^Event {held} of "))


def test_on_a_phone_time_fits_and_can_be_pressed(visitors: Visitors, served: Served, finished_demo: str) -> None:
    page = visitors.page(PHONE)
    last = open_finished(page, served, finished_demo, "insight_doc")
    box = slider(page).bounding_box()
    assert box is not None
    assert box["width"] > 300
    assert box["height"] >= 36
    page.touchscreen.tap(*thumb(page, 0.5))
    expect(where(page)).to_have_text(re.compile(f"^Event ({last // 2}|{last // 2 + 1}) of"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_moments_are_compared(page: Page, served: Served, finished_demo: str) -> None:
    open_finished(page, served, finished_demo, "insight_doc")
    page.get_by_role("button", name="Show this moment").nth(4).click()
    expect(where(page)).to_have_text(re.compile("^Event "))
    where(page).scroll_into_view_if_needed()
    page.get_by_label("Compare with an earlier moment").click()
    page.get_by_role("option", name="The moment before this step").click()
    expect(page.get_by_text("2 nodes merged")).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()
    page.get_by_role("button", name="Open conflict x2").click()
    expect(page).to_have_url(re.compile("/conflicts"))
    page.get_by_role("link", name="Insight Doc").click()
    page.get_by_role("button", name="Stop comparing").click()
    expect(page.get_by_text("2 nodes merged")).to_have_count(0)
