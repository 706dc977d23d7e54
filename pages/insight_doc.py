"""The Insight Doc page: the tasks with what each did, and how the memory changed between two moments."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components import insight_doc, pager
from components.insight_doc import CURRENT_THEN, NEXT, STATES
from components.language import say
from components.look import SessionState, StateStyle, draw_text, escape, heading
from components.turns import draw_turns
from memory_bank.views.readable import read_tasks
from memory_bank.views.timeline import Task
from pages.shared.comparison import draw_comparison
from pages.shared.conflict_view import open_link
from pages.shared.frame import draw_status, draw_time, session_page
from pages.shared.tab_state import ViewState

_PAGE_SIZE = 50  # tasks


def draw_insight_doc_page(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    draw_time(view)
    draw_comparison(view)
    tasks = view.tasks(datetime.now(UTC) if state == "running" else None)
    heading(say("Insight Doc"), insight_doc.summarise_tasks(tasks))
    goal = escape(view.moment.bank.insight_doc.task_goal)
    st.html(f'<div class="mb-where">{escape(say("Goal"))}</div><div class="mb-text">{goal}</div>')
    if not tasks:
        insight_doc.draw_no_tasks()
        return
    shown = pager.page_of(tasks, _PAGE_SIZE, key="tasks-part", newest=True)
    for task in read_tasks(view.moment.bank, shown):
        style = STATES[task.state]
        if task.state == "current" and (view.at is not None or state != "running"):
            style = NEXT if view.at is None else CURRENT_THEN
        with st.container(key=f"taskrow-{task.number}", gap="xsmall"):
            draw_task(view, task, style)


def draw_task(view: ViewState, task: Task, style: StateStyle) -> None:
    """Draw a task, with a button to its moment, and its details in an expander."""
    row, button = st.columns([8, 1], vertical_alignment="top")
    with row:
        insight_doc.draw_task_row(task, view.live.events[0].at, style)
    if task.state != "current":
        button.button(
            say("Show this moment"),
            key=f"task-{task.number}-show",
            disabled=task.last == view.seq,
            type="tertiary",
            on_click=view.move,
            args=(task.last,),
        )
    label = say("What it received, did and changed in memory")
    with st.expander(label, type="compact", key=f"task-{task.number}-fold", on_change="rerun") as fold:
        if not fold.open:
            return
        key, open_pressed = f"task-{task.number}", partial(open_link, view)
        insight_doc.draw_given_memory(task.work, view.moment_at(task.given_at or task.after).bank, key, open_pressed)
        if task_turns := view.moment.bank.turns.get(task.id, []) if task.id else []:
            draw_text(say("What it did"), "mb-part")
            draw_turns(task_turns, key=f"{key}-turns")
        insight_doc.draw_effects(task.work, view.moment_at(task.last).bank, key, open_pressed)


session_page(draw_insight_doc_page)
