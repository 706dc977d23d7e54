"""The GraphML export of the Query Graph."""

from __future__ import annotations

import io

import networkx as nx
import pytest
from lxml import etree

from memory_bank.bank.bank import Bank
from memory_bank.views.exports.graphml import graphml
from tests.builders import NOON, every_event, in_markdown
from tests.views.exports.hostile import worst_events


def read(text: str) -> nx.MultiGraph:
    etree.fromstring(text.encode())
    return nx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)


def test_nodes_have_what_they_say_and_edges_their_kind() -> None:
    graph = read(graphml(Bank.replay(every_event()[:16])))
    assert set(graph) == {"n1", "n2", "n4"}
    assert graph.nodes["n1"] == {
        "topic": "The dam.",
        "summary": "What n1 says of the dam.",
        "keywords": "dam",
        "status": "conflicting",
        "created": NOON.isoformat(),
        "claims": 1,
        "sources": "notes.md",
    }
    edges = {(a, b): (data["kind"], data.get("conflict")) for a, b, data in graph.edges(data=True)}
    assert edges == {("n1", "n4"): ("related", None), ("n1", "n2"): ("conflict", "x1")}


def test_markdown_is_written_as_plain_text() -> None:
    text = graphml(Bank.replay(in_markdown(every_event())))
    assert "When the dam was finished, settled." in text
    assert "**" not in text


def test_a_relation_and_a_dispute_between_the_same_nodes_are_two_edges() -> None:
    graph = read(graphml(Bank.replay(worst_events())))
    assert sorted(data["kind"] for _, _, data in graph.edges(data=True)) == ["dispute", "related"]


def test_characters_that_xml_forbids_are_left_out_and_everything_else_is_text() -> None:
    graph = read(graphml(Bank.replay(worst_events())))
    assert set(graph) == {"n1", "n2"}
    said = graph.nodes["n1"]["summary"]
    assert said.startswith("[31m\x7f\u202e<img src=x onerror=")


@pytest.mark.parametrize("count", [0, 1])
def test_a_memory_that_holds_little_is_a_small_graph(count: int) -> None:
    assert len(read(graphml(Bank.replay(every_event()[: 1 + 10 * count])))) == count
