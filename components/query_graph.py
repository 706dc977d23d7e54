"""The Query Graph: built with pyvis, drawn by the vis-network that pyvis carries, updated in place.

The library is mounted once, outside whatever ticks; the drawing keeps one instance for its whole life and is sent
plain values. No label and no title is ever markup, and nothing is asked of another host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pyvis
import streamlit as st
from pyvis.network import Network

from components.look import NODE_STATES, SKY, NodeState, asset, count, mark

_LIBRARY_FILE = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
_LABEL_LINE, _LABEL_LINES = 18, 2


@dataclass(frozen=True)
class GraphNode:
    """A node as drawn. Size grows with `records`; `made_of` are the nodes that became it; `used` by this step."""

    id: str
    topic: str
    state: NodeState
    records: int
    made_of: tuple[str, ...] = ()
    used: bool = False


@dataclass(frozen=True)
class GraphEdge:
    """A line between two nodes."""

    ends: tuple[str, str]
    kind: Literal["related", "conflict", "dispute"] = "related"


_LINES: dict[str, dict[str, Any]] = {
    "related": {"width": 1, "color": "#8a8a8a"},
    "conflict": {"width": 4, "color": NODE_STATES["conflicting"].colour, "dashes": [10, 7], "label": "conflict"},
    "dispute": {"width": 3, "color": NODE_STATES["disputed"].colour, "dashes": [2, 6], "label": "disputed"},
}


@cache
def _library() -> str:
    script = _LIBRARY_FILE.read_text(encoding="utf-8").rpartition("//# sourceMappingURL")[0]
    return f"{script}\nexport default function () {{}}\n"


_LIBRARY_MOUNT = st.components.v2.component("memory_bank_vis_network", js=_library())
_MOUNT = st.components.v2.component(
    "memory_bank_query_graph",
    html=asset("query_graph.html"),
    css=asset("query_graph.css"),
    js=asset("query_graph.js"),
)


def load_library() -> None:
    """Bring vis-network to the page. Once, outside the fragment that draws the graph."""
    with st.container(height=1, key="graph-library", border=False):
        _LIBRARY_MOUNT(key="vis-network")


def draw(
    nodes: Sequence[GraphNode],
    edges: Sequence[GraphEdge],
    *,
    key: str,
    selected: str | None,
    on_open_node: Callable[[str], None],
    height: int = 430,
) -> None:
    """Draw the graph. A click on a node brings its id to `on_open_node` before the next redraw."""

    def tell() -> None:
        picked = st.session_state[key].get("picked")
        if isinstance(picked, str):
            on_open_node(picked)

    drawn, lines = network(nodes, edges)
    data = {"nodes": drawn, "edges": lines, "selected": selected, "said": summary(nodes, edges), "height": height}
    _MOUNT(data=data, key=key, height=height, on_picked_change=tell)


def network(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Nodes and edges as vis-network takes them. Lines to nodes that are not there are left out."""
    # Directed only to keep pyvis from comparing each new edge with all others; no arrow is drawn.
    built = Network(directed=True)
    for node in nodes:
        look = NODE_STATES[node.state]
        built.add_node(
            node.id,
            label=_label(node),
            shape=look.shape,
            color=_colours(node),
            size=min(11 + 3 * node.records, 34),
            borderWidth=4 if node.state == "new" else 2 if node.used else 1,
            words=f"{node.id} · {look.word}\n{node.topic}",
            made_of=list(node.made_of),
        )
    for edge in edges:
        a, b = edge.ends
        if a in built.node_map and b in built.node_map:
            built.add_edge(a, b, id=f"{edge.kind} {a} {b}", arrows="", **_LINES[edge.kind])
    drawn, lines, *_ = built.get_network_data()
    return drawn, lines


def _colours(node: GraphNode) -> dict[str, Any]:
    colour = NODE_STATES[node.state].colour
    border = SKY if node.used else colour
    inside = "page" if node.state == "new" else colour
    return {
        "background": inside,
        "border": border,
        "highlight": {"background": inside, "border": "text"},
        "hover": {"background": inside, "border": "text"},
    }


def _label(node: GraphNode) -> str:
    # A topic is named by its document and its headings; the last of them tells nodes apart.
    name = node.topic.rpartition(": ")[2] or node.topic
    lines: list[str] = []
    for word in f"{node.id} {name}".split():
        if lines and len(lines[-1]) + 1 + len(word) <= _LABEL_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word if len(word) <= _LABEL_LINE else word[: _LABEL_LINE - 1] + "…")
    if len(lines) > _LABEL_LINES:
        lines = [*lines[: _LABEL_LINES - 1], lines[_LABEL_LINES - 1] + "…"]
    return "\n".join(lines)


def summary(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> str:
    """The graph in a sentence, for a screen reader."""
    kinds = [edge.kind for edge in edges]
    return (
        f"Query Graph: {count(len(nodes), 'node')}, {count(kinds.count('related'), 'relation')}, "
        f"{count(kinds.count('conflict'), 'open conflict')}, {count(kinds.count('dispute'), 'dispute')}. "
        "The table below says the same in words."
    )


def draw_legend() -> None:
    """Say in words what shapes, colours, sizes and lines mean."""
    states = "".join(f"<span>{mark(look)}{look.word}</span>" for look in NODE_STATES.values())
    st.html(
        f'<div class="mb-legend">{states}<span><i></i>related</span>'
        '<span><i class="mb-open"></i>open conflict</span><span><i class="mb-dispute"></i>disputed</span>'
        "<span>light blue rim: read by this step</span><span>larger: more records</span></div>"
    )
