"""The list of sessions before a person's eyes: it outlives a reload of its tab, and no other tab sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors, wait_until
from tests.browser.serving import Served

NONE, OURS = "No sessions yet.", "1 session ·"


def go_to_list(page: Page) -> None:
    page.get_by_role("link", name="Sessions").click()


def test_the_list_outlives_a_reload(open_demo: Callable[[], Page], served: Served, visitors: Visitors) -> None:
    page = open_demo()
    go_to_list(page)
    expect(page.get_by_text(OURS)).to_be_visible()
    page.goto(f"{served.url}/sessions")
    expect(page.get_by_text(OURS)).to_be_visible()
    other = visitors.page()
    other.goto("/")
    go_to_list(other)
    expect(other.get_by_text(NONE)).to_be_visible()


def test_a_deleted_session_stays_away_after_a_reload(page: Page, served: Served, finished_demo: str) -> None:
    copy = served.store / "copy"
    copy.mkdir()
    (copy / "events.jsonl").write_bytes((served.store / finished_demo / "events.jsonl").read_bytes())
    page.goto(served.address("copy"))
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    go_to_list(page)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text(NONE)).to_be_visible()
    page.reload()
    expect(page.get_by_text(NONE)).to_be_visible()
    assert kept(page) == "[]"


def kept(page: Page) -> str:
    """What the browser keeps for the tab."""
    return str(page.evaluate("sessionStorage.getItem('memory-bank-sessions')"))


@pytest.mark.parametrize("planted", ["{", '{"a": 1}', '["../../etc", "nobody", 7, null]', '"<img src=x>"'])
def test_what_somebody_wrote_into_the_browser_lists_nothing(page: Page, served: Served, planted: str) -> None:
    page.goto("/")
    page.evaluate("text => sessionStorage.setItem('memory-bank-sessions', text)", planted)
    page.goto(f"{served.url}/sessions")
    expect(page.get_by_text(NONE)).to_be_visible()
    wait_until(page, lambda: kept(page) == "[]")
    expect(page.get_by_text(NONE)).to_be_visible()


def test_questions_outlive_a_reload_and_no_other_tab_sees_them(
    open_demo: Callable[[], Page], visitors: Visitors
) -> None:
    page = open_demo()
    page.get_by_role("textbox", name="Ask a further question").fill("How long is the Nile?")
    page.get_by_role("button", name="Ask", exact=True).click()
    asked = page.get_by_role("heading", name="How long is the Nile?", exact=True)
    expect(asked).to_be_visible()
    wait_until(page, lambda: len(kept(page)) > len('["') + 32 + 32)
    page.reload()
    expect(asked).to_be_visible()
    expect(page.get_by_role("button", name="Citation 1").nth(1)).to_be_visible()
    other = visitors.page()
    other.goto(page.url)
    expect(other.get_by_role("heading", name="Answer")).to_be_visible()
    expect(other.get_by_role("heading", name="How long is the Nile?", exact=True)).to_have_count(0)


def test_back_leads_from_a_page_of_the_navigation_to_the_one_before(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    address = page.url
    page.get_by_role("link", name="Conflicts").first.click()
    expect(page.locator("[class*=st-key-sides-]").first).to_be_visible()
    wait_until(page, lambda: "conflicts?run=" in page.url)
    page.go_back()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    assert page.url == address
