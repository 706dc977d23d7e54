"""The nodes of the Query Graph as a table, for whoever cannot see the drawing or would rather read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components.look import NODE_STATES, NodeState
from memory_bank.bank.query_graph import Node


@dataclass(frozen=True)
class NodeRow:
    """A line of the table."""

    node: Node
    state: NodeState
    entries: int
    neighbours: tuple[str, ...]


def draw(rows: Sequence[NodeRow], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the table. Choosing a line opens its node."""
    if not rows:
        st.html('<div class="mb-empty">No node yet.</div>')
        return

    def tell() -> None:
        chosen = st.session_state[key].selection.rows
        if chosen and chosen[0] < len(rows):
            on_open_node(rows[chosen[0]].node.id)

    st.dataframe(
        {
            "Node": [row.node.id for row in rows],
            "Topic": [row.node.context for row in rows],
            "State": [NODE_STATES[row.state].word for row in rows],
            "Claims": [len(row.node.claims) for row in rows],
            "Records": [row.entries for row in rows],
            "Related to": [", ".join(row.neighbours) for row in rows],
        },
        key=key,
        hide_index=True,
        on_select=tell,
        selection_mode="single-row",
        alt="Nodes of the Query Graph with state, claims, records and related nodes",
    )
