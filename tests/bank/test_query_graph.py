from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.query_graph import Node, QueryGraph
from tests.builders import make_claim, make_node

IDS = [f"n{number}" for number in range(1, 5)]
NODES = st.builds(make_node, st.sampled_from(IDS), st.sampled_from(["The dam.", "The river."]))


class GraphMachine(RuleBasedStateMachine):
    """Any sequence of operations against a graph of plain sets; what a graph must refuse is tried as well."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = QueryGraph()
        self.nodes: dict[str, Node] = {}
        self.edges: set[frozenset[str]] = set()
        self.touched: list[str] = []

    @rule(node=NODES)
    def create(self, node: Node) -> None:
        if node.id in self.nodes:
            with pytest.raises(CorruptLogError):
                self.graph.create_node(node)
            return
        self.graph.create_node(node)
        self.nodes[node.id] = node
        self.touched.append(node.id)

    @rule(node=NODES, status=st.sampled_from(["active", "conflicting", "disputed"]))
    def update(self, node: Node, status: str) -> None:
        node = node.model_copy(update={"status": status})
        if node.id not in self.nodes:
            with pytest.raises(CorruptLogError):
                self.graph.update_node(node)
            return
        self.graph.update_node(node)
        if self.nodes[node.id].context != node.context:
            self.touched.append(node.id)
        self.nodes[node.id] = node

    @rule(node_id=st.sampled_from(IDS))
    def delete(self, node_id: str) -> None:
        if node_id not in self.nodes:
            with pytest.raises(CorruptLogError):
                self.graph.delete_node(node_id)
            return
        self.graph.delete_node(node_id)
        del self.nodes[node_id]
        self.edges = {edge for edge in self.edges if node_id not in edge}
        self.touched.append(node_id)

    @rule(a=st.sampled_from(IDS), b=st.sampled_from(IDS))
    def relate(self, a: str, b: str) -> None:
        if a == b or not {a, b} <= self.nodes.keys():
            with pytest.raises(CorruptLogError):
                self.graph.create_edge(a, b)
            return
        self.graph.create_edge(a, b)
        self.edges.add(frozenset((a, b)))

    @rule()
    def take_changes(self) -> None:
        assert self.graph.take_changes() == tuple(dict.fromkeys(self.touched))
        self.touched.clear()
        assert self.graph.take_changes() == ()

    @invariant()
    def nodes_are_the_nodes(self) -> None:
        assert {node.id: node for node in self.graph} == self.nodes
        assert len(self.graph) == len(self.nodes)
        for node_id in IDS:
            assert (node_id in self.graph) == (node_id in self.nodes)
            assert self.graph.get(node_id) == self.nodes.get(node_id)

    @invariant()
    def adjacency_is_symmetric_without_loops_duplicates_or_loose_ends(self) -> None:
        edges = self.graph.edges()
        assert len(edges) == len(self.edges)
        assert {frozenset(edge) for edge in edges} == self.edges
        for node_id in self.nodes:
            neighbours = self.graph.neighbours(node_id)
            assert len(set(neighbours)) == len(neighbours)
            assert {frozenset((node_id, other)) for other in neighbours} == {
                edge for edge in self.edges if node_id in edge
            }
        for a, b in combinations(IDS, 2):
            assert self.graph.has_edge(a, b) == self.graph.has_edge(b, a) == (frozenset((a, b)) in self.edges)


TestGraph = GraphMachine.TestCase


def test_neighbours_of_a_missing_node_are_an_error_and_not_an_empty_list() -> None:
    with pytest.raises(CorruptLogError):
        QueryGraph().neighbours("n1")


def test_a_change_of_status_or_claims_alone_asks_for_no_new_embedding() -> None:
    graph = QueryGraph()
    node = make_node("n1")
    graph.create_node(node)
    graph.take_changes()
    graph.update_node(node.model_copy(update={"status": "disputed", "claims": (make_claim(),)}))
    assert graph.take_changes() == ()


@pytest.mark.parametrize("change", [{"summary": "x"}, {"context": "x"}, {"keywords": ("x",)}])
def test_a_change_of_any_embedded_text_asks_for_a_new_embedding(change: dict[str, object]) -> None:
    graph = QueryGraph()
    graph.create_node(make_node("n1"))
    graph.take_changes()
    graph.update_node(make_node("n1").model_copy(update=change))
    assert graph.take_changes() == ("n1",)


def test_edges_and_neighbours_keep_the_order_in_which_they_were_made() -> None:
    graph = QueryGraph()
    for node_id in ("n3", "n1", "n2"):
        graph.create_node(make_node(node_id))
    for a, b in (("n2", "n3"), ("n1", "n2"), ("n3", "n1"), ("n2", "n1")):
        graph.create_edge(a, b)
    assert graph.edges() == [("n3", "n2"), ("n3", "n1"), ("n1", "n2")]
    assert graph.neighbours("n2") == ("n3", "n1")


def test_the_neighbours_of_several_nodes_are_none_of_these_and_come_once_those_of_the_first_first() -> None:
    graph = QueryGraph()
    for number in range(1, 6):
        graph.create_node(make_node(f"n{number}"))
    for a, b in (("n1", "n5"), ("n2", "n4"), ("n1", "n2"), ("n1", "n4")):
        graph.create_edge(a, b)
    assert graph.neighbours("n2", "n1") == ("n4", "n5")
