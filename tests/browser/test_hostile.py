"""A document may say anything: it is shown as text, runs nothing and fetches nothing."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page, expect

from memory_bank.bank.event_log import EventLog
from memory_bank.session_store import SessionStore
from tests.app.hostile import EVIL, hostile_events
from tests.browser import graph
from tests.browser.serving import Served

RUN_MS = 60_000


def unharmed(page: Page) -> bool:
    return page.evaluate("window.evil") is None and page.locator("img[src=x]").count() == 0


def test_a_session_of_hostile_texts_is_only_text(page: Page, served: Served) -> None:
    log = EventLog(SessionStore(served.store).create("hostile"))
    for number, event in enumerate(hostile_events(), start=1):
        log.append(event.model_copy(update={"seq": number}))
    log.close()
    page.goto(served.address("hostile"))
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    graph.press(page, "n1")
    panel = page.locator(".st-key-selected")
    expect(panel.locator("h3")).to_have_text(EVIL)
    panel.get_by_role("button", name="Open the passage").first.click()
    expect(panel.locator(".passage mark")).to_have_text(EVIL)
    for fold in ("Nodes as a table", "Documents (", "Events ("):
        page.get_by_text(fold).click()
    page.mouse.move(*_middle(page))  # over a node, so that its title is shown
    page.wait_for_timeout(800)
    expect(page.locator("h1")).to_have_text(EVIL)
    page.get_by_role("link", name="Sessions").click()
    expect(page.locator(".mb-row")).to_contain_text("<img src=x onerror=")
    assert unharmed(page)


def test_a_hostile_document_goes_through_the_whole_loop(page: Page) -> None:
    name = "<img src=x onerror=window.evil=1>.md"
    text = f"# {EVIL}\n\nThe tower was built in 1890 {EVIL}.\n\nIt has 210 steps.\n"
    page.get_by_label("Task").fill(f"When was the tower built? {EVIL}")
    file: FilePayload = {"name": name, "mimeType": "text/markdown", "buffer": text.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    graph.press(page, graph.state(page)["ids"][0])
    expect(page.locator(".st-key-selected")).to_be_visible()
    assert unharmed(page)


def _middle(page: Page) -> tuple[float, float]:
    box = graph.root(page).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
