"""Several nodes into one, and one into several again: what a merge does to graph and trees, and how it is taken back.

Where an entry was recorded, and between which nodes an edge was made, are facts that no merge changes: graph and trees
show them by what those nodes have become. So taking a merge back needs no copy of how things were, only the texts of
the nodes that ended and of the neighbours that the merge described anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory_bank.bank.interaction_tree import Entry, InteractionTrees, Merge
from memory_bank.bank.query_graph import Node, QueryGraph
from memory_bank.errors import CorruptLogError

_Description = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Rewritten:
    """How a merge changed a neighbour's description."""

    node_id: str
    before: _Description
    after: _Description


class Merges:
    """What nodes have become: `merged_into` leads from each merged node to its heir, which may have been merged too."""

    def __init__(self, graph: QueryGraph, trees: InteractionTrees) -> None:
        self.merged_into: dict[str, str] = {}
        self._graph = graph
        self._trees = trees
        self._ended: dict[str, Node] = {}
        self._dissolved: set[str] = set()
        self._related: list[tuple[str, str]] = []
        self._rewritten: dict[str, list[_Rewritten]] = {}

    def living(self, node_id: str) -> str:
        """The node that a node has become by merges; itself if it still lives, or if its merge was taken back."""
        while node_id in self.merged_into:
            node_id = self.merged_into[node_id]
        return node_id

    def gone(self, node_id: str) -> bool:
        """Whether a node of that id has ended, in a merge or because its own merge was taken back."""
        return node_id in self.merged_into or node_id in self._dissolved

    def relate(self, a: str, b: str) -> None:
        """An edge between two living nodes."""
        self._graph.create_edge(a, b)
        self._related.append((a, b))

    # -- several into one ------------------------------------------------------------------------------------

    def join(self, merge: Merge, new_id: str) -> None:
        """The new node, which is in the graph, takes over edges and trees of the merged ones, which end."""
        merged = merge.node_ids
        inherited = [other for node_id in merged for other in self._graph.neighbours(node_id) if other not in merged]
        for other in dict.fromkeys(inherited):
            self._graph.create_edge(new_id, other)
        for node_id in merged:
            self._ended[node_id] = self._graph.delete_node(node_id)
            self.merged_into[node_id] = new_id
        self._trees.reattach(merged, new_id, merge)

    def rewrite(self, new_id: str, node_id: str, context: str, keywords: tuple[str, ...]) -> None:
        """A neighbour describes itself anew because of the merge that made `new_id`; `KeyError` if it is not there."""
        node = self._graph[node_id]
        after = (context, keywords)
        self._graph.update_node(_described(node, after))
        self._rewritten.setdefault(new_id, []).append(_Rewritten(node_id, (node.context, node.keywords), after))

    # -- one into several again ------------------------------------------------------------------------------

    def take_back(self, node_id: str) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
        """Undo the merge that made a living node: the merged nodes live again, each with its own entries and edges.

        Returns them, and the entries recorded with the merged node since, which go to the last of them; edges gained
        since go to each. `CorruptLogError` when the node does not live or no merge made it.
        """
        merge = self._trees.made_by(node_id)
        if merge is None or node_id not in self._graph:
            raise CorruptLogError(f"no merge made a living node {node_id}: there is nothing to take back")
        self._graph.delete_node(node_id)
        self._dissolved.add(node_id)
        for part in merge.node_ids:
            del self.merged_into[part]
            self._graph.create_node(self._ended.pop(part))
        self._restore_edges(node_id, merge.node_ids)
        self._restore_descriptions(node_id)
        return merge.node_ids, self._trees.split(node_id)

    def _restore_edges(self, node_id: str, parts: tuple[str, ...]) -> None:
        self._related = [
            (first, second)
            for a, b in self._related
            for first in (parts if a == node_id else (a,))
            for second in (parts if b == node_id else (b,))
        ]
        for ends in self._related:
            a, b = (self.living(end) for end in ends)
            if a != b and (a in parts or b in parts):
                self._graph.create_edge(a, b)

    def _restore_descriptions(self, node_id: str) -> None:
        """Put back how the neighbours described themselves, but for those that were described anew since."""
        for change in reversed(self._rewritten.pop(node_id, [])):
            node = self._graph.get(change.node_id)
            if node is not None and (node.context, node.keywords) == change.after:
                self._graph.update_node(_described(node, change.before))
            ended = self._ended.get(change.node_id)
            if ended is not None and (ended.context, ended.keywords) == change.after:
                self._ended[change.node_id] = _described(ended, change.before)


def _described(node: Node, description: _Description) -> Node:
    context, keywords = description
    return node.model_copy(update={"context": context, "keywords": keywords})
