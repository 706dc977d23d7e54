"""Query Graph: the structured memory of topic nodes and `related` edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.value import Id, Time, Value

NodeStatus = Literal["active", "conflicting", "disputed"]


class Claim(Value):
    """A checkable statement: `text` is exactly `entry.text[start:end]` of the entry `entry_id`.

    `context` is the text around it in its document (title, heading, the sentence before), which explains "it" and
    "Tuesday:".
    """

    id: Id
    text: str
    entry_id: Id
    start: int
    end: int
    source: str
    page: int | None = None
    context: str = ""

    def overlaps(self, entry_id: str | None, start: int, end: int) -> bool:
        """Whether the characters `start` to `end` of an entry overlap the claim."""
        return self.entry_id == entry_id and self.start < end and start < self.end


class Node(Value):
    """One topic. The retrieval index holds the embedding of its `embedding_text`, one row for each node."""

    id: Id
    summary: str
    context: str
    keywords: tuple[str, ...]
    timestamp: Time
    claims: tuple[Claim, ...] = ()
    status: NodeStatus = "active"

    @property
    def embedding_text(self) -> str:
        """The text to embed."""
        return embedding_text(self.context, self.keywords, self.summary)


def embedding_text(context: str, keywords: tuple[str, ...], summary: str) -> str:
    """The text to embed for a node: context, keywords and summary."""
    return f"{context}\n{', '.join(keywords)}\n{summary}"


class QueryGraph:
    """Nodes and undirected edges. Adjacency is symmetric; no self-loop, no duplicate, no edge to a missing node."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._adjacent: dict[str, dict[str, None]] = {}  # a dict for its order: runs must be reproducible
        self._changed: dict[str, None] = {}

    def create_node(self, node: Node) -> None:
        """Add a node without edges; `CorruptLogError` if the id is taken."""
        if node.id in self._nodes:
            raise CorruptLogError(f"node {node.id} is created twice")
        self._nodes[node.id] = node
        self._adjacent[node.id] = {}
        self._changed[node.id] = None

    def delete_node(self, node_id: str) -> Node:
        """Remove a node and its edges, and return the node."""
        self._require(node_id)
        for neighbour in self._adjacent.pop(node_id):
            del self._adjacent[neighbour][node_id]
        self._changed[node_id] = None
        return self._nodes.pop(node_id)

    def update_node(self, node: Node) -> None:
        """Replace a node by one with the same id; mark it for re-embedding if its text changed."""
        old = self._require(node.id)
        self._nodes[node.id] = node
        if old.embedding_text != node.embedding_text:
            self._changed[node.id] = None

    def create_edge(self, a: str, b: str) -> None:
        """Connect two different nodes; connecting them again changes nothing."""
        self._require(a)
        self._require(b)
        if a == b:
            raise CorruptLogError(f"node {a} cannot be related to itself")
        self._adjacent[a][b] = None
        self._adjacent[b][a] = None

    def has_edge(self, a: str, b: str) -> bool:
        """Whether the two nodes are related."""
        return b in self._adjacent.get(a, ())

    def neighbours(self, *node_ids: str) -> tuple[str, ...]:
        """The ids of the neighbours of nodes, without these, in the order in which they were connected."""
        for node_id in node_ids:
            self._require(node_id)
        near = dict.fromkeys(other for node_id in node_ids for other in self._adjacent[node_id])
        return tuple(other for other in near if other not in node_ids)

    def edges(self) -> list[tuple[str, str]]:
        """Every edge once, ordered by the creation of its first node."""
        order = {node_id: position for position, node_id in enumerate(self._nodes)}
        return [(a, b) for a in self._nodes for b in self._adjacent[a] if order[a] < order[b]]

    def take_changes(self) -> tuple[str, ...]:
        """Ids created, deleted or changed in text since the last call, oldest first; for the one retrieval index."""
        changed = tuple(self._changed)
        self._changed.clear()
        return changed

    def get(self, node_id: str) -> Node | None:
        """The node with that id, or None."""
        return self._nodes.get(node_id)

    def __getitem__(self, node_id: str) -> Node:
        return self._nodes[node_id]

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __len__(self) -> int:
        return len(self._nodes)

    def _require(self, node_id: str) -> Node:
        node = self._nodes.get(node_id)
        if node is None:
            raise CorruptLogError(f"there is no node {node_id}")
        return node
