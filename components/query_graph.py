"""Draw the Query Graph with the vis-network that is bundled with pyvis.

The library is mounted once, outside the fragment that is redrawn. The drawing keeps one vis-network instance for its
whole life and is sent plain values, only those that changed. Labels and titles are never markup, and nothing is loaded
from another host.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Literal

import streamlit as st

from components.graph_patches import GraphPatches, JsonObject
from components.language import mark_for_translation, say, say_n
from components.look import GREY, NODE_STATES, NodeState, asset, escape, mark
from memory_bank.views.graph_look import label

# The package is not imported: it would bring all of IPython, to show graphs in notebooks.
_LIBRARY_FILE = Path(str(distribution("pyvis").locate_file("pyvis/lib/vis-9.1.2/vis-network.min.js")))
_RUNS = "graph runs"
"""Where the session state counts the runs of the whole page."""
_HOLLOW: tuple[NodeState, ...] = ("new", "merged")

COMPARISON_STATES: tuple[NodeState, ...] = ("added", "changed", "merged")
"""States that occur only when two moments are compared."""

EdgeKind = Literal["related", "conflict", "dispute", "became"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node as drawn, at the position `at` in pixels.

    The size grows with `records`. `made_of` are the nodes merged into it. `used` says whether this step read it.
    `since` is what happened to it since the moment compared with. `faint` nodes are faded so that others stand out.
    """

    id: str
    topic: str
    state: NodeState
    records: int
    at: tuple[float, float] = (0.0, 0.0)
    made_of: tuple[str, ...] = ()
    used: bool = False
    since: NodeState | None = None
    faint: bool = False


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge between two nodes. An edge is `faint` if a node at its ends is."""

    ends: tuple[str, str]
    kind: EdgeKind = "related"
    faint: bool = False


_EDGE_STYLES: dict[EdgeKind, JsonObject] = {
    "related": {},  # styled by the options of the drawing, as there may be thousands
    "conflict": {"kind": "conflict", "width": 4, "color": NODE_STATES["conflicting"].colour, "dashes": [10, 7]},
    "dispute": {"kind": "dispute", "width": 3, "color": NODE_STATES["disputed"].colour, "dashes": [2, 6]},
    "became": {"kind": "became", "width": 1, "color": GREY, "dashes": [4, 5]},
}
_EDGE_LABELS: dict[EdgeKind, str] = {
    "conflict": mark_for_translation("conflict"),
    "dispute": mark_for_translation("disputed"),
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
    """Load vis-network. To be called once in each run of the whole page, outside the fragment that draws the graph."""
    st.session_state[_RUNS] = st.session_state.get(_RUNS, 0) + 1
    with st.container(height=1, key="graph-library", border=False):
        _LIBRARY_MOUNT(key="vis-network")


@dataclass
class _Drawing:
    """A drawing in a tab: its subject, the run of the whole page, the patches sent, and whether all is sent next."""

    subject: Hashable
    run: int
    patches: GraphPatches[GraphNode, GraphEdge]
    send_whole: bool = True


@dataclass(frozen=True)
class Graph:
    """The graph to draw: nodes and edges by their ids, each edge with both its ends, and the selected node.

    A new `subject` starts a new drawing; the same one keeps its view. `height` is a length in CSS, `empty` the text
    shown if there are no nodes.
    """

    nodes: Mapping[str, GraphNode]
    edges: Mapping[str, GraphEdge]
    subject: Hashable
    selected: str | None
    height: str
    empty: str


def draw_query_graph(graph: Graph, *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the graph. A click on a node calls `on_open_node` with its id before the next redraw."""
    drawing, run = st.session_state.get(f"{key} sheet"), st.session_state.get(_RUNS, 0)
    if not isinstance(drawing, _Drawing) or drawing.subject != graph.subject:
        drawing = st.session_state[f"{key} sheet"] = _Drawing(graph.subject, run, GraphPatches(vis_node, vis_edge))
    if drawing.run != run:  # the whole page was rerun, so the browser may have mounted the drawing anew
        drawing.run, drawing.send_whole = run, True

    def handle_pick() -> None:
        picked = st.session_state[key].get("picked")
        if isinstance(picked, str):
            on_open_node(picked)

    data = drawing.patches.data(graph.nodes, graph.edges, whole=drawing.send_whole)
    drawing.send_whole = False
    if "whole" in data:
        keys = say(
            "Arrow keys move the view, plus and minus zoom, 0 shows the whole graph, N and P go from node to node."
        )
        words = {"closer": say("Zoom in"), "further": say("Zoom out"), "fit": say("Show the whole graph"), "keys": keys}
        data["whole"] |= {"looks": state_styles(), "words": words}
    data |= {"selected": graph.selected, "height": graph.height, "empty": "" if graph.nodes else graph.empty}
    data["said"] = describe_graph(graph.nodes.values(), graph.edges.values())
    _MOUNT(
        data=data, key=key, on_picked_change=handle_pick, on_missed_change=lambda: setattr(drawing, "send_whole", True)
    )


def vis_node(node: GraphNode) -> JsonObject:
    """A node as vis-network expects it. The style of its state is sent once, as that of the group."""
    sign = f"{NODE_STATES[node.since].glyph} " if node.since else ""
    options: JsonObject = {
        "id": node.id,
        "label": "\n".join(label(f"{sign}{node.id}", node.topic)),
        "shape": NODE_STATES[node.state].shape,
        "group": node.state,
        "size": min(10 + 2 * node.records, 22),
        "x": node.at[0],
        "y": node.at[1],
        "words": f"{node.id} · {state_words(node.state, node.since)}\n{node.topic}",
    }
    for name in ("made_of", "used", "faint"):
        if value := getattr(node, name):
            options[name] = value
    return options


def state_words(state: NodeState, since: NodeState | None) -> str:
    """A node's state, and what happened to it since the moment compared with, in words."""
    return ", ".join(NODE_STATES[each].word for each in dict.fromkeys((state, since)) if each is not None)


def edge_id(edge: GraphEdge) -> str:
    """The id of an edge, unique among edges of all kinds."""
    return " ".join((*edge.ends, *(() if edge.kind == "related" else (edge.kind,))))


def vis_edge(edge: GraphEdge) -> JsonObject:
    """An edge as vis-network expects it."""
    first, second = edge.ends
    options: JsonObject = {"from": first, "to": second, "id": edge_id(edge), **_EDGE_STYLES[edge.kind]}
    if edge.kind in _EDGE_LABELS:
        options["label"] = say(_EDGE_LABELS[edge.kind])
    if edge.faint:
        options["faint"] = True
    return options


def state_styles() -> JsonObject:
    """The style of the nodes of each state, for the script."""
    return {
        state: {"colour": style.colour, "hollow": state in _HOLLOW, "dashed": state == "merged"}
        for state, style in NODE_STATES.items()
    }


def describe_graph(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> str:
    """The graph in a sentence, for a screen reader."""
    kinds = [edge.kind for edge in edges]
    return say(
        "Query Graph: {nodes}, {relations}, {conflicts}, {disputes}. The table below says the same in words.",
        nodes=say_n("{n} node", "{n} nodes", sum(1 for _ in nodes)),
        relations=say_n("{n} relation", "{n} relations", kinds.count("related")),
        conflicts=say_n("{n} open conflict", "{n} open conflicts", kinds.count("conflict")),
        disputes=say_n("{n} dispute", "{n} disputes", kinds.count("dispute")),
    )


def draw_legend(*, comparing: bool = False) -> None:
    """Draw the legend of shapes, colours, sizes and lines; with `comparing`, also what a comparison adds."""
    states = [state for state in NODE_STATES if comparing or state not in COMPARISON_STATES]
    entries = [f"<span>{mark(NODE_STATES[state])}{escape(NODE_STATES[state].word)}</span>" for state in states]
    lines: list[tuple[str, str]] = [
        ("", say("related")),
        ("mb-open", say("open conflict")),
        ("mb-dispute", say("disputed")),
        *([("mb-became", say("merged into"))] if comparing else []),
    ]
    entries += [f'<span><i class="{name}"></i>{escape(word)}</span>' for name, word in lines]
    entries.append(f'<span><i class="mb-ring"></i>{escape(say("read by this step"))}</span>')
    entries.append(
        f'<span><i class="mb-small"></i><i class="mb-large"></i>{escape(say("larger: more records"))}</span>'
    )
    st.html(f'<div class="mb-legend">{"".join(entries)}</div>')
