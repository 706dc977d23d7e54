"""Merge nodes in graph and trees, and undo a merge.

A merge never changes with which node an entry was recorded, or between which nodes an edge was created. Graph and trees
show these facts through the nodes that now stand for the old ones. So undoing a merge needs no copy of the earlier
state, only the texts of the merged nodes and of the neighbours whose description the merge changed.
"""

from __future__ import annotations

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.interaction_tree import Entry, InteractionTrees, Merge
from memory_bank.bank.query_graph import Node, QueryGraph


class Merges:
    """The merges that stand. `merged_into` maps each merged node to its new node, which may have been merged too."""

    def __init__(self, graph: QueryGraph, trees: InteractionTrees) -> None:
        self.merged_into: dict[str, str] = {}
        self._graph = graph
        self._trees = trees
        self._ended: dict[str, Node] = {}
        self._dissolved: set[str] = set()
        self._related: list[tuple[str, str]] = []
        self._rewritten: dict[str, list[tuple[Node, Node]]] = {}  # by merge: neighbours before and after it

    def living(self, node_id: str) -> str:
        """The node that a node has become by merges; itself if it still lives, or if its merge was taken back."""
        while node_id in self.merged_into:
            node_id = self.merged_into[node_id]
        return node_id

    def gone(self, node_id: str) -> bool:
        """Whether a node with that id existed and is gone: it was merged, or the merge that made it was undone."""
        return node_id in self.merged_into or node_id in self._dissolved

    def relate(self, a: str, b: str) -> None:
        """Create an edge between two living nodes."""
        self._graph.create_edge(a, b)
        self._related.append((a, b))

    # -- merging ---------------------------------------------------------------------------------------------

    def join(self, merge: Merge, new_id: str) -> None:
        """Delete the merged nodes and give their edges and trees to the new node, which is in the graph already."""
        for other in self._graph.neighbours(*merge.node_ids):
            self._graph.create_edge(new_id, other)
        for node_id in merge.node_ids:
            self._ended[node_id] = self._graph.delete_node(node_id)
            self.merged_into[node_id] = new_id
        self._trees.reattach(merge.node_ids, new_id, merge)

    def rewrite(self, new_id: str, node_id: str, context: str, keywords: tuple[str, ...]) -> None:
        """Change a neighbour's description as part of the merge that made `new_id`; `KeyError` if it does not live."""
        before = self._graph[node_id]
        after = before.model_copy(update={"context": context, "keywords": keywords})
        self._graph.update_node(after)
        self._rewritten.setdefault(new_id, []).append((before, after))

    # -- undoing a merge -------------------------------------------------------------------------------------

    def take_back(self, node_id: str) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
        """Undo the merge that made a living node: the merged nodes are back, each with its own entries and edges.

        Return these nodes, and the entries that were recorded with the node after the merge; those go to the last of
        them. Edges that the node gained since go to each of them. `CorruptLogError` if the node does not live or no
        merge made it.
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
        for edge in self._related:
            a, b = (self.living(end) for end in edge)
            if a != b and (a in parts or b in parts):
                self._graph.create_edge(a, b)

    def _restore_descriptions(self, node_id: str) -> None:
        """Restore the descriptions of the neighbours, except where they have changed again since."""
        for before, after in reversed(self._rewritten.pop(node_id, [])):
            node = self._graph.get(before.id) or self._ended.get(before.id)
            if node is None or (node.context, node.keywords) != (after.context, after.keywords):
                continue
            restored = node.model_copy(update={"context": before.context, "keywords": before.keywords})
            if node.id in self._graph:
                self._graph.update_node(restored)
            else:
                self._ended[node.id] = restored
