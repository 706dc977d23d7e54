"""A moment's memory as the graph draws it."""

from __future__ import annotations

from components.look import NodeState
from components.query_graph import GraphEdge, GraphNode
from memory_bank.bank.query_graph import Node
from memory_bank.moment import Moment


def state_of(moment: Moment, node: Node) -> NodeState:
    """How a node is shown: a contradiction first, then that it is new, then that a verdict made it."""
    if node.status != "active":
        return node.status
    if node.id in moment.new_nodes:
        return "new"
    decided = any(merge.verdict is not None for merge in moment.bank.trees.merges(node.id))
    return "settled" if decided else "active"


def nodes(moment: Moment) -> list[GraphNode]:
    """Every node of the moment."""
    trees = moment.bank.trees
    return [
        GraphNode(
            id=node.id,
            topic=node.context,
            state=state_of(moment, node),
            records=len(trees.entries(node.id)),
            made_of=moment.made_of.get(node.id, ()),
            used=node.id in moment.used_nodes,
        )
        for node in moment.bank.query_graph
    ]


def edges(moment: Moment) -> list[GraphEdge]:
    """Relations, and a line for each contradiction between two nodes that is not settled."""
    found = [GraphEdge(ends) for ends in moment.bank.query_graph.edges()]
    for conflict in moment.bank.conflicts.values():
        if conflict.status != "resolved" and len(conflict.node_ids) == 2:
            first, second = conflict.node_ids
            found.append(GraphEdge((first, second), "conflict" if conflict.status == "open" else "dispute"))
    return found
