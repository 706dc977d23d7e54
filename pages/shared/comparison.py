"""Compare the moment shown with an earlier one: the choice of the earlier moment, and the differences."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components.changes import draw_changes
from components.language import recorded, say
from pages.shared.conflict_view import open_link
from pages.shared.page_paths import QUERY_GRAPH_PAGE
from pages.shared.tab_state import ViewState, field_state

_NOTHING: Literal["nothing"] = "nothing"
"""Stands for None in the select box, which treats None as no selection."""


def draw_comparison(view: ViewState, *, key: str = "compare", page: str | None = QUERY_GRAPH_PAGE) -> None:
    """Draw the choice of the earlier moment, such as the end of a task, and, if one is chosen, the differences.

    Pressing a node opens it on `page`; None: on the current page.
    """
    labels: dict[int | str, str] = {_NOTHING: say("Not compared"), "step": say("The moment before this step")}
    for task in reversed(view.tasks()):
        if task.state != "current" and task.last < view.seq:
            labels[task.last] = say("After task {n}: {task}", n=task.number, task=recorded(task.description))
    labels[0] = say("The start, when the memory was empty")
    if isinstance(view.compared_to, int):
        labels.setdefault(view.compared_to, say("Event {number}", number=f"{view.compared_to:,}"))

    def choose(chosen: int | Literal["step", "nothing"]) -> None:
        view.compared_to = None if chosen == _NOTHING else chosen

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
            stop = (view, "compared_to", None)
            st.button(say("Stop comparing"), key=f"{key}-stop", on_click=setattr, args=stop)
    if (earlier := view.earlier) is not None:
        draw_changes(earlier, view.moment, key=f"{key}-list", on_open=lambda link: open_link(view, link, page))
