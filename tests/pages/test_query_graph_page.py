"""The Query Graph page: what is drawn, looked for and listed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memory_bank.bank.events import (
    ConflictDecided,
    ConflictOpened,
    EdgeCreated,
    Event,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    StatusChanged,
)
from memory_bank.bank.query_graph import Node
from tests.builders import (
    make_claim,
    make_conflict,
    make_created,
    make_current,
    make_entry,
    make_merge,
    make_node,
    make_source,
    make_task,
    make_verification,
)
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events

Keep = Callable[[str, Sequence[Event]], str]


def created(node: Node, source: str) -> NodeCreated:
    entry = make_entry(f"e{node.id[1:]}").model_copy(update={"metadata": {"source": source}})
    return NodeCreated(node=node, entry=entry, unit=f"u{node.id}")


def story() -> list[Event]:
    """Three nodes of a first document, one of a second; two are in conflict, and become n5 in the end."""
    nodes = [
        make_node("n1", "Notes: The dam", make_claim("c1", "e1")),
        make_node("n2", "Notes: The year", make_claim("c2", "e2", "The dam was finished in 1968.")),
        make_node("n3", "Notes: The river"),
        make_node("n4", "Guide: The lake"),
    ]
    decided = make_conflict().model_copy(update={"verdict": "first"})
    guide = make_source("s2", "files/s2").model_copy(update={"name": "guide.txt"})
    return [
        make_created(),
        StatusChanged(status="running"),
        SourceAdded(source=make_source()),
        SourceAdded(source=guide),
        *(created(node, "notes.md") for node in nodes[:3]),
        EdgeCreated(node_ids=("n1", "n3")),
        SourceIngested(source_id="s1", task=make_task()),
        created(nodes[3], "guide.txt"),
        ConflictOpened(conflict=make_conflict()),
        SourceIngested(source_id="s2", task=make_task()),
        PlanUpdated(completed=None, current=make_current("t1", "x1")),
        PromptEnhanced(task_id="t1", node_ids=("n1", "n2"), left_out=()),
        ConflictDecided(verification=make_verification(), decided_by="agent"),
        NodeUpdated(node_id="n4", context="Guide: The lake behind the dam", keywords=("lake",)),
        NodesMerged(
            node=make_node("n5", "Notes: The dam, settled", make_claim("c5", "e1")),
            merge=make_merge("n1", "n2", conflict=decided, seconds=4),
            neighbour_updates=(),
        ),
        PlanUpdated(completed=make_task(), current=None),
        StatusChanged(status="finished"),
    ]


CONFLICT = 14
"""The number of the event after which the step has read what it is about."""


class GraphPage(Page):
    """The page, and what its graph is given."""

    def __init__(self, session_id: str) -> None:
        super().__init__(run=session_id)
        self.go("query_graph")

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.mounted("query_graph")[0])
        return found

    @property
    def nodes(self) -> dict[str, dict[str, Any]]:
        """The nodes as they are drawn."""
        return {node["id"]: node for node in self.data["whole"]["nodes"]}

    @property
    def lines(self) -> set[tuple[str, str, str]]:
        """The lines as they are drawn."""
        edges = self.data["whole"]["edges"]
        return {(edge["from"], edge["to"], edge.get("kind", "related")) for edge in edges}

    @property
    def table(self) -> dict[str, dict[str, Any]]:
        """The table beside it, by the node of each line."""
        tables = self.test.dataframe
        return {row["Node"]: row for row in tables[0].value.to_dict("records")} if tables else {}

    def look_at(self, **where: object) -> GraphPage:
        """Look at a moment, or compare two."""
        for name, value in where.items():
            setattr(self.test.session_state["view"], name, value)
        self.run()
        return self

    def search(self, words: str) -> GraphPage:
        self.test.text_input(key="filter-words-0").input(words)
        self.run()
        return self

    def choose(self, what: str, *values: str) -> GraphPage:
        self.test.multiselect(key=f"filter-{what}-0").set_value(list(values))
        self.run()
        return self


@pytest.fixture
def page(keep: Keep) -> GraphPage:
    return GraphPage(keep("s", story()))


def test_the_graph_and_the_table_say_the_same(page: GraphPage) -> None:
    page.look_at(at=CONFLICT)
    assert {node_id: node["group"] for node_id, node in page.nodes.items()} == {
        "n1": "conflicting",
        "n2": "conflicting",
        "n3": "active",
        "n4": "active",
    }
    assert page.lines == {("n1", "n3", "related"), ("n1", "n2", "conflict")}
    assert [node_id for node_id, node in page.nodes.items() if node.get("used")] == ["n1", "n2"]
    assert {node_id: row["State"] for node_id, row in page.table.items()} == {
        "n1": "in conflict, read by this step",
        "n2": "in conflict, read by this step",
        "n3": "active",
        "n4": "active",
    }
    assert (page.table["n1"]["Related to"], page.table["n1"]["Contradicted by"]) == ("n3", "n2")
    assert "4 nodes, 1 relation, 1 open conflict, 0 disputes" in page.data["said"]


def test_every_node_keeps_its_place_at_every_moment(page: GraphPage) -> None:
    seen: dict[str, tuple[float, float]] = {}
    for moment in (None, 7, CONFLICT, None):
        page.look_at(at=moment)
        places = {node_id: (node["x"], node["y"]) for node_id, node in page.nodes.items()}
        assert {**seen, **places} == {**places, **seen}, "no node has moved"
        seen |= places


def test_two_visitors_see_every_node_at_the_same_place(page: GraphPage) -> None:
    other = GraphPage("s").look_at(at=CONFLICT)
    page.look_at(at=CONFLICT)
    assert other.nodes == page.nodes


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("river", {"n3"}),
        ("1968", {"n2"}),
        ("THE LAKE", {"n4"}),
        ("dam says", {"n1", "n2", "n3", "n4"}),
        ("boat", set()),
    ],
)
def test_what_is_searched_stands_out_and_the_rest_fades(page: GraphPage, words: str, found: set[str]) -> None:
    page.look_at(at=CONFLICT).search(words)
    assert {node_id for node_id, node in page.nodes.items() if not node.get("faint")} == found
    assert len(page.nodes) == 4
    assert set(page.table) == found
    assert f"{len(found)} match" in page.markup
    assert f"“{words}”" in page.markup


def test_lines_to_what_fades_fade(page: GraphPage) -> None:
    page.look_at(at=CONFLICT).search("river")
    assert all(edge.get("faint") for edge in page.data["whole"]["edges"])


@pytest.mark.parametrize(
    ("what", "values", "left"),
    [
        ("states", ["conflicting"], {"n1", "n2"}),
        ("states", ["active", "conflicting"], {"n1", "n2", "n3", "n4"}),
        ("states", ["disputed"], set()),
        ("sources", ["guide.txt"], {"n4"}),
        ("sources", ["guide.txt", "notes.md"], {"n1", "n2", "n3", "n4"}),
    ],
)
def test_what_does_not_fit_is_hidden(page: GraphPage, what: str, values: list[str], left: set[str]) -> None:
    before = page.look_at(at=CONFLICT).nodes
    page.choose(what, *values)
    assert page.nodes == {node_id: before[node_id] for node_id in left}
    assert set(page.table) == left
    assert f"{len(left)} of 4 nodes shown" in page.markup


def test_where_nothing_fits_the_page_says_so_and_offers_all(page: GraphPage) -> None:
    page.choose("states", "disputed")
    assert page.data["empty"] == "No matching nodes."
    assert "No matching nodes. Change" in page.markup
    page.press("Show all")
    assert page.data["empty"] == ""
    assert set(page.nodes) == set(page.table) == {"n3", "n4", "n5"}
    assert "Show all" not in page.labels()


def test_show_all_empties_the_fields_under_other_keys(page: GraphPage) -> None:
    """A tick under way brings what the browser still had in the old ones."""
    page.search("river").press("Show all")
    assert [field.key for field in page.test.text_input if field.label == "Search"] == ["filter-words-1"]
    assert page.test.text_input(key="filter-words-1").value == ""
    assert len(page.table) == 3


def test_nodes_of_some_steps(page: GraphPage) -> None:
    (steps,) = (slider for slider in page.test.slider if slider.label == "Created in steps")
    steps.set_value((2, 3))
    page.run()
    assert set(page.nodes) == {"n4", "n5"}


def test_only_what_the_step_has_read(page: GraphPage) -> None:
    page.look_at(at=CONFLICT)
    page.test.checkbox(key="filter-used-0").check()
    page.run()
    assert set(page.nodes) == {"n1", "n2"}


def test_what_is_looked_for_is_kept_while_another_page_is_open(page: GraphPage) -> None:
    page.search("river").choose("states", "active")
    page.go("session")
    page.go("query_graph")
    assert page.test.text_input(key="filter-words-0").value == "river"
    assert set(page.table) == {"n3"}
    assert set(page.nodes) == {"n3", "n4"}


def test_two_moments_compared(page: GraphPage) -> None:
    page.look_at(compared_to=CONFLICT)
    assert {node_id: node["group"] for node_id, node in page.nodes.items()} == {
        "n5": "added",
        "n4": "changed",
        "n3": "active",
        "n1": "merged",
        "n2": "merged",
    }
    assert page.lines == {("n3", "n5", "related"), ("n1", "n5", "became"), ("n2", "n5", "became")}
    assert page.table["n1"]["State"] == "gone since"
    assert "gone since" in page.markup, "the legend says it"
    page.test.checkbox(key="filter-changed-0").check()
    page.run()
    assert set(page.nodes) == {"n1", "n2", "n4", "n5"}


def test_a_contradiction_is_one_also_where_it_is_added(page: GraphPage) -> None:
    page.look_at(at=CONFLICT, compared_to=4)
    assert page.nodes["n1"]["group"] == "conflicting"
    assert page.table["n1"]["State"] == "in conflict, added since, read by this step"


def test_what_has_become_of_a_selected_node_is_selected(page: GraphPage) -> None:
    page.look_at(node="n1")
    assert page.data["selected"] == "n5"


def test_a_table_of_many_nodes_has_pages(keep: Keep) -> None:
    many = [created(make_node(f"n{number}", f"Topic {number}"), "notes.md") for number in range(1, 61)]
    page = GraphPage(keep("many", [make_created(), *many, StatusChanged(status="finished")]))
    assert len(page.nodes) == 60
    assert list(page.table) == [f"n{number}" for number in range(1, 26)]
    page.test.button(key="table-large-page-forth").click()
    page.run()
    assert list(page.table) == [f"n{number}" for number in range(26, 51)]


def test_a_session_without_nodes_says_what_will_come(keep: Keep) -> None:
    page = GraphPage(keep("young", [make_created(), StatusChanged(status="paused")]))
    assert page.data["empty"] == "Nodes appear here as documents are read."
    assert page.table == {}


def test_content_is_shown_as_text(keep: Keep) -> None:
    page = GraphPage(keep("evil", hostile_events()))
    page.search(EVIL.split()[0])
    assert EVIL in page.nodes["n1"]["words"]
    for tag in ("<img", "<script", "</script"):
        assert tag not in page.markup
    assert not page.test.markdown
