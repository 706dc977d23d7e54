"""The nodes of the Query Graph as a table, for whoever cannot see the drawing or would rather read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components import pager
from components.language import say
from components.look import NodeState
from components.query_graph import state_words
from memory_bank.bank.query_graph import Node

PAGE = 25
"""Lines of a page: what is sent at a redraw must not grow with the session."""


@dataclass(frozen=True)
class NodeRow:
    """A line of the table. `against` are the nodes that contradict it, `since` is as in `GraphNode`."""

    node: Node
    state: NodeState
    entries: int
    neighbours: tuple[str, ...]
    against: tuple[str, ...] = ()
    since: NodeState | None = None
    used: bool = False

    @property
    def words(self) -> str:
        """All that the drawing says of the node by its look."""
        said = state_words(self.state, self.since)
        return say("{state}, read by this step", state=said) if self.used else said


def draw(rows: Sequence[NodeRow], *, key: str, on_open_node: Callable[[str], None]) -> None:
    """Draw the table, in pages. Choosing a line opens its node."""
    if not rows:
        st.html(f'<div class="mb-empty">{say("No node yet.")}</div>')
        return

    def lines(page: int) -> str:
        first, last = (page - 1) * PAGE + 1, min(page * PAGE, len(rows))
        return say("{first} to {last} of {all}", first=first, last=last, all=f"{len(rows):,}")

    page = pager.draw(-(-len(rows) // PAGE), lines, key=f"{key}-page")
    shown = rows[(page - 1) * PAGE : page * PAGE]

    def tell() -> None:
        chosen = st.session_state[f"{key}-{page}"].selection.rows
        if chosen and chosen[0] < len(shown):
            on_open_node(shown[chosen[0]].node.id)

    st.dataframe(
        {
            say("Node"): [row.node.id for row in shown],
            say("Topic"): [row.node.context for row in shown],
            say("State"): [row.words for row in shown],
            say("Claims"): [len(row.node.claims) for row in shown],
            say("Records"): [row.entries for row in shown],
            say("Related to"): [", ".join(row.neighbours) for row in shown],
            say("Contradicted by"): [", ".join(row.against) for row in shown],
        },
        key=f"{key}-{page}",
        hide_index=True,
        on_select=tell,
        selection_mode="single-row",
        alt=say("Nodes of the Query Graph with state, claims, records and related nodes"),
    )
