"""What a person does, from the first visit to the export and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from playwright.sync_api import TimeoutError as NothingCame

from memory_bank.app.demo import load_demo
from memory_bank.bank.events import NodesMerged
from memory_bank.storage.transfer import first_difference, parse_export
from tests.browser import graph
from tests.browser.conftest import Visitors, opened_offline, settle
from tests.browser.serving import Served

RUN_MS = 60_000


def begin_demo(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible(timeout=30_000)


def test_first_run_from_conflict_to_answer_to_its_place_in_the_document(page: Page) -> None:
    begin_demo(page)
    expect(page.get_by_text("open: not settled yet").first).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("the second statement holds").first).to_be_visible(timeout=RUN_MS)
    merged = page.get_by_role("button", name="Open the merged node").first
    expect(merged).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)

    expect(page.get_by_text("In dispute: no evidence settles it")).to_be_visible()
    expect(page.get_by_text("Not part of the answer: refuted")).to_be_visible()
    page.get_by_role("button", name="Citation 4: brochure.pdf, p. 1").click()
    expect(page.get_by_role("heading", name="Passage 4")).to_be_visible()
    expect(page.locator(".mb-passage mark").first).to_contain_text("The Nile is 6,650 km long")
    expect(page.get_by_role("img", name="Page 1 of brochure.pdf, with the passage marked")).to_be_visible()

    merged.click()
    expect(page.get_by_text("were merged.")).to_be_visible()


def test_own_documents_with_bad_files_among_them(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Task").fill("When was the Eddystone Lighthouse built?")
    files = [
        text_file("guide.txt", "The Eddystone Lighthouse was built in 1882. It has 210 steps."),
        text_file("notes.md", "# Coast\n\nThe lighthouse stands on a rock.\n"),
        text_file("notes.md", "# Harbour\n\nThe harbour has two cranes.\n"),
        text_file("same.md", "# Coast\n\nThe lighthouse stands on a rock.\n"),
        text_file("torn.pdf", "%PDF-1.7 and nothing more"),
        text_file("void.txt", ""),
    ]
    page.locator("input[type=file]").first.set_input_files(files)
    expect(page.get_by_text("guide.txt")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    expect(page.get_by_text("void.txt was refused: it is empty")).to_be_visible()
    expect(page.get_by_text("same.md was left out: it is the same as notes.md.")).to_be_visible()
    expect(page.get_by_text("torn.pdf was refused: ")).to_be_visible()
    expect(page.get_by_text("The Eddystone Lighthouse was built in 1882.").first).to_be_visible()
    page.get_by_text("Documents (5)").click()
    documents = page.locator(".st-key-fold-documents .mb-list > li")
    expect(documents.filter(has_text="in memory")).to_have_count(3)
    expect(documents.filter(has_text="refused")).to_contain_text(["torn.pdf", "void.txt"])
    expect(documents.filter(has_text="notes.md")).to_have_count(2)


def text_file(name: str, text: str) -> FilePayload:
    """A file as a person chooses it."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": text.encode()}


def test_nothing_is_started_without_a_task_or_with_empty_files_only(page: Page) -> None:
    page.goto("/")
    page.locator("input[type=file]").first.set_input_files([text_file("void.txt", "")])
    expect(page.get_by_text("void.txt")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Write a task first: what do you want to find out?")).to_be_visible()
    page.get_by_label("Task").fill("When?")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("None of the files can be used, so nothing was started.")).to_be_visible()
    expect(page.get_by_text("void.txt was refused: it is empty")).to_be_visible()
    assert "run=" not in page.url


def test_reload_in_mid_run_and_a_second_tab_come_back_to_the_same_session(page: Page) -> None:
    begin_demo(page)
    expect(page.get_by_text("2 nodes").first).to_be_visible(timeout=RUN_MS)
    address = page.url
    page.reload()
    expect(page.get_by_text("running", exact=True)).to_be_visible()
    assert page.url == address
    page.get_by_role("button", name="Pause").click()  # so that it is not over before a slow machine has looked
    expect(page.get_by_text("paused", exact=True)).to_be_visible(timeout=RUN_MS)
    page.get_by_role("link", name="Conflicts").click()
    expect(page).to_have_url(re.compile("/conflicts"))
    page.reload()
    expect(page.get_by_text("paused", exact=True)).to_be_visible()
    assert page.url == address.replace("/?", "/conflicts?")

    second = page.context.new_page()
    second.goto(address.replace("/?", "/query_graph?"))
    expect(second.get_by_text("paused", exact=True)).to_be_visible()
    before = len(graph.some(second))
    page.get_by_role("link", name="Session", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    second.reload()
    expect(second.get_by_text("finished", exact=True)).to_be_visible()
    assert len(graph.some(second)) > before


def exported(page: Page) -> bytes:
    """The export of a session that runs. Streamlit loses a press while a tick replaces the button: press it again."""
    for _ in range(3):
        try:
            with page.expect_download(timeout=5_000) as download:
                page.get_by_role("button", name="Export").click()
        except NothingCame:
            continue
        return download.value.path().read_bytes()
    raise AssertionError("nothing was downloaded")


def test_pause_continue_cancel(page: Page) -> None:
    begin_demo(page)
    assert parse_export(exported(page)).session.status == "running"
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
        person.goto("/")
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


def test_exported_deleted_imported_and_replayed(
    page: Page, served: Served, own_demo: str, visitors: Visitors, tmp_path: Path
) -> None:
    page.goto(served.address(own_demo))
    all_nodes = len(graph.state(page)["ids"])
    page.get_by_role("link", name="Sessions").click()
    exported = saved(page, "JSON", tmp_path / "session.json")
    export = parse_export(exported.read_bytes())
    assert first_difference(export) is None
    assert export.answer is not None
    (merged,) = (event for event in export.events if isinstance(event, NodesMerged))

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("No sessions yet.")).to_be_visible()
    assert not (served.store / own_demo).exists()
    gone = visitors.page()
    gone.goto(served.address(own_demo))
    expect(gone.get_by_text("There is no session at this address.")).to_be_visible()

    page.locator("input[type=file]").set_input_files(exported)
    expect(page.get_by_text("session.json")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Citation 4:")).to_be_visible()
    expect(page.get_by_text("the second statement holds").first).to_be_visible()
    assert own_demo not in page.url

    graph.wait_until(page, f"nodes.length == {all_nodes}")
    page.get_by_role("button", name="Play", exact=True).click()
    drawn = "!!nodes.get('{}')".format
    parts = " && ".join(map(drawn, merged.merge.node_ids))  # before the two nodes of the dam become one
    graph.wait_until(page, f"{parts} && !{drawn(merged.node.id)}")
    expect(page.get_by_role("heading", name="Answer")).to_have_count(0)
    page.get_by_role("button", name="Now", exact=True).click()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()


def test_the_report_opens_by_itself_and_the_graph_in_other_programs(
    open_demo: Callable[[], Page], chromium: Browser, tmp_path: Path
) -> None:
    page = open_demo()
    nodes = len(graph.state(page)["ids"])
    page.get_by_text("Export: JSON, report, graph").click()
    with opened_offline(chromium, saved(page, "HTML report", tmp_path / "report.html")) as report:
        expect(report.get_by_role("heading", level=1)).to_have_text(load_demo().task)
        expect(report.get_by_text("In dispute: no evidence settles it")).to_be_visible()
        expect(report.locator("#nodes article")).to_have_count(nodes)
        report.locator(".cite").first.click()
        expect(report.locator("#passage-1 mark")).to_be_in_viewport()
    assert len(networkx.read_graphml(saved(page, "GraphML", tmp_path / "graph.graphml"))) == nodes


def saved(page: Page, label: str, path: Path) -> Path:
    """What a button lets one download, as a file."""
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    download.value.save_as(path)
    return path


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"reduced_motion": "reduce"}])
def test_other_manners(visitors: Visitors, served: Served, finished_demo: str, options: dict[str, object]) -> None:
    page = visitors.page(options)
    page.goto(served.address(finished_demo))
    expect(page.get_by_text("finished", exact=True)).to_be_visible()
    assert len(graph.state(page)["ids"]) >= 2
    background = page.locator(".stApp").evaluate("element => getComputedStyle(element).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == ("color_scheme" not in options)


def test_what_is_exported_is_json_that_says_what_was_seen(open_demo: Callable[[], Page], tmp_path: Path) -> None:
    page = open_demo()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "session.json")
    exported = json.loads((tmp_path / "session.json").read_text())
    assert len(exported["query_graph"]["nodes"]) == len(graph.state(page)["ids"])


def test_a_file_dropped_anywhere_on_the_start_page_is_a_document(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Try the demo")).to_be_visible()
    settle(page)
    taken = page.locator(".mb-welcome").evaluate(
        """place => {
            const files = new DataTransfer();
            files.items.add(new File(["The mill was built in 1860."], "dropped.md"));
            const given = { dataTransfer: files, bubbles: true, cancelable: true };
            return ["dragover", "drop"].map((name) => !place.dispatchEvent(new DragEvent(name, given)));
        }"""
    )
    assert taken == [True, True], "else the browser would leave the page for the file"
    expect(page.locator(".st-key-documents").get_by_text("dropped.md")).to_be_visible()
