"""What a tab is sent of a graph: whatever is lost on the way, the browser has the whole in the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from components.graph_patches import MAX_PATCHES, GraphPatches, JsonObject

Graph = tuple[dict[str, int], dict[str, int]]
THINGS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3))
GRAPHS = st.lists(st.tuples(THINGS, THINGS, st.booleans()), min_size=1, max_size=30)


@dataclass
class Browser:
    """What `query_graph.js` does with what arrives."""

    drawing: str = ""
    version: int = -1
    nodes: dict[str, JsonObject] = field(default_factory=dict)
    edges: dict[str, JsonObject] = field(default_factory=dict)

    def take(self, data: JsonObject) -> bool:
        """Whether nothing in between is missing."""
        same = data["drawing"] == self.drawing
        if same and data["version"] <= self.version:
            return True
        if "whole" in data:
            self.nodes, self.edges = ({one["id"]: one for one in data["whole"][kind]} for kind in ("nodes", "edges"))
        else:
            news = [patch for patch in data["patches"] if patch["version"] > self.version]
            if not same or not news or news[0]["version"] != self.version + 1:
                return False
            for patch in news:
                self._patch(self.nodes, patch["nodes"], patch["gone"]["nodes"])
                self._patch(self.edges, patch["edges"], patch["gone"]["edges"])
        self.drawing, self.version = data["drawing"], data["version"]
        return True

    def _patch(self, things: dict[str, JsonObject], changed: list[JsonObject], gone: list[str]) -> None:
        things |= {one["id"]: one for one in changed}
        for id_ in gone:
            del things[id_]


def patches() -> GraphPatches[tuple[str, int], tuple[str, int]]:
    return GraphPatches(drawn, drawn)


def drawn(thing: tuple[str, int]) -> JsonObject:
    return {"id": thing[0], "value": thing[1]}


def sent(of: GraphPatches[tuple[str, int], tuple[str, int]], graph: Graph, *, whole: bool = False) -> JsonObject:
    nodes, edges = ({id_: (id_, value) for id_, value in things.items()} for things in graph)
    return of.data(nodes, edges, whole=whole)


def values(things: dict[str, JsonObject]) -> dict[str, int]:
    return {id_: one["value"] for id_, one in things.items()}


@given(GRAPHS)
def test_whatever_is_lost_the_browser_has_the_whole_in_the_end(
    story: list[tuple[dict[str, int], dict[str, int], bool]],
) -> None:
    server, browser, missed = patches(), Browser(), True
    for nodes, edges, lost in story:
        data = sent(server, (nodes, edges), whole=missed)
        missed = False
        if not lost:
            missed = not browser.take(data)
    last = story[-1][:2]
    if not browser.take(sent(server, last, whole=missed)):
        assert browser.take(sent(server, last, whole=True))
    assert (values(browser.nodes), values(browser.edges)) == last


@given(GRAPHS)
def test_the_whole_and_the_patches_hold_the_same(story: list[tuple[dict[str, int], dict[str, int], bool]]) -> None:
    server, follows, asks = patches(), Browser(), Browser()
    for nodes, edges, whole in story:
        if not follows.take(sent(server, (nodes, edges), whole=whole)):
            follows.take(sent(server, (nodes, edges), whole=True))
        asks.take(sent(server, (nodes, edges), whole=True))
        assert (follows.nodes, follows.edges) == (asks.nodes, asks.edges)


@given(GRAPHS)
def test_patches_are_never_more_than_the_whole(story: list[tuple[dict[str, int], dict[str, int], bool]]) -> None:
    server = patches()
    for nodes, edges, _ in story:
        data = sent(server, (nodes, edges))
        things = [
            thing
            for patch in data.get("patches", [])
            for thing in (*patch["nodes"], *patch["edges"], *patch["gone"]["nodes"], *patch["gone"]["edges"])
        ]
        assert len(things) <= len(nodes) + len(edges)


def grown(count: int) -> Graph:
    return {f"n{number}": 0 for number in range(count)}, {}


def test_a_redraw_sends_what_changed_and_no_more() -> None:
    server = patches()
    sent(server, grown(100), whole=True)
    (patch,) = sent(server, grown(101))["patches"]
    assert (patch["nodes"], patch["edges"]) == ([{"id": "n100", "value": 0}], [])
    assert patch["gone"] == {"nodes": [], "edges": []}


def test_as_many_redraws_may_be_lost_as_patches_are_kept() -> None:
    server, near, far = patches(), Browser(), Browser()
    first = sent(server, grown(100), whole=True)
    assert near.take(first)
    assert far.take(first)
    assert near.take(sent(server, grown(101)))
    for count in range(102, 102 + MAX_PATCHES):
        data = sent(server, grown(count))
    assert near.take(data)
    assert len(near.nodes) == 101 + MAX_PATCHES
    assert not far.take(data), "it lacks the first, and asks"


def test_a_browser_never_adds_patches_to_another_drawing() -> None:
    browser, one, other = Browser(), patches(), patches()
    assert browser.take(sent(one, grown(9), whole=True))
    sent(other, grown(8), whole=True)
    assert not browser.take(sent(other, grown(9)))
