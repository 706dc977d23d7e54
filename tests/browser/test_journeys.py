"""What a person does, from the first visit to the export and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from memory_bank.bank.transfer import first_difference, parse_export
from tests.browser import graph
from tests.browser.conftest import Visitors
from tests.browser.serving import Served

RUN_MS = 60_000


def begin_demo(page: Page) -> None:
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible(timeout=30_000)


def test_demo_from_conflict_to_answer_to_export_and_back(page: Page, tmp_path: Path) -> None:
    begin_demo(page)
    expect(page.get_by_text("open: not settled yet").first).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("the second statement holds").first).to_be_visible(timeout=RUN_MS)
    merged = page.get_by_role("button", name="Open the merged node").first
    expect(merged).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)

    expect(page.get_by_text("In dispute: no evidence settles it")).to_be_visible()
    expect(page.get_by_text("Not part of the answer: refuted")).to_be_visible()
    citation = page.get_by_role("button", name="Citation 2:")
    citation.click()
    expect(page.get_by_role("heading", name="Passage 2")).to_be_visible()
    quoted = page.locator(".mb-passage mark").first
    expect(quoted).not_to_be_empty()

    merged.click()
    expect(page.get_by_text("were merged.")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    exported = tmp_path / "session.json"
    download.value.save_as(exported)
    export = parse_export(exported.read_bytes())
    assert first_difference(export) is None
    assert export.answer is not None

    page.get_by_role("link", name="Sessions").click()
    page.locator("input[type=file]").set_input_files(exported)
    expect(page.get_by_text("session.json")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Citation 2:")).to_be_visible()
    expect(page.get_by_text("the second statement holds").first).to_be_visible()


def test_own_documents_with_one_bad_file(page: Page) -> None:
    page.get_by_label("Task").fill("When was the Eddystone Lighthouse built?")
    files: list[FilePayload] = [
        {
            "name": "guide.txt",
            "mimeType": "text/plain",
            "buffer": b"The Eddystone Lighthouse was built in 1882. It has 210 steps.",
        },
        {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Coast\n\nThe lighthouse stands on a rock.\n"},
        {"name": "torn.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 and nothing more"},
        {"name": "void.txt", "mimeType": "text/plain", "buffer": b""},
    ]
    page.locator("input[type=file]").first.set_input_files(files)
    expect(page.get_by_text("torn.pdf")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("void.txt was left out: the file is empty.")).to_be_visible()
    expect(page.get_by_text("torn.pdf was refused:")).to_be_visible()
    expect(page.get_by_text("The Eddystone Lighthouse was built in 1882.").first).to_be_visible()


def test_reload_and_second_tab_come_back_to_the_running_session(page: Page) -> None:
    begin_demo(page)
    expect(page.get_by_text("2 nodes").first).to_be_visible(timeout=RUN_MS)
    address = page.url
    page.reload()
    expect(page.get_by_text("running", exact=True)).to_be_visible()
    assert page.url == address
    second = page.context.new_page()
    second.goto(address)
    expect(second.get_by_text("running", exact=True)).to_be_visible()
    for tab in (page, second):
        expect(tab.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    assert graph.state(page)["ids"] == graph.state(second)["ids"]


def test_pause_continue_cancel(page: Page) -> None:
    begin_demo(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert parse_export(download.value.path().read_bytes()).session.status == "running"
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("paused", exact=True)).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Stop for good").click()
    expect(page.get_by_text("cancelled", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_have_count(0)
    expect(page.get_by_role("button", name="Export")).to_be_visible()


def test_two_people_do_not_see_each_other(visitors: Visitors) -> None:
    one, other = visitors.page(), visitors.page()
    for person, word in ((one, "canal"), (other, "railway")):
        person.get_by_label("Task").fill(f"When was the {word} opened?")
        person.get_by_label("Or paste text").fill(f"The {word} was opened in 1890.")
        person.get_by_role("button", name="Run", exact=True).click()
    for person in (one, other):
        expect(person.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    assert one.url != other.url
    for person, mine, theirs in ((one, "canal", "railway"), (other, "railway", "canal")):
        expect(person.locator("h1")).to_have_text(f"When was the {mine} opened?")
        expect(person.get_by_text(theirs)).to_have_count(0)
        person.get_by_role("link", name="Sessions").click()
        expect(person.locator(".mb-row")).to_contain_text(f"When was the {mine} opened?")
        expect(person.get_by_text(theirs)).to_have_count(0)


def test_a_node_pressed_in_the_graph_opens_and_leads_to_its_passage(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    node_id = graph.state(page)["ids"][0]
    graph.press(page, node_id)
    panel = page.locator(".st-key-selected")
    expect(panel.locator(".mb-where").first).to_contain_text(f"{node_id} ·")
    panel.get_by_role("button", name="Open the passage").first.click()
    expect(panel.locator(".passage mark")).not_to_be_empty()
    assert graph.state(page)["selected"] == [node_id]


def test_growth_keeps_zoom_place_and_selection(page: Page) -> None:
    begin_demo(page)
    expect(page.get_by_text("2 nodes").first).to_be_visible(timeout=RUN_MS)
    graph.press(page, "n1")
    expect(page.locator(".st-key-selected")).to_be_visible()
    page.locator(".graph").get_by_role("button", name="Zoom in").click()
    page.wait_for_timeout(300)
    before = graph.state(page)
    expect(page.get_by_text("4 nodes").first).to_be_visible(timeout=RUN_MS)
    after = graph.state(page)
    assert set(before["ids"]) < set(after["ids"])
    assert (after["scale"], after["view"], after["selected"]) == (before["scale"], before["view"], ["n1"])
    assert {node_id: after["places"][node_id] for node_id in before["ids"]} == before["places"]


def test_table_opens_a_node_without_the_graph(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    page.get_by_text("Nodes as a table").click()
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 15, box["y"] + 50)
    expect(page.locator(".st-key-selected")).to_be_visible()


def test_session_of_a_server_that_died_is_offered_again(page: Page, served: Served, finished_demo: str) -> None:
    torn = served.store / "torn"
    (torn / "files").mkdir(parents=True)
    for file in (served.store / finished_demo / "files").iterdir():
        (torn / "files" / file.name).write_bytes(file.read_bytes())
    lines = (served.store / finished_demo / "events.jsonl").read_bytes().splitlines(keepends=True)
    (torn / "events.jsonl").write_bytes(b"".join(lines[:30]) + lines[30][:20])  # the last line cut short
    page.goto(served.address("torn"))
    expect(page.get_by_text("This session was interrupted. All 30 recorded events are kept.")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("In dispute: no evidence settles it")).to_be_visible()


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"reduced_motion": "reduce"}])
def test_other_manners(visitors: Visitors, served: Served, finished_demo: str, options: dict[str, object]) -> None:
    page = visitors.page(options)
    page.goto(served.address(finished_demo))
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    assert len(graph.state(page)["ids"]) >= 2
    background = page.locator(".stApp").evaluate("element => getComputedStyle(element).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == ("color_scheme" not in options)


def test_a_phone_can_read_it(visitors: Visitors, served: Served, finished_demo: str) -> None:
    page = visitors.page({"has_touch": True, "viewport": {"width": 390, "height": 844}})
    page.goto(served.address(finished_demo))
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing is wider than the screen"
    page.get_by_role("button", name="Citation 2:").tap()
    expect(page.get_by_role("heading", name="Passage 2")).to_be_visible()


def test_what_is_exported_is_json_that_says_what_was_seen(open_demo: Callable[[], Page], tmp_path: Path) -> None:
    page = open_demo()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "session.json")
    exported = json.loads((tmp_path / "session.json").read_text())
    assert len(exported["query_graph"]["nodes"]) == len(graph.state(page)["ids"])
