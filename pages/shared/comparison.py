"""Compare the moment shown with an earlier one: the choice of the earlier moment, and the differences."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components import changes as change_list
from components.changes import ChangedNode, MemoryDiff
from components.language import recorded, say
from memory_bank.views.changes import compare_moments
from memory_bank.views.snapshot import Moment
from pages.shared.conflict_view import open_conflict
from pages.shared.field import field_state
from pages.shared.frame import open_node
from pages.shared.page_paths import QUERY_GRAPH_PAGE
from pages.shared.tab_state import ViewState

_NOTHING: Literal["nothing"] = "nothing"
"""Stands for None in the select box, which treats None as no selection."""


def draw_comparison(view: ViewState, *, key: str = "compare", page: str | None = QUERY_GRAPH_PAGE) -> None:
    """Draw the choice of the earlier moment and, if one is chosen, the differences.

    Pressing a node opens it on `page`; None: on the current page.
    """
    draw_moment_choice(view, key=key)
    earlier = view.earlier
    if earlier is not None:
        change_list.draw(
            memory_diff(earlier, view.moment),
            key=f"{key}-list",
            on_open_node=lambda node_id: open_node(view, node_id, page),
            on_open_conflict=lambda conflict_id: open_conflict(view, conflict_id),
        )


def draw_moment_choice(view: ViewState, *, key: str) -> None:
    """Draw the choice of the moment to compare with, and a button to stop comparing."""
    labels = moment_choices(view)

    def choose(chosen: int | Literal["step", "nothing"]) -> None:
        view.compared_to = None if chosen == _NOTHING else chosen

    def stop() -> None:
        view.compared_to = None

    field, on_change = field_state(key, _NOTHING if view.compared_to is None else view.compared_to, choose)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}-row"):
        st.selectbox(
            say("Compare with an earlier moment"),
            list(labels),
            format_func=lambda moment: labels[moment],
            key=field,
            on_change=on_change,
            width=420,
        )
        if view.compared_to is not None:
            st.button(say("Stop comparing"), key=f"{key}-stop", on_click=stop)


def moment_choices(view: ViewState) -> dict[int | str, str]:
    """The moments to compare with and their labels: the ends of the tasks before the moment shown, newest first."""
    choices: dict[int | str, str] = {_NOTHING: say("Not compared"), "step": say("The moment before this step")}
    for task in reversed(view.tasks()):
        if task.state != "current" and task.last < view.seq:
            choices[task.last] = say("After task {n}: {task}", n=task.number, task=recorded(task.description))
    choices[0] = say("The start, when the memory was empty")
    if isinstance(view.compared_to, int) and view.compared_to not in choices:
        choices[view.compared_to] = say("Event {number}", number=f"{view.compared_to:,}")
    return choices


def memory_diff(earlier: Moment, later: Moment) -> MemoryDiff:
    """The differences between two moments of a session, as the component draws them."""
    diff, before, after = compare_moments(earlier, later), earlier.bank, later.bank
    parts: dict[str, list[str]] = {}  # by merged node: the nodes it was made of
    for node_id, became in diff.merged.items():
        parts.setdefault(became, []).append(node_id)
    return MemoryDiff(
        added=[after.query_graph[node_id] for node_id in diff.added],
        merged=[
            (tuple(before.query_graph[part] for part in gone), after.query_graph[node_id])
            for node_id, gone in parts.items()
        ],
        changed=[_changed(earlier, later, node_id) for node_id in diff.changed],
        separated=[after.query_graph[node_id] for node_id in diff.separated],
        dissolved=[before.query_graph[node_id] for node_id in diff.dissolved],
        opened=[after.conflicts[conflict_id] for conflict_id in diff.conflicts_opened],
        settled=[after.conflicts[conflict_id] for conflict_id in diff.conflicts_settled],
        tasks=diff.tasks,
        edges_added=diff.edges_added,
        edges_removed=diff.edges_removed,
        answer=_answer_change(earlier, later) if diff.answer_changed else "",
    )


def _changed(earlier: Moment, later: Moment, node_id: str) -> ChangedNode:
    before, after = earlier.bank, later.bank
    return ChangedNode(
        before.query_graph[node_id],
        after.query_graph[node_id],
        len(before.trees.entries(node_id)),
        len(after.trees.entries(node_id)),
    )


def _answer_change(earlier: Moment, later: Moment) -> str:
    if earlier.bank.answer is None:
        return say("the answer was given")
    return say("the answer was removed") if later.bank.answer is None else say("the answer changed")
