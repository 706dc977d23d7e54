"""Draw a list of nodes, each with a link that opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from components import linked_text
from components.linked_text import Segment, item, node_link
from memory_bank.bank.query_graph import Node


def draw(nodes: Sequence[Node], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw a line for each node, in the given order."""
    lines = [item(node_link(node.id), Segment(f" {node.context}")) for node in nodes]
    linked_text.draw(lines, key=key, pressed=None, on_press=on_open_node)
