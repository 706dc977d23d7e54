"""The Insight Doc page: the tasks with what each did, and how the memory changed between two moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from math import ceil

import streamlit as st

from components import insight_doc, pager, turns
from components.insight_doc import CURRENT_THEN, NEXT, STATES, NodeRef, TaskEffects, TaskRow
from components.language import say
from components.look import SessionState, StateStyle, escape, heading
from memory_bank.views.snapshot import Moment
from memory_bank.views.timeline import Task
from pages.shared.comparison import draw_comparison
from pages.shared.conflict_view import open_conflict
from pages.shared.frame import draw_status, draw_time, open_node, session_page
from pages.shared.page_paths import QUERY_GRAPH_PAGE
from pages.shared.tab_state import ViewState

_PAGE_SIZE = 50  # tasks


def draw(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    draw_time(view)
    draw_comparison(view)
    tasks = view.tasks(datetime.now(UTC) if state == "running" else None)
    heading(say("Insight Doc"), insight_doc.summary(tasks))
    draw_goal(view)
    if not tasks:
        insight_doc.draw_empty()
        return
    for task in page_of(tasks):
        with st.container(key=f"taskrow-{task.number}", gap="xsmall"):
            draw_task(view, task, style_of(view, task, state))


def draw_goal(view: ViewState) -> None:
    """Draw the task that the person gave."""
    goal = escape(view.moment.bank.insight_doc.task_goal)
    st.html(f'<div class="mb-where">{escape(say("Goal"))}</div><div class="mb-text">{goal}</div>')


def page_of(tasks: Sequence[Task]) -> Sequence[Task]:
    """Draw the buttons to change the page, and return the tasks of the current page; at first the newest."""
    last = ceil(len(tasks) / _PAGE_SIZE)

    def label(number: int) -> str:
        end = min(number * _PAGE_SIZE, len(tasks))
        return say("Tasks {first} to {end} of {all}", first=(number - 1) * _PAGE_SIZE + 1, end=end, all=len(tasks))

    number = pager.draw(last, label, key="tasks-part", first=last)
    return tasks[(number - 1) * _PAGE_SIZE : number * _PAGE_SIZE]


def style_of(view: ViewState, task: Task, state: SessionState) -> StateStyle:
    """The style for a task's state. An unfinished task is running, is next, or was current at the past moment shown."""
    if task.state != "current" or (view.at is None and state == "running"):
        return STATES[task.state]
    return NEXT if view.at is None else CURRENT_THEN


def draw_task(view: ViewState, task: Task, style: StateStyle) -> None:
    """Draw a task, with a button to its moment, and its details in an expander."""
    row, button = st.columns([8, 1], vertical_alignment="top")
    with row:
        insight_doc.draw_row(TaskRow(task, view.live.events[0].at, style))
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
        if fold.open:
            draw_details(view, task)


def draw_details(view: ViewState, task: Task) -> None:
    """Draw what a task received, what its agent did, and what it changed in memory."""
    key, work = f"task-{task.number}", task.work
    given = node_refs(view.moment_at(task.given_at or task.after), work.given)
    insight_doc.draw_given_memory(given, len(work.left_out), key=key, on_open=opener(view))
    task_turns = view.moment.bank.turns.get(task.id, []) if task.id else []
    if task_turns:
        insight_doc.draw_title(say("What it did"))
        turns.draw(task_turns, key=f"{key}-turns")
    insight_doc.draw_effects(effects_of(view, task), key=key, on_open=opener(view))


def effects_of(view: ViewState, task: Task) -> TaskEffects:
    """What a task changed in memory, as of the end of the task."""
    moment, work = view.moment_at(task.last), task.work
    conflicts = moment.bank.conflicts
    return TaskEffects(
        nodes=node_refs(moment, (node_id for node_id in work.made if node_id not in work.merged)),
        merged=[(parts, node_ref(moment, node_id)) for node_id, parts in work.merged.items()],
        dissolved=work.dissolved,
        edges=work.edges,
        opened=[conflicts[conflict_id] for conflict_id in work.opened],
        reopened=[conflicts[conflict_id] for conflict_id in work.reopened],
        settled=[(conflicts[conflict_id], decided_by) for conflict_id, decided_by in work.settled.items()],
    )


def node_refs(moment: Moment, node_ids: Iterable[str]) -> list[NodeRef]:
    """References to nodes."""
    return [node_ref(moment, node_id) for node_id in node_ids]


def node_ref(moment: Moment, node_id: str) -> NodeRef:
    """A reference to a node with its topic. A merged node gets the topic of the node it became."""
    living = moment.bank.living(node_id)
    node = moment.bank.query_graph.get(living)
    return NodeRef(node_id, "" if node is None else node.context, None if living == node_id else living)


def opener(view: ViewState) -> Callable[[str], None]:
    """A callback that opens a link on its page: `node:n4`, `conflict:x1`."""

    def open_link(link: str) -> None:
        kind, _, target_id = link.partition(":")
        if kind == "node":
            open_node(view, target_id, QUERY_GRAPH_PAGE)
        else:
            open_conflict(view, target_id)

    return open_link


session_page(draw)
