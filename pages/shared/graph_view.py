"""The memory at shown moment as the graph and the node table show it, with the changes since an earlier moment."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

import streamlit as st

from components import query_graph
from components.language import language, say
from components.look import NodeState
from components.node_detail import NodeDetail
from components.node_table import NodeRow
from components.passage import PassageRef
from components.query_graph import GraphEdge, GraphNode, draw_query_graph, edge_id
from memory_bank.bank.query_graph import Node
from memory_bank.views.changes import Changes, compare_moments
from memory_bank.views.graph_layout import GraphLayout, Point
from memory_bank.views.graph_look import lines, state_of
from memory_bank.views.readable import read_node, read_record
from memory_bank.views.snapshot import Moment
from pages.shared.frame import open_node
from pages.shared.tab_state import ViewState


@dataclass(frozen=True)
class Scene:
    """Everything that can be drawn of a moment. `cache_key` identifies what it was computed from."""

    cache_key: Hashable
    nodes: Mapping[str, NodeRow]
    edges: tuple[GraphEdge, ...]
    positions: Mapping[str, Point]
    made_of: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Visible:
    """The nodes of a scene that are drawn, and those that stand out while the others fade. None: all."""

    nodes: frozenset[str] | None = None
    matches: frozenset[str] | None = None


EVERYTHING = Visible()


def node_state(moment: Moment, node: Node) -> NodeState:
    """The state a node is shown in. A contradiction comes first, then being new, then being merged by a verdict."""
    return "new" if node.status == "active" and node.id in moment.new_nodes else state_of(moment.bank, node)


def detail_of(moment: Moment, node: Node, passage: PassageRef | None) -> NodeDetail:
    """A node with everything that is drawn of it. `passage` is the open one."""
    bank = moment.bank
    return NodeDetail(
        node=read_node(bank, node),
        state=node_state(moment, node),
        neighbours=[read_node(bank, bank.query_graph[other]) for other in bank.query_graph.neighbours(node.id)],
        entries=bank.trees.entries(node.id),
        merges=bank.trees.merges(node.id),
        passage=passage,
        record=read_record(bank, bank.trees.entry(passage[0])) if passage and passage[0] in bank.trees else None,
    )


def current_scene(view: ViewState) -> Scene:
    """The scene of the moment shown; computed again only if something in it has changed."""
    moment, earlier = view.moment, view.earlier
    since = None if earlier is None else len(earlier.marks)
    cache_key = (view.session_id, len(moment.marks), moment.used_nodes, since)
    cached = st.session_state.get("scene")
    if not isinstance(cached, Scene) or cached.cache_key != cache_key:
        cached = st.session_state["scene"] = _compute_scene(view.session_id, moment, earlier, cache_key)
    return cached


def _compute_scene(session_id: str, moment: Moment, earlier: Moment | None, cache_key: Hashable) -> Scene:
    since = None if earlier is None else compare_moments(earlier, moment)
    nodes = {shown.node.id: shown for shown in _current_nodes(moment, since)}
    if earlier is not None and since is not None:
        nodes |= {shown.node.id: shown for shown in _removed_nodes(earlier, since)}
    became = (GraphEdge((node_id, shown.became), "became") for node_id, shown in nodes.items() if shown.became)
    edges = (*(GraphEdge(line.ends, line.kind) for line in lines(moment.bank)), *became)
    layout, lock = _layout(session_id)
    with lock:
        positions = layout.place(list(nodes), [edge.ends for edge in edges], moment.made_of)
    return Scene(cache_key, nodes, edges, positions, dict(moment.made_of))


@st.cache_resource(max_entries=100, show_spinner=False)
def _layout(session_id: str) -> tuple[GraphLayout, threading.Lock]:
    """The layout of a session: its nodes have the same positions for every visitor and page. Hold the lock."""
    del session_id  # only for the cache
    return GraphLayout(), threading.Lock()


def _current_nodes(moment: Moment, since: Changes | None) -> Iterator[NodeRow]:
    bank = moment.bank
    change_of: dict[str, NodeState] = {}
    if since is not None:
        change_of |= dict.fromkeys(since.changed, "changed")
        change_of |= dict.fromkeys((*since.added, *since.separated), "added")
    opponents: dict[str, list[str]] = {}
    for conflict in bank.conflicts.values():
        for a, b in bank.opposed(conflict) if conflict.status != "resolved" else ():
            opponents.setdefault(a, []).append(b)
            opponents.setdefault(b, []).append(a)
    for node in bank.query_graph:
        change = change_of.get(node.id)
        yield NodeRow(
            node=node,
            state=change if change and node.status == "active" else node_state(moment, node),
            since=change,
            records=len(bank.trees.entries(node.id)),
            sources=_sources(moment, node),
            neighbours=bank.query_graph.neighbours(node.id),
            contradicted_by=tuple(opponents.get(node.id, ())),
            used=node.id in moment.used_nodes,
        )


def _removed_nodes(earlier: Moment, since: Changes) -> Iterator[NodeRow]:
    bank = earlier.bank
    for node_id in (*since.merged, *since.dissolved):
        node, became = bank.query_graph[node_id], since.merged.get(node_id)
        records = len(bank.trees.entries(node_id))
        neighbours = () if became is None else (became,)
        yield NodeRow(node, "merged", None, records, _sources(earlier, node), neighbours, became=became)


def _sources(moment: Moment, node: Node) -> frozenset[str]:
    entries = moment.bank.trees.entries(node.id)
    return frozenset(str(entry.metadata["source"]) for entry in entries if entry.metadata.get("source"))


def _graph(scene: Scene, visible: Visible) -> tuple[dict[str, GraphNode], dict[str, GraphEdge]]:
    """The visible nodes, and the edges between them, as the graph component takes them."""
    nodes = {
        node_id: GraphNode(
            id=node_id,
            topic=shown.node.context,
            state=shown.state,
            records=shown.records,
            at=scene.positions[node_id],
            made_of=scene.made_of.get(node_id, ()),
            used=shown.used,
            since=shown.since,
            faint=visible.matches is not None and node_id not in visible.matches,
        )
        for node_id, shown in scene.nodes.items()
        if visible.nodes is None or node_id in visible.nodes
    }
    edges = {}
    for edge in scene.edges:
        a, b = (nodes.get(end) for end in edge.ends)
        if a is not None and b is not None:
            edges[edge_id(edge)] = replace(edge, faint=True) if a.faint or b.faint else edge
    return nodes, edges


def draw_graph(view: ViewState, *, height: str, key: str, visible: Visible = EVERYTHING) -> None:
    """Draw the graph of the moment shown, with its legend. `height` is a CSS length."""
    scene = current_scene(view)
    cache_key, cached = (scene.cache_key, visible), st.session_state.get(f"{key} drawn")
    if cached is None or cached[0] != cache_key:  # most redraws change nothing
        cached = st.session_state[f"{key} drawn"] = (cache_key, _graph(scene, visible))
    nodes, edges = cached[1]
    graph = query_graph.Graph(
        nodes,
        edges,
        subject=(view.session_id, language()),
        selected=view.selected,
        height=height,
        empty=say("No matching nodes.") if scene.nodes else say("Nodes appear here as documents are read."),
    )
    draw_query_graph(graph, key=key, on_open_node=lambda node_id: open_node(view, node_id))
    query_graph.draw_legend(comparing=view.earlier is not None)


def rows(view: ViewState, visible: Visible = EVERYTHING) -> list[NodeRow]:
    """The rows of the node table: the visible nodes that match."""
    return [
        shown
        for node_id, shown in current_scene(view).nodes.items()
        if (visible.nodes is None or node_id in visible.nodes)
        and (visible.matches is None or node_id in visible.matches)
    ]
