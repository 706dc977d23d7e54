"""The nodes that were searched for an answer; each can be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from components import linked_text
from components.language import say
from components.linked_text import Block, Segment
from memory_bank.bank.query_graph import Node


def draw(nodes: Sequence[Node], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw a line for each node, best first."""
    linked_text.draw([_line(node) for node in nodes], key=key, pressed=None, on_press=on_open_node)


def _line(node: Node) -> Block:
    link = Segment(node.id, link=node.id, label=say("Open node {node}", node=node.id))
    return Block((link, Segment(f" {node.context}")), kind="item")
