"""The living graph: what it draws of what arrives, and what a person does with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from components.graph_patches import GraphPatches
from components.query_graph import GraphEdge, GraphNode, edge_id, state_styles, vis_edge, vis_node
from memory_bank.bank.events import EdgeCreated, Event, NodeCreated, StatusChanged
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from memory_bank.views.graph_layout import GraphLayout
from tests.browser import graph
from tests.browser.conftest import Visitors
from tests.browser.serving import Served
from tests.builders import at, make_created, make_entry, make_node

STILL: dict[str, object] = {"reduced_motion": "reduce"}


class Tab:
    """The drawing in a browser, and what a server sends it."""

    def __init__(self, page: Page) -> None:
        graph.mount(page)
        self.page = page
        self.patches = GraphPatches(vis_node, vis_edge)
        self.missed = True

    def show(self, *nodes: GraphNode, lines: tuple[GraphEdge, ...] = (), lost: bool = False) -> None:
        """Send a graph, or have it lost on the way."""
        known = {node.id: node for node in nodes}
        there = {edge_id(line): line for line in lines if set(line.ends) <= set(known)}
        data = self.patches.data(known, there, whole=self.missed)
        self.missed = False
        if "whole" in data:
            data["whole"] |= {"looks": state_styles(), "words": {}}
        data |= {"selected": None, "said": "A graph", "height": "600px", "empty": ""}
        if not lost:
            self.missed = ["missed"] in [told[:1] for told in graph.send(self.page, data)]

    def expect(self, *nodes: GraphNode, lines: tuple[GraphEdge, ...] = ()) -> None:
        """Exactly these are drawn, in their places."""
        known = {node.id: node for node in nodes}
        there = sorted({edge_id(line) for line in lines if set(line.ends) <= set(known)})
        shown = {id_: [vis_node(one)["label"], *one.at, 0.15 if one.faint else 1] for id_, one in known.items()}
        graph.wait_until(self.page, "network")
        for _ in range(50):
            if graph.drawn(self.page) == {"nodes": shown, "edges": there}:
                return
            self.page.wait_for_timeout(20)
        assert graph.drawn(self.page) == {"nodes": shown, "edges": there}


def node(number: int, **given: Any) -> GraphNode:
    place = (150.0 * (number % 4), 90.0 * (number // 4))
    return GraphNode(**{"id": f"n{number}", "topic": "Dam", "state": "active", "records": 1, "at": place} | given)  # type: ignore[arg-type]


@pytest.fixture
def tab(visitors: Visitors) -> Tab:
    return Tab(visitors.context(STILL).new_page())


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_lost_the_whole_graph_is_drawn_in_the_end(tab: Tab, seed: int) -> None:
    dice = random.Random(seed)
    nodes: dict[int, GraphNode] = {}
    lines: tuple[GraphEdge, ...] = ()
    for _ in range(40):
        for number in dice.sample(range(12), 3):
            if number in nodes and dice.random() < 0.4:
                del nodes[number]
            else:
                nodes[number] = node(number, topic=dice.choice("abc"), faint=dice.random() < 0.2)
        ends = [dice.sample(range(12), 2) for _ in range(8)]
        lines = tuple(GraphEdge((f"n{a}", f"n{b}"), dice.choice(["related", "conflict"])) for a, b in ends)
        tab.show(*nodes.values(), lines=lines, lost=dice.random() < 0.5)
    while True:
        tab.show(*nodes.values(), lines=lines)
        if not tab.missed:
            break
    tab.expect(*nodes.values(), lines=lines)


def test_a_tab_that_missed_something_asks_and_draws_what_it_has(tab: Tab) -> None:
    nodes = [node(number) for number in range(8)]
    tab.show(*nodes)
    tab.expect(*nodes)
    for count in range(7, 0, -1):
        tab.show(*nodes[:count], lost=True)  # much of it: not all of this is kept
    tab.show(*nodes[:1])
    assert tab.missed
    tab.expect(*nodes)
    tab.show(*nodes[:1])
    tab.expect(*nodes[:1])


def test_nodes_that_became_one_are_gone_and_it_lies_where_the_server_says(visitors: Visitors) -> None:
    tab = Tab(visitors.context().new_page())  # with the motion
    first, second, third = node(0), node(1), node(2)
    tab.show(first, second, third)
    tab.expect(first, second, third)
    merged = node(5, made_of=("n0", "n1"))
    tab.show(merged, third)
    tab.expect(merged, third)


def test_what_arrives_during_a_merge_is_drawn_after_it(visitors: Visitors) -> None:
    tab = Tab(visitors.context().new_page())
    first, second, later = node(0), node(1), node(6)
    tab.show(first, second)
    tab.expect(first, second)
    merged = node(5, made_of=("n0", "n1"))
    tab.show(merged)
    tab.show(merged, later)
    tab.show(later)
    tab.expect(later)


def test_another_drawing_replaces_the_first(tab: Tab) -> None:
    tab.show(node(0), node(1), lines=(GraphEdge(("n0", "n1")),))
    tab.expect(node(0), node(1), lines=(GraphEdge(("n0", "n1")),))
    tab.patches, tab.missed = GraphPatches(vis_node, vis_edge), True
    tab.show(node(1), node(2))
    tab.expect(node(1), node(2))


def test_the_view_is_the_persons_once_touched(tab: Tab) -> None:
    tab.show(node(0))
    tab.expect(node(0))
    tab.page.get_by_role("img").focus()
    tab.page.keyboard.press("+")
    tab.page.keyboard.press("ArrowRight")
    before = graph.state(tab.page)
    tab.show(node(0), node(11))
    tab.expect(node(0), node(11))
    after = graph.state(tab.page)
    assert (after["scale"], after["view"]) == (before["scale"], before["view"])
    tab.page.keyboard.press("0")
    assert graph.state(tab.page)["view"] != before["view"]


def test_labels_are_text_and_titles_too(tab: Tab) -> None:
    evil = "<img src=x onerror=window.evil=1> <a href='x'>href</a>"
    tab.show(node(0, topic=evil))
    tab.expect(node(0, topic=evil))
    graph.hover(tab.page, "n0")
    expect(tab.page.locator(".vis-tooltip")).to_contain_text(evil)
    assert tab.page.evaluate("window.evil") is None


@pytest.mark.parametrize(("wide", "high"), [(500, 430), (360, 520)], ids=["session", "phone"])
@pytest.mark.parametrize("count", [13, 30])
def test_all_labels_can_be_read_at_the_scale_that_the_page_chooses(tab: Tab, wide: int, high: int, count: int) -> None:
    tab.page.evaluate(f"document.querySelector('#host').style.width = '{wide}px'")
    tab.page.add_style_tag(content=f".graph {{ height: {high}px !important }}")
    ids = [f"n{number}" for number in range(count)]
    ends = [(ids[number // 2], ids[number]) for number in range(1, count)]
    places = GraphLayout().place(ids, ends, {})
    topic = "The committee of the hall met"
    nodes = [node(number, topic=topic, at=(round(x), round(y))) for number, (x, y) in enumerate(places.values())]
    lines = tuple(GraphEdge(pair) for pair in ends)
    tab.show(*nodes, lines=lines)
    tab.expect(*nodes, lines=lines)
    written = graph.written(tab.page)
    assert {row["text"].split()[0] for row in written} >= set(ids)
    assert min(row["bottom"] - row["top"] for row in written) > 9.9
    assert {len(row["colour"]) for row in written} == {len("#000000")}  # none is faded
    for one, other in combinations(written, 2):
        beside = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert beside or one["bottom"] <= other["top"] + 0.1 or other["bottom"] <= one["top"] + 0.1, (one, other)


# -- on the page


@pytest.fixture
def on_page(page: Page, served: Served, finished_demo: str) -> Callable[[], Page]:
    def go() -> Page:
        page.goto(f"{served.url}/query_graph?run={finished_demo}")
        expect(page.get_by_text("finished", exact=True)).to_be_visible()
        graph.wait_until(page, "network")
        page.wait_for_timeout(400)  # the view is moving to its place
        return page

    return go


def test_every_node_is_reached_and_opened_by_the_keyboard(on_page: Callable[[], Page]) -> None:
    page = on_page()
    page.get_by_role("img", name="Query Graph").focus()
    for node_id in graph.state(page)["ids"]:
        page.keyboard.press("n")
        expect(page.locator(".st-key-selected .mb-where").first).to_contain_text(f"{node_id} ·")


def test_search_fades_the_others_and_the_view_stays(on_page: Callable[[], Page]) -> None:
    page = on_page()
    before = graph.state(page)
    page.get_by_label("Search", exact=True).fill("Aswan High Dam")
    page.keyboard.press("Enter")
    expect(page.get_by_text("“Aswan High Dam”")).to_be_visible()
    graph.wait_until(page, "nodes.get().some(n => n.opacity < 1)")
    assert graph.state(page) == before
    page.get_by_role("button", name="Show all").click()
    graph.wait_until(page, "nodes.get().every(n => n.opacity == 1)")


def test_filter_hides_and_brings_back_to_the_same_places(on_page: Callable[[], Page]) -> None:
    page = on_page()
    before = graph.state(page)
    page.get_by_role("combobox", name="State").click()
    page.get_by_role("option", name="disputed").click()
    page.keyboard.press("Escape")  # while the list is open, nothing else can be reached
    graph.wait_until(page, f"nodes.length < {len(before['ids'])}")
    page.get_by_role("button", name="Show all").click()
    graph.wait_until(page, f"nodes.length == {len(before['ids'])}")
    after = graph.state(page)
    assert (after["places"], after["scale"]) == (before["places"], before["scale"])


def test_labels_take_the_colours_of_another_theme_at_once(on_page: Callable[[], Page]) -> None:
    page = on_page()
    graph.wait_until(page, "nodes.get().every(n => n.font.strokeColor.toLowerCase() == '#ffffff')")
    page.emulate_media(color_scheme="dark")
    graph.wait_until(page, "nodes.get().every(n => n.font.strokeColor.toLowerCase() == '#111315')")


def test_both_pages_show_every_node_at_the_same_place(on_page: Callable[[], Page]) -> None:
    page = on_page()
    places = graph.state(page)["places"]
    page.get_by_role("link", name="Session", exact=True).click()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    graph.wait_until(page, "nodes.length")
    assert graph.state(page)["places"] == places


def test_a_thousand_nodes_can_be_looked_through(page: Page, served: Served) -> None:
    put_large(served)
    page.goto(f"{served.url}/query_graph?run=large")
    graph.wait_until(page, "nodes.length == 1000", seconds=60)
    page.get_by_label("Search", exact=True).fill("number 777")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 matches")).to_be_visible()
    graph.wait_until(page, "nodes.get('n1').opacity < 1")
    page.locator("[data-testid=stDataFrame] canvas").first.scroll_into_view_if_needed()
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 15, box["y"] + 50)
    expect(page.locator(".st-key-selected .mb-where").first).to_contain_text("n777 ·")
    graph.wait_until(page, "network.getSelectedNodes()[0] == 'n777'")


def put_large(served: Served) -> None:
    """A session of a thousand nodes and three thousand relations."""
    log = EventLog(SessionStore(served.store).create("large"))
    numbers = range(1, 1001)
    nodes = [
        NodeCreated(node=make_node(f"n{n}", f"Topic: number {n}"), entry=make_entry(f"e{n}", seconds=n), unit=f"u{n}")
        for n in numbers
    ]
    near: Mapping[tuple[str, str], None] = dict.fromkeys(
        (f"n{max(1, n - by)}", f"n{n}") for n in numbers for by in (1, 7, 31) if n > 1
    )
    edges = [EdgeCreated(node_ids=ends) for ends in near]
    events: list[Event] = [make_created(), *nodes, *edges, StatusChanged(status="finished")]
    for seq, event in enumerate(events, start=1):
        log.append(event.model_copy(update={"seq": seq, "at": at(seq)}))
    log.close()
