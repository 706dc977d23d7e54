"""Draw the nodes of the Query Graph as a table, the accessible form of the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components import pager
from components.language import say
from components.look import NodeState, draw_note
from components.query_graph import state_words
from memory_bank.bank.query_graph import Node

PAGE_SIZE = 25
"""Rows of a page: what a redraw sends must not grow with the session."""


@dataclass(frozen=True)
class NodeRow:
    """A node as it is shown. `since` is what happened to it since the moment compared with.

    `records` is how many it has, `sources` their documents; `used` says whether this step read it. `became` is the node
    that a merged one became.
    """

    node: Node
    state: NodeState
    since: NodeState | None
    records: int
    sources: frozenset[str]
    neighbours: tuple[str, ...]
    contradicted_by: tuple[str, ...] = ()
    used: bool = False
    became: str | None = None

    @property
    def state_text(self) -> str:
        """Everything that the drawing shows of the node by shape and colour, in words."""
        text = state_words(self.state, self.since)
        return say("{state}, read by this step", state=text) if self.used else text


def draw_node_table(rows: Sequence[NodeRow], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the table, in pages. Selecting a row opens its node."""
    if not rows:
        draw_note(say("No nodes yet."))
        return
    shown = pager.page_of(rows, PAGE_SIZE, key=f"{key}-page")
    table_key = f"{key}-{shown[0].node.id}"

    def open_selected() -> None:
        selected = st.session_state[table_key].selection.rows
        if selected and selected[0] < len(shown):
            on_open_node(shown[selected[0]].node.id)

    st.dataframe(
        {
            say("Node"): [row.node.id for row in shown],
            say("Topic"): [row.node.context for row in shown],
            say("State"): [row.state_text for row in shown],
            say("Claims"): [len(row.node.claims) for row in shown],
            say("Records"): [row.records for row in shown],
            say("Related to"): [", ".join(row.neighbours) for row in shown],
            say("Contradicted by"): [", ".join(row.contradicted_by) for row in shown],
        },
        key=table_key,
        hide_index=True,
        on_select=open_selected,
        selection_mode="single-row",
        alt=say("Nodes of the Query Graph with state, claims, records and related nodes"),
    )
