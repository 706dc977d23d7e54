"""A document may say anything: it is shown as text, runs nothing and fetches nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from memory_bank.views.exports import html_report
from memory_bank.views.i18n import translator
from tests.browser import graph, long_term
from tests.browser.conftest import open_all, opened_offline, walk
from tests.browser.serving import Served
from tests.pages.hostile import EVIL, hostile_events

RUN_MS = 60_000
MADE_OF_TEXT = (
    "img[src='x']",
    "[src*='evil.example']",
    "a[href*='evil']",
    "a:text-is('link')",
    "strong:text-is('bold')",
    "code:text-is('code')",
    "[data-testid=stIconMaterial]:text-is('bug_report')",
    "span:text-is('colour')",
    ".katex",
)
"""Elements that there would be if a part of `EVIL` were taken for more than text."""


@pytest.fixture(scope="session")
def hostile(served: Served) -> str:
    """The id of a session that says nothing but `EVIL`."""
    log = EventLog(SessionStore(served.store).create("hostile"))
    for number, event in enumerate(hostile_events(), start=1):
        log.append(event.model_copy(update={"seq": number}))
    log.close()
    return "hostile"


def assert_unharmed(page: Page) -> None:
    """Nothing has run, and nothing that a text says has become an element."""
    assert page.evaluate("window.evil") is None
    assert [selector for selector in MADE_OF_TEXT if page.locator(selector).count()] == []
    assert "😄" not in page.locator("body").inner_text()


def test_what_would_be_harm_is_seen(chromium: Browser) -> None:
    page = chromium.new_page()
    page.set_content(f"<body>{EVIL}<strong>bold</strong></body>")
    page.wait_for_function("window.evil")
    there = [selector for selector in MADE_OF_TEXT if page.locator(selector).count()]
    assert there == ["img[src='x']", "a[href*='evil']", "strong:text-is('bold')"]
    page.close()


def test_on_every_page_hostile_texts_are_only_text(page: Page, served: Served, hostile: str) -> None:
    for name in walk(page, served.address(hostile)):
        UNFOLDED.get(name, nothing)(page)
        if name != "settings":
            expect(page.locator("body"), name).to_contain_text("window.evil=1")
        assert_unharmed(page)
    page.goto(f"{served.url}/long_term_memory")
    long_term.forget_everything(page)


def read_node(page: Page) -> None:
    """Select a node, open its passage, point at it, and open what is folded."""
    graph.press(page, "n1")
    panel = page.locator(".st-key-selected")
    expect(panel.locator("h3")).to_have_text(EVIL)
    panel.get_by_role("button", name="Open the passage").first.click()
    expect(panel.locator(".passage mark")).to_have_text(EVIL)
    open_all(page)
    graph.hover(page, "n2")
    expect(page.locator(".vis-tooltip")).to_contain_text("window.evil=1")


def ask(page: Page) -> None:
    """Ask what the session's task was."""
    page.locator(".st-key-examples button").first.click()
    expect(page.locator(".mb-asked h3")).to_have_text(EVIL)
    expect(page.get_by_role("heading", name="Nodes searched")).to_be_visible(timeout=RUN_MS)


def remember(page: Page) -> None:
    """Keep the same in long-term memory, which shows it in every part of a record."""
    long_term.forget_everything(page)
    long_term.add(page, EVIL, EVIL, EVIL)
    expect(page.locator(".mb-row h3")).to_have_text(EVIL)


def nothing(page: Page) -> None:
    """The page as it opens."""


UNFOLDED: dict[str, Callable[[Page], None]] = {
    "": read_node,
    "query_graph": read_node,
    "insight_doc": open_all,
    "interaction_tree": open_all,
    "conflicts": open_all,
    "ask": ask,
    "long_term_memory": remember,
}
"""What is opened on each page, so that all it can show is there."""


def test_the_report_of_hostile_texts_is_only_text(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_report.report(hostile_events(), translator("en")), encoding="utf-8")
    with opened_offline(chromium, file) as page:
        expect(page.locator("h1")).to_have_text(EVIL)
        assert page.locator("body").inner_text().count("window.evil=1") > 10
        assert_unharmed(page)


def test_a_hostile_document_goes_through_the_whole_loop(page: Page) -> None:
    page.goto("/")
    name = "<img src=x onerror=window.evil=1> :smile: **bold** [link](evil.example).md"
    text = f"# {EVIL}\n\nThe tower was built in 1890 {EVIL}.\n\nIt has 210 steps.\n"
    page.get_by_label("Task").fill(f"When was the tower built? {EVIL}")
    file: FilePayload = {"name": name, "mimeType": "text/markdown", "buffer": text.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    graph.press(page, graph.some(page)[0])
    expect(page.locator(".st-key-selected")).to_be_visible()
    page.get_by_text("Documents (1)").click()
    expect(page.locator(".st-key-fold-documents")).to_contain_text("<img src=x onerror=")
    assert_unharmed(page)
    page.get_by_role("link", name="Query Graph").click()
    page.get_by_role("combobox", name="Source").click()
    expect(page.get_by_role("option").first).to_contain_text("<img src=x onerror=")
    assert_unharmed(page)
