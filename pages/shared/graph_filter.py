"""The search and filter fields above the graph. Nodes that do not match are hidden or fade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from components.language import say, say_n
from components.look import NODE_STATES, NodeState, escape
from components.node_table import NodeRow
from components.query_graph import COMPARISON_STATES
from memory_bank.bank.query_graph import Node
from memory_bank.views.snapshot import Moment
from pages.shared.graph_view import Scene, Visible
from pages.shared.tab_state import ViewState, field_state

_FILTER = "graph filter"


@dataclass(frozen=True)
class GraphFilter:
    """The values of the filter fields. Empty values match every node.

    `steps` are the first and last step; `used`: only nodes read by the current step; `changed`: only nodes that changed
    since the moment compared.
    """

    words: str = ""
    states: tuple[NodeState, ...] = ()
    sources: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None
    used: bool = False
    changed: bool = False


def apply_filter(moment: Moment, scene: Scene, graph_filter: GraphFilter) -> Visible:
    """The nodes that match the filter, and among them those that contain all the words."""
    if graph_filter == GraphFilter():
        return Visible()
    tasks = moment.timeline.tasks() if graph_filter.steps else ()
    created_in = {node_id: task.number for task in tasks for node_id in task.work.made}
    nodes = {node_id: node for node_id, node in scene.nodes.items() if _fits(node, graph_filter, created_in)}
    words = graph_filter.words.casefold().split()
    matches = frozenset(
        node_id for node_id, node in nodes.items() if all(word in _searchable_text(node.node) for word in words)
    )
    hides_nodes = graph_filter != GraphFilter(words=graph_filter.words)  # those without the words only fade
    return Visible(frozenset(nodes) if hides_nodes else None, matches if words else None)


def _fits(shown: NodeRow, graph_filter: GraphFilter, created_in: dict[str, int]) -> bool:
    """Whether a node matches all fields but the words."""
    first, last = graph_filter.steps or (0, 0)
    return (
        (not graph_filter.states or shown.state in graph_filter.states or shown.since in graph_filter.states)
        and (not graph_filter.sources or not shown.sources.isdisjoint(graph_filter.sources))
        and (not graph_filter.steps or first <= created_in.get(shown.node.id, 0) <= last)
        and (not graph_filter.used or shown.used)
        and (not graph_filter.changed or shown.since is not None or shown.state == "merged")
    )


def _searchable_text(node: Node) -> str:
    parts = (node.id, node.context, node.summary, *node.keywords, *(claim.text for claim in node.claims))
    return "\n".join(parts).casefold()


def draw_filter(view: ViewState, scene: Scene) -> Visible:
    """Draw the fields and the number of matching nodes. Return what is visible."""
    current = _current_filter(view)
    with st.container(key="graph-filter", gap="xsmall"):
        columns = st.columns([4, 3, 3, 3, 3], vertical_alignment="bottom", gap="small")
        with columns[0]:
            placeholder = say("Words in topics, summaries, keywords, claims")
            key, on_change = _field(view, "words", current.words, str.strip)
            words = st.text_input(say("Search"), key=key, on_change=on_change, placeholder=placeholder)
        with columns[1]:
            states = _draw_states(view, current)
        with columns[2]:
            sources = _draw_sources(view, current, scene)
        with columns[3]:
            steps = _draw_steps(view, current)
        with columns[4], st.container(gap=None):
            key, on_change = _field(view, "used", current.used, bool)
            used, changed = st.checkbox(say("Read by this step"), key=key, on_change=on_change), False
            if view.earlier is not None:
                key, on_change = _field(view, "changed", current.changed, bool)
                changed = st.checkbox(say("Only what changed"), key=key, on_change=on_change)
        graph_filter = GraphFilter(words, states, sources, steps, used=used, changed=changed)
        visible = apply_filter(view.moment, scene, graph_filter)
        number, total = len(scene.nodes if visible.nodes is None else visible.nodes), len(scene.nodes)
        texts = [say_n("{n} of {all} nodes shown", "{n} of {all} nodes shown", number, all=f"{total:,}")]
        if visible.matches is not None:
            texts.append(say_n("{n} matches “{words}”", "{n} match “{words}”", len(visible.matches), words=words))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-count"):
            st.html(f'<span class="mb-quiet" role="status">{escape(", ".join(texts))}</span>', width="content")
            if graph_filter != GraphFilter():
                clear = (view, GraphFilter())
                st.button(say("Show all"), key="filter-clear", type="tertiary", on_click=_set_filter, args=clear)
    return visible


def _current_filter(view: ViewState) -> GraphFilter:
    """The filter of this tab for the session. It survives a visit to another page."""
    session_id, graph_filter = st.session_state.get(_FILTER, (None, GraphFilter()))
    return graph_filter if session_id == view.session_id else GraphFilter()


def _set_filter(view: ViewState, graph_filter: GraphFilter) -> None:
    st.session_state[_FILTER] = (view.session_id, graph_filter)


def _field(view: ViewState, name: str, value: object, convert: Callable[[Any], Any]) -> tuple[str, Callable[[], None]]:
    """The key and `on_change` of the field for one attribute. `convert` turns a choice into its value."""

    def choose(chosen: object) -> None:
        change: dict[str, Any] = {name: convert(chosen)}
        _set_filter(view, replace(_current_filter(view), **change))

    return field_state(f"filter-{name}", value, choose)


# Each field returns the part of its value that applies to the moment shown.


def _draw_states(view: ViewState, current: GraphFilter) -> tuple[NodeState, ...]:
    options = [state for state in NODE_STATES if view.earlier is not None or state not in COMPARISON_STATES]
    key, on_change = _field(view, "states", [state for state in current.states if state in options], tuple)
    chosen = st.multiselect(
        say("State"),
        options,
        key=key,
        on_change=on_change,
        format_func=lambda state: NODE_STATES[state].word,
        placeholder=say("Any"),
    )
    return tuple(chosen)


def _draw_sources(view: ViewState, current: GraphFilter, scene: Scene) -> tuple[str, ...]:
    with_nodes = frozenset[str]().union(*(node.sources for node in scene.nodes.values()))
    sources = view.moment.bank.sources.values()
    options = list(dict.fromkeys(source.name for source in sources if source.name in with_nodes))
    key, on_change = _field(view, "sources", [name for name in current.sources if name in options], tuple)
    return tuple(st.multiselect(say("Source"), options, key=key, on_change=on_change, placeholder=say("Any")))


def _draw_steps(view: ViewState, current: GraphFilter) -> tuple[int, int] | None:
    """The first and last step in which a node was created; None: all steps, later ones too."""
    doc = view.moment.bank.insight_doc
    last = len(doc.completed_tasks) + (doc.current_task is not None)
    if last < 2:
        return None
    low, high = current.steps or (1, last)
    steps = (min(low, last), min(high, last))
    key, on_change = _field(view, "steps", steps, lambda chosen: None if chosen == (1, last) else chosen)
    st.slider(say("Created in steps"), 1, last, key=key, on_change=on_change)
    return None if steps == (1, last) else steps
