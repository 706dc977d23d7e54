"""The self-contained SVG of the Query Graph."""

from __future__ import annotations

import pytest
from lxml import etree

from memory_bank.bank.bank import Bank
from memory_bank.views.exports.graph_picture import svg
from memory_bank.views.graph_layout import UNIT, GraphLayout
from memory_bank.views.graph_look import COLOURS, label
from memory_bank.views.i18n import translator
from tests.builders import every_event
from tests.views.exports.hostile import worst_events

SVG = "{http://www.w3.org/2000/svg}"
HALF_WAY = 16
"""Events of `every_event` until a conflict is open."""


def picture(bank: Bank) -> tuple[str, etree._Element]:
    places = GraphLayout().place([node.id for node in bank.query_graph], bank.query_graph.edges(), {})
    text = svg(bank, places)
    return text, etree.fromstring(text)


def texts(root: etree._Element) -> list[str]:
    return [" ".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def test_every_node_is_drawn_with_its_topic_and_its_state_in_a_word() -> None:
    bank = Bank.replay(every_event()[:HALF_WAY])
    text, root = picture(bank)
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert titles[0] == "Query Graph"
    for node in bank.query_graph:
        state = {"active": "active", "conflicting": "in conflict"}[node.status]
        assert f"{node.id} · {state}: {node.context}" in titles
        assert any(said.startswith(node.id) for said in texts(root))
    assert COLOURS["conflicting"] in text
    assert COLOURS["active"] in text


def test_an_open_conflict_and_a_settled_one_differ_in_shape_line_and_word() -> None:
    _, before = picture(Bank.replay(every_event()[:HALF_WAY]))
    text, after = picture(Bank.replay(every_event()))
    assert "conflict" in texts(before)
    assert before.xpath("//*[@stroke-dasharray and @stroke=$colour]", colour=COLOURS["conflicting"])
    assert "conflict" not in texts(after)
    assert COLOURS["settled"] in text
    assert "merged by a verdict" in text


def test_what_it_shows_is_said_to_a_screen_reader() -> None:
    _, root = picture(Bank.replay(every_event()[:HALF_WAY]))
    assert root.get("role") == "img"
    named = [root.xpath("string(//*[@id=$name])", name=name) for name in root.get("aria-labelledby", "").split()]
    assert named == ["Query Graph", "Nodes: 3. Relations: 1. Open conflicts: 1. Disputes: 0."]


def test_it_asks_for_nothing_and_runs_nothing_whatever_the_nodes_say() -> None:
    text, root = picture(Bank.replay(worst_events()))
    assert {etree.QName(element).localname for element in root.iter()} <= {
        *("svg", "title", "desc", "g", "line", "circle", "path", "text", "tspan")
    }
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert "url(" not in text
    assert "onerror" in text


def test_it_is_as_large_as_its_nodes_need() -> None:
    bank = Bank.replay(every_event()[:HALF_WAY])
    text = svg(bank, {"n1": (0.0, 0.0), "n2": (1000.0, 0.0)})
    left, top, width, height = map(float, etree.fromstring(text).get("viewBox").split())
    assert left <= -UNIT[0] / 2
    assert left + width >= 1000 + UNIT[0] / 2
    assert top < 0
    assert top + height > 60
    assert "n4" not in text


def test_a_memory_without_nodes_is_an_empty_picture() -> None:
    text, root = picture(Bank())
    assert texts(root) == []
    assert "Nodes: 0." in text


@pytest.mark.parametrize(
    ("topic", "rows"),
    [
        ("Dam", ["n1 Dam"]),
        ("Notes: The Aswan High Dam", ["n1 The Aswan High", "Dam"]),
        ("When it was finished and by whom, and what it cost", ["n1 When it was", "finished and by…"]),
        ("Donaudampfschifffahrtsgesellschaft", ["n1", "Donaudampfschifffa…"]),
        ("尼罗河：尼罗河上的阿斯旺大坝建成的年份", ["n1 尼罗河：尼罗河", "上的阿斯旺大坝建成…"]),
        ("", ["n1"]),
    ],
)
def test_a_label_has_two_short_rows_at_most(topic: str, rows: list[str]) -> None:
    assert label("n1", topic) == rows


def test_it_speaks_the_language_it_is_asked_for() -> None:
    bank = Bank.replay(every_event())
    said = translator("zh").say("merged by a verdict")
    assert said in svg(bank, {"n3": (0.0, 0.0)}, translator("zh").say)
