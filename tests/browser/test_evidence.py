"""From what is said to where it stands: passage, record, and the page of the document as a picture."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser import graph
from tests.browser.serving import Served

PICTURE_MS = 30_000
_MARKED = """async (picture) => {
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  let marked = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] - data[at + 2] > 60) marked += 1;
  return marked / (canvas.width * canvas.height);
}"""
"""The share of a picture that is orange, as nothing in the brochure is but the mark."""


def picture(page: Page, described: str) -> Locator:
    """A picture by its description, once it is there."""
    found = page.get_by_role("img", name=described, exact=True)
    expect(found).to_be_visible(timeout=PICTURE_MS)
    return found


def marked(found: Locator) -> float:
    """How much of a picture is marked."""
    return float(found.evaluate(_MARKED))


def test_a_citation_opens_its_passage_on_the_page_of_its_document(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    page.get_by_role("button", name="Citation 4: brochure.pdf, p. 1").click()
    expect(page.get_by_role("heading", name="Passage 4")).to_be_visible()
    expect(page.locator(".mb-passage mark").first).to_contain_text("The Nile is 6,650 km long")
    assert 0.001 < marked(picture(page, "Page 1 of brochure.pdf, with the passage marked")) < 0.1
    page.get_by_role("button", name="Next").first.click()
    assert marked(picture(page, "Page 2 of brochure.pdf")) == 0


def test_a_citation_of_a_text_shows_no_page(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    page.get_by_role("button", name="Citation 4:").click()
    picture(page, "Page 1 of brochure.pdf, with the passage marked")
    page.get_by_role("button", name="Citation 5: notes.md").click()
    expect(page.get_by_role("heading", name="Passage 5")).to_be_visible()
    expect(page.get_by_role("img", name="Page 1 of brochure.pdf")).to_have_count(0)


def test_from_a_node_in_the_graph_to_the_page_of_its_claim(open_demo: Callable[[], Page]) -> None:
    page = open_demo()
    graph.press(page, "n1")
    panel = page.locator(".st-key-selected")
    expect(panel.locator(".mb-where").first).to_contain_text("n1 ·")
    panel.get_by_role("button", name="Open the passage in brochure.pdf, p. 1").nth(1).click()
    expect(panel.locator(".passage mark")).to_contain_text("The Nile is 6,650 km long")
    assert graph.state(page)["selected"] == ["n1"]

    panel.get_by_role("button", name="Open in Interaction Tree").click()
    expect(page.locator(".st-key-tree-node .mb-where").first).to_contain_text("n1 ·")
    place = page.locator(".st-key-tree-place")
    expect(place.locator("mark")).to_contain_text("The Nile is 6,650 km long")
    of_second = marked(picture(page, "Page 1 of brochure.pdf, with the passage marked"))
    assert of_second > 0.001

    page.locator(".st-key-tree-node").get_by_role("button", name="Open the passage").first.click()
    expect(place.locator("mark")).to_contain_text("flows through 11 countries")
    assert marked(picture(page, "Page 1 of brochure.pdf, with the passage marked")) > 0.001


def test_records_and_neighbours_are_a_press_away_also_while_pictures_are_made(
    page: Page, served: Served, own_demo: str
) -> None:
    page.goto(f"{served.url}/interaction_tree?run={own_demo}")
    record = page.locator("[class*=st-key-record-]").first
    record.get_by_role("button", name="Show in context").click()
    expect(page.locator(".st-key-tree-place mark")).to_contain_text("A week on the Nile")
    where = page.locator(".st-key-tree-node .mb-where").first
    for _ in range(2):
        page.get_by_role("combobox", name="Choose a node").click()
        page.get_by_role("option", name="n6 ·").click()
        expect(where).to_contain_text("n6 · merged by a verdict")
        neighbour = page.get_by_role("button", name=re.compile("^Open node n")).first
        opened = neighbour.inner_text().split()[-1]
        neighbour.click()
        expect(where).to_contain_text(f"{opened} ·")
        page.wait_for_timeout(1000)  # two more looks at what is being made
        expect(where).to_contain_text(f"{opened} ·")
