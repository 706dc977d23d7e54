"""The Query Graph page: the memory, drawn live, with search, filter and a table that says the same."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import node_table
from components.language import say, say_n
from components.look import SessionState, heading
from components.node_table import NodeRow
from pages._comparing import draw_comparing
from pages._filter import draw_filter
from pages._frame import draw_status, draw_time, open_node, session_page
from pages._graph import draw_graph, rows, scene
from pages._view import draw_selected
from pages._visitor import Looking


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    draw_status(look, state)
    what = scene(look)
    shown = draw_filter(look, what)
    left, right = st.columns([11, 5], gap="medium")
    with left:
        draw_graph(look, height="clamp(20rem, 62vh, 60rem)", key="graph-large", shown=shown)
        draw_time(look)
    with right:
        draw_selected(look)
    draw_comparing(look, key="compare-large", page=None)
    draw_table(look, rows(look, shown), hidden=bool(what.seen))


def draw_table(look: Looking, found: Sequence[NodeRow], *, hidden: bool) -> None:
    """The nodes that are to be seen; `hidden`: where there is none, others do not fit."""
    heading(say("Nodes as a table"), say_n("{n} node", "{n} nodes", len(found)))
    if hidden and not found:
        st.html(f'<div class="mb-empty">{say("No node fits. Change what is searched above, or show all.")}</div>')
        return
    node_table.draw(found, key="table-large", on_open_node=lambda node_id: open_node(look, node_id))


session_page(draw)
