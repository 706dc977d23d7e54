"""The Query Graph: built with pyvis, drawn by the vis-network that pyvis carries, updated in place.

The library is mounted once, outside whatever ticks; the drawing keeps one instance for its whole life and is sent
plain values, and of those only what changed. No label and no title is ever markup, and nothing is asked of another
host.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pyvis
import streamlit as st
from pyvis.edge import Edge
from pyvis.node import Node

from components.graph_patches import Drawn, GraphPatches
from components.language import later, say, say_n
from components.look import GREY, NODE_STATES, NodeState, asset, escape, mark

_LIBRARY_FILE = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
_LABEL_LINE, _LABEL_LINES = 18, 2
_RUNS = "graph runs"
_HOLLOW: tuple[NodeState, ...] = ("new", "merged")
_SPACED = re.compile(r"\S+\s?|\s")

SINCE: tuple[NodeState, ...] = ("added", "changed", "merged")
"""States that there are only where two moments are compared."""

LineKind = Literal["related", "conflict", "dispute", "became"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node as drawn, at its place in pixels.

    Size grows with `records`; `made_of` are the nodes that became it; `used` by this step; `since` is what has happened
    to it since a moment that is compared; others are `faint` where some stand out.
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
    """A line between two nodes."""

    ends: tuple[str, str]
    kind: LineKind = "related"
    faint: bool = False


_LINES: dict[LineKind, Drawn] = {
    "related": {},  # as the options of the drawing say, for there may be thousands
    "conflict": {"width": 4, "color": NODE_STATES["conflicting"].colour, "dashes": [10, 7]},
    "dispute": {"width": 3, "color": NODE_STATES["disputed"].colour, "dashes": [2, 6]},
    "became": {"width": 1, "color": GREY, "dashes": [4, 5]},
}
_LINE_WORDS: dict[LineKind, str] = {"conflict": later("conflict"), "dispute": later("disputed")}


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
    """Bring vis-network to the page. Once in each run of the whole page, outside the fragment that draws the graph."""
    st.session_state[_RUNS] = st.session_state.get(_RUNS, 0) + 1
    with st.container(height=1, key="graph-library", border=False):
        _LIBRARY_MOUNT(key="vis-network")


@dataclass
class _Sheet:
    """What a tab was sent of one graph: about what, in which run of the whole page."""

    subject: Hashable
    run: int
    patches: GraphPatches[GraphNode, GraphEdge]
    missed: bool = True


@dataclass(frozen=True)
class Graph:
    """What is drawn: nodes and lines by their ids, every line with both its ends; and which node is selected.

    Another `subject` is drawn anew, the same one keeps its view. `height` is a length in CSS, `empty` what is said
    where no node is.
    """

    nodes: Mapping[str, GraphNode]
    edges: Mapping[str, GraphEdge]
    subject: Hashable
    selected: str | None
    height: str
    empty: str


def draw(graph: Graph, *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the graph. A click on a node brings its id to `on_open_node` before the next redraw."""
    sheet = _sheet(key, graph.subject)

    def tell() -> None:
        picked = st.session_state[key].get("picked")
        if isinstance(picked, str):
            on_open_node(picked)

    def send_whole() -> None:
        sheet.missed = True

    data = sheet.patches.data(graph.nodes, graph.edges, whole=sheet.missed)
    sheet.missed = False
    if "whole" in data:
        data["whole"] |= {"looks": looks(), "words": _words()}
    data |= {"selected": graph.selected, "height": graph.height, "empty": "" if graph.nodes else graph.empty}
    data["said"] = summary(graph.nodes.values(), graph.edges.values())
    _MOUNT(data=data, key=key, on_picked_change=tell, on_missed_change=send_whole)


def _sheet(key: str, subject: Hashable) -> _Sheet:
    kept, run = st.session_state.get(f"{key} sheet"), st.session_state.get(_RUNS, 0)
    if not isinstance(kept, _Sheet) or kept.subject != subject:
        kept = st.session_state[f"{key} sheet"] = _Sheet(subject, run, GraphPatches(drawn_node, drawn_edge))
    if kept.run != run:  # the whole page is drawn anew, maybe in a browser that has been elsewhere
        kept.run, kept.missed = run, True
    return kept


def drawn_node(node: GraphNode) -> Drawn:
    """A node as vis-network takes it. How its state looks is said once for all, as that of a group."""
    look = NODE_STATES[node.state]
    drawn = Node(
        node.id,
        look.shape,
        _label(node),
        group=node.state,
        size=min(10 + 2 * node.records, 22),
        x=node.at[0],
        y=node.at[1],
        words=f"{node.id} · {state_words(node.state, node.since)}\n{node.topic}",
    )
    options: Drawn = drawn.options
    for name in ("made_of", "used", "faint"):
        if value := getattr(node, name):
            options[name] = value
    return options


def state_words(state: NodeState, since: NodeState | None) -> str:
    """A node's state, and what has happened to it since a moment that is compared, in words."""
    return ", ".join(NODE_STATES[one].word for one in dict.fromkeys((state, since)) if one is not None)


def edge_id(edge: GraphEdge) -> str:
    """What names a line."""
    return " ".join((*edge.ends, *(() if edge.kind == "related" else (edge.kind,))))


def drawn_edge(edge: GraphEdge) -> Drawn:
    """A line as vis-network takes it."""
    drawn = Edge(*edge.ends, id=edge_id(edge), **_LINES[edge.kind])
    options: Drawn = drawn.options
    if edge.kind != "related":
        options["kind"] = edge.kind
    if edge.kind in _LINE_WORDS:
        options["label"] = say(_LINE_WORDS[edge.kind])
    if edge.faint:
        options["faint"] = True
    return options


def looks() -> Drawn:
    """How the nodes of each state look."""
    return {
        state: {"colour": look.colour, "hollow": state in _HOLLOW, "dashed": state == "merged"}
        for state, look in NODE_STATES.items()
    }


def _words() -> Drawn:
    """What the tools of the drawing are called."""
    return {
        "closer": say("Zoom in"),
        "further": say("Zoom out"),
        "fit": say("Show the whole graph"),
        "keys": say(
            "Arrow keys move the view, plus and minus zoom, 0 shows the whole graph, N and P go from node to node."
        ),
    }


def _label(node: GraphNode) -> str:
    # A topic is named by its document and its headings; the last of them tells nodes apart.
    name = node.topic.rpartition(": ")[2] or node.topic
    sign = NODE_STATES[node.since].glyph if node.since else ""
    lines = [""]
    for piece in _pieces(f"{sign} {node.id} {name}".strip()):
        if _width((lines[-1] + piece).rstrip()) > _LABEL_LINE and lines[-1].strip():
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    lines = [_cut(line.strip()) for line in lines]
    if len(lines) > _LABEL_LINES:
        lines = [*lines[: _LABEL_LINES - 1], lines[_LABEL_LINES - 1] + "…"]
    return "\n".join(lines)


def _pieces(text: str) -> Iterator[str]:
    """Where a line may end: after a space, and around each letter of a script that is written without them."""
    if text.isascii():
        yield from _SPACED.findall(text)
        return
    word = ""
    for letter in text:
        word += letter
        if letter.isspace() or _width(letter) > 1:
            yield from (word[:-1], letter) if _width(letter) > 1 else (word,)
            word = ""
    yield word


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(line: str) -> str:
    return line if _width(line) <= _LABEL_LINE else line[: _LABEL_LINE - 1] + "…"


def summary(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> str:
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
    """Say in words what shapes, colours, sizes and lines mean."""
    states = [state for state in NODE_STATES if comparing or state not in SINCE]
    marks = [f"<span>{mark(NODE_STATES[state])}{escape(NODE_STATES[state].word)}</span>" for state in states]
    lines: list[tuple[str, str]] = [
        ("", say("related")),
        ("mb-open", say("open conflict")),
        ("mb-dispute", say("disputed")),
        *([("mb-became", say("has become"))] if comparing else []),
    ]
    marks += [f'<span><i class="{name}"></i>{escape(word)}</span>' for name, word in lines]
    marks.append(f'<span><i class="mb-ring"></i>{escape(say("read by this step"))}</span>')
    marks.append(f'<span><i class="mb-small"></i><i class="mb-large"></i>{escape(say("larger: more records"))}</span>')
    st.html(f'<div class="mb-legend">{"".join(marks)}</div>')
