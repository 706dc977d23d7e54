"""The moment shown compared with an earlier one: what it is compared with, and what is different."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components import changes as change_list
from components.changes import ChangedNode, Compared
from components.language import recorded, say
from memory_bank.changes import changes
from memory_bank.moment import Moment
from pages._conflict import open_conflict
from pages._field import holding
from pages._frame import open_node
from pages._visitor import Looking

_NOTHING: Literal["nothing"] = "nothing"
"""Stands for None, which a list to choose from takes as: nothing is chosen."""
GRAPH = "pages/query_graph.py"


def draw_comparing(look: Looking, *, key: str = "compare", page: str | None = GRAPH) -> None:
    """Draw the choice and, where two moments are compared, what is different.

    A node that is pressed is opened on `page`; None: on the page that is drawn.
    """
    draw_choice(look, key=key)
    earlier = look.earlier
    if earlier is not None:
        change_list.draw(
            compared(earlier, look.moment),
            key=f"{key}-list",
            on_open_node=lambda node_id: open_node(look, node_id, page),
            on_open_conflict=lambda conflict_id: open_conflict(look, conflict_id),
        )


def draw_choice(look: Looking, *, key: str) -> None:
    """What to compare with, and the way to stop."""
    words = choices(look)

    def choose(chosen: int | Literal["step", "nothing"]) -> None:
        look.since = None if chosen == _NOTHING else chosen

    def stop() -> None:
        look.since = None

    field, on_change = holding(key, _NOTHING if look.since is None else look.since, choose)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}-row"):
        st.selectbox(
            say("Compare with an earlier moment"),
            list(words),
            format_func=lambda since: words[since],
            key=field,
            on_change=on_change,
            width=420,
        )
        if look.since is not None:
            st.button(say("Stop comparing"), key=f"{key}-stop", on_click=stop)


def choices(look: Looking) -> dict[int | str, str]:
    """The moments that the one shown can be compared with, in words: the ends of the tasks before it, newest first."""
    found: dict[int | str, str] = {_NOTHING: say("Not compared"), "step": say("The moment before this step")}
    for task in reversed(look.tasks()):
        if task.state != "current" and task.last < look.here:
            found[task.last] = say("After task {n}: {task}", n=task.number, task=recorded(task.description))
    found[0] = say("The beginning, when nothing was in memory")
    if isinstance(look.since, int) and look.since not in found:
        found[look.since] = say("Event {number}", number=f"{look.since:,}")
    return found


def compared(earlier: Moment, later: Moment) -> Compared:
    """Two moments of a session, as their differences are drawn."""
    found, before, after = changes(earlier, later), earlier.bank, later.bank
    parts: dict[str, list[str]] = {}
    for node_id, became in found.merged.items():
        parts.setdefault(became, []).append(node_id)
    return Compared(
        added=[after.query_graph[node_id] for node_id in found.added],
        merged=[
            (tuple(before.query_graph[part] for part in gone), after.query_graph[node_id])
            for node_id, gone in parts.items()
        ],
        changed=[_changed(earlier, later, node_id) for node_id in found.changed],
        separated=[after.query_graph[node_id] for node_id in found.separated],
        dissolved=[before.query_graph[node_id] for node_id in found.dissolved],
        opened=[after.conflicts[conflict_id] for conflict_id in found.conflicts_opened],
        settled=[after.conflicts[conflict_id] for conflict_id in found.conflicts_settled],
        tasks=found.tasks,
        edges_added=found.edges_added,
        edges_removed=found.edges_removed,
        answer=_answer(earlier, later) if found.answer_changed else "",
    )


def _changed(earlier: Moment, later: Moment, node_id: str) -> ChangedNode:
    before, after = earlier.bank, later.bank
    return ChangedNode(
        before.query_graph[node_id],
        after.query_graph[node_id],
        len(before.trees.entries(node_id)),
        len(after.trees.entries(node_id)),
    )


def _answer(earlier: Moment, later: Moment) -> str:
    if earlier.bank.answer is None:
        return say("the answer was given")
    return say("there is no answer any more") if later.bank.answer is None else say("the answer is another")
