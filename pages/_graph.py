"""A moment's memory as the graph and the table beside it show it, and what has become of it since an earlier one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

import streamlit as st

from components import query_graph
from components.language import language, say
from components.look import NodeState
from components.node_table import NodeRow
from components.query_graph import GraphEdge, GraphNode, LineKind, edge_id
from memory_bank.bank.query_graph import Node
from memory_bank.changes import Changes, changes
from memory_bank.graph_layout import Point
from memory_bank.moment import Moment
from pages._frame import open_node
from pages._layouts import layouts
from pages._visitor import Looking


@dataclass(frozen=True)
class Seen:
    """A node as it is shown. `since` is what has happened to it since the moment compared, `became` what a gone one is.

    `sources` are where its records are from.
    """

    node: Node
    state: NodeState
    since: NodeState | None
    records: int
    sources: frozenset[str]
    neighbours: tuple[str, ...]
    became: str | None = None


@dataclass(frozen=True)
class Scene:
    """All that is seen of a moment. `basis` tells it from others."""

    basis: Hashable
    seen: Mapping[str, Seen]
    edges: tuple[GraphEdge, ...]
    places: Mapping[str, Point]
    made_of: Mapping[str, tuple[str, ...]]
    used: frozenset[str]


@dataclass(frozen=True)
class Shown:
    """Which nodes of a scene are drawn, and which of them stand out while the others fade; None: all."""

    nodes: frozenset[str] | None = None
    found: frozenset[str] | None = None


ALL = Shown()


def state_of(moment: Moment, node: Node) -> NodeState:
    """How a node is shown: a contradiction first, then that it is new, then that a verdict made it."""
    if node.status != "active":
        return node.status
    if node.id in moment.new_nodes:
        return "new"
    decided = any(merge.verdict is not None for merge in moment.bank.trees.merges(node.id))
    return "settled" if decided else "active"


def scene(look: Looking) -> Scene:
    """What the visitor sees of the session's memory; worked out anew where something in it has changed."""
    moment, earlier = look.moment, look.earlier
    since = None if earlier is None else len(earlier.marks)
    basis = (look.session_id, len(moment.marks), moment.used_nodes, since)
    kept = st.session_state.get("scene")
    if not isinstance(kept, Scene) or kept.basis != basis:
        kept = st.session_state["scene"] = _scene(look.session_id, moment, earlier, basis)
    return kept


def _scene(session_id: str, moment: Moment, earlier: Moment | None, basis: Hashable) -> Scene:
    since = None if earlier is None else changes(earlier, moment)
    seen = {one.node.id: one for one in _living(moment, since)}
    if earlier is not None and since is not None:
        seen |= {one.node.id: one for one in _gone(earlier, since)}
    edges = tuple(_edges(moment, seen))
    lines = [edge.ends for edge in edges]
    places = layouts().place(session_id, list(seen), lines, moment.made_of)
    return Scene(basis, seen, edges, places, dict(moment.made_of), moment.used_nodes)


def _living(moment: Moment, since: Changes | None) -> Iterator[Seen]:
    bank = moment.bank
    what: dict[str, NodeState] = {}
    if since is not None:
        what |= dict.fromkeys(since.changed, "changed")
        what |= dict.fromkeys((*since.added, *since.separated), "added")
    for node in bank.query_graph:
        state, happened = state_of(moment, node), what.get(node.id)
        yield Seen(
            node=node,
            state=happened if happened and node.status == "active" else state,
            since=happened,
            records=len(bank.trees.entries(node.id)),
            sources=_sources(moment, node),
            neighbours=bank.query_graph.neighbours(node.id),
        )


def _gone(earlier: Moment, since: Changes) -> Iterator[Seen]:
    bank = earlier.bank
    for node_id in (*since.merged, *since.dissolved):
        node, became = bank.query_graph[node_id], since.merged.get(node_id)
        records = len(bank.trees.entries(node_id))
        near = () if became is None else (became,)
        yield Seen(node, "merged", None, records, _sources(earlier, node), near, became)


def _sources(moment: Moment, node: Node) -> frozenset[str]:
    entries = moment.bank.trees.entries(node.id)
    return frozenset(str(entry.metadata["source"]) for entry in entries if entry.metadata.get("source"))


def _edges(moment: Moment, seen: Mapping[str, Seen]) -> Iterator[GraphEdge]:
    """Relations, a line for each contradiction between two nodes that is not settled, and to what a node has become."""
    yield from (GraphEdge(ends) for ends in moment.bank.query_graph.edges())
    for conflict in moment.bank.conflicts.values():
        if conflict.status != "resolved":
            kind: LineKind = "conflict" if conflict.status == "open" else "dispute"
            yield from (GraphEdge(ends, kind) for ends in moment.bank.opposed(conflict))
    yield from (GraphEdge((node_id, one.became), "became") for node_id, one in seen.items() if one.became)


def _drawn(scene: Scene, shown: Shown) -> tuple[dict[str, GraphNode], dict[str, GraphEdge]]:
    """The nodes that are shown, and the lines between them."""
    nodes = {
        node_id: GraphNode(
            id=node_id,
            topic=one.node.context,
            state=one.state,
            records=one.records,
            at=scene.places[node_id],
            made_of=scene.made_of.get(node_id, ()),
            used=node_id in scene.used,
            since=one.since,
            faint=shown.found is not None and node_id not in shown.found,
        )
        for node_id, one in scene.seen.items()
        if shown.nodes is None or node_id in shown.nodes
    }
    edges = {}
    for edge in scene.edges:
        a, b = (nodes.get(end) for end in edge.ends)
        if a is not None and b is not None:
            edges[edge_id(edge)] = replace(edge, faint=True) if a.faint or b.faint else edge
    return nodes, edges


def draw_graph(look: Looking, *, height: str, key: str, shown: Shown = ALL) -> None:
    """The graph of what the visitor looks at, with its legend. `height` is a length in CSS."""
    what = scene(look)
    nodes, edges = _kept(key, what, shown)
    graph = query_graph.Graph(
        nodes,
        edges,
        subject=(look.session_id, language()),
        selected=look.selected,
        height=height,
        empty=say("No node fits.") if what.seen else say("Nodes appear here as documents are read."),
    )
    query_graph.draw(graph, key=key, on_open_node=lambda node_id: open_node(look, node_id))
    query_graph.draw_legend(comparing=look.earlier is not None)


def _kept(key: str, scene: Scene, shown: Shown) -> tuple[dict[str, GraphNode], dict[str, GraphEdge]]:
    """What is drawn, kept for the next redraw: most of them change nothing."""
    basis = (scene.basis, shown)
    kept = st.session_state.get(f"{key} drawn")
    if kept is None or kept[0] != basis:
        kept = st.session_state[f"{key} drawn"] = (basis, _drawn(scene, shown))
    found: tuple[dict[str, GraphNode], dict[str, GraphEdge]] = kept[1]
    return found


def rows(look: Looking, shown: Shown = ALL) -> list[NodeRow]:
    """The same as a table."""
    what = scene(look)
    against: dict[str, list[str]] = {}
    for edge in what.edges:
        if edge.kind in ("conflict", "dispute"):
            for one, other in (edge.ends, edge.ends[::-1]):
                against.setdefault(one, []).append(other)
    return [
        NodeRow(
            node=one.node,
            state=one.state,
            entries=one.records,
            neighbours=one.neighbours,
            against=tuple(against.get(node_id, ())),
            since=one.since,
            used=node_id in what.used,
        )
        for node_id, one in what.seen.items()
        if (shown.nodes is None or node_id in shown.nodes) and (shown.found is None or node_id in shown.found)
    ]
