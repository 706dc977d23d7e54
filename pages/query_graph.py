"""The Query Graph page: the memory as a live graph and a table, with search, filters and comparison."""

from __future__ import annotations

import streamlit as st

from components.language import say, say_n
from components.look import SessionState, draw_note, heading
from components.node_table import draw_node_table
from pages.shared.comparison import draw_comparison
from pages.shared.frame import draw_status, draw_time, open_node, session_page
from pages.shared.graph_filter import draw_filter
from pages.shared.graph_view import current_scene, draw_graph, rows
from pages.shared.session_view import draw_selected
from pages.shared.tab_state import ViewState


def draw_query_graph_page(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    scene = current_scene(view)
    visible = draw_filter(view, scene)
    left, right = st.columns([11, 5], gap="medium")
    with left:
        draw_graph(view, height="clamp(20rem, 62vh, 60rem)", key="graph-large", visible=visible)
        draw_time(view)
    with right:
        draw_selected(view)
    draw_comparison(view, key="compare-large", page=None)
    matches = rows(view, visible)
    heading(say("Nodes as a table"), say_n("{n} node", "{n} nodes", len(matches)))
    if scene.nodes and not matches:
        draw_note(say("No matching nodes. Change the search above, or show all."))
    else:
        draw_node_table(matches, key="table-large", on_open_node=lambda node_id: open_node(view, node_id))


session_page(draw_query_graph_page)
