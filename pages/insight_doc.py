"""The Insight Doc page: what was done, task by task, and how the memory changed between two moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from math import ceil

import streamlit as st

from components import insight_doc, pager, turns
from components.insight_doc import NEXT, STATES, THEN, Left, Named, Row
from components.language import say
from components.look import Look, SessionState, escape, heading
from memory_bank.moment import Moment
from memory_bank.timeline import Task
from pages._comparing import GRAPH, draw_comparing
from pages._conflict import open_conflict
from pages._frame import draw_status, draw_time, open_node, session_page
from pages._visitor import Looking

_TASKS = 50  # shown at a time


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    draw_status(look, state)
    draw_time(look)
    draw_comparing(look)
    tasks = look.tasks(datetime.now(UTC) if state == "running" else None)
    heading(say("Insight Doc"), insight_doc.summary(tasks))
    draw_goal(look)
    if not tasks:
        insight_doc.draw_empty()
        return
    for task in part(tasks):
        with st.container(key=f"taskrow-{task.number}", gap="xsmall"):
            draw_task(look, task, how(look, task, state))


def draw_goal(look: Looking) -> None:
    """What the person asked for."""
    goal = escape(look.moment.bank.insight_doc.task_goal)
    st.html(f'<div class="mb-where">{escape(say("Goal"))}</div><div class="mb-text">{goal}</div>')


def part(tasks: Sequence[Task]) -> Sequence[Task]:
    """The part of a long timeline that is shown, at first the newest."""
    last = ceil(len(tasks) / _TASKS)

    def words(number: int) -> str:
        end = min(number * _TASKS, len(tasks))
        return say("Tasks {first} to {end} of {all}", first=(number - 1) * _TASKS + 1, end=end, all=len(tasks))

    number = pager.draw(last, words, key="tasks-part", first=last)
    return tasks[(number - 1) * _TASKS : number * _TASKS]


def how(look: Looking, task: Task, state: SessionState) -> Look:
    """How a task stands: one that is not ended is at work, waits, or was current at the past moment that is shown."""
    if task.state != "current" or (look.at is None and state == "running"):
        return STATES[task.state]
    return NEXT if look.at is None else THEN


def draw_task(look: Looking, task: Task, stands: Look) -> None:
    """A task, with the way to its moment, and folded all that is known of it."""
    row, way = st.columns([8, 1], vertical_alignment="top")
    with row:
        insight_doc.draw_row(Row(task, look.live.events[0].at, stands))
    if task.state != "current":
        way.button(
            say("Show this moment"),
            key=f"task-{task.number}-show",
            disabled=task.last == look.here,
            type="tertiary",
            on_click=look.move,
            args=(task.last,),
        )
    label = say("What it was given, did, and left in memory")
    with st.expander(label, type="compact", key=f"task-{task.number}-fold", on_change="rerun") as fold:
        if fold.open:
            draw_inside(look, task)


def draw_inside(look: Looking, task: Task) -> None:
    """What a task was given, what its agent did, and what it left in memory."""
    key, work = f"task-{task.number}", task.work
    given = topics(look.moment_at(task.given_at or task.after), work.given)
    insight_doc.draw_given(given, len(work.left_out), key=key, on_open=opener(look))
    said = look.moment.bank.turns.get(task.id, []) if task.id else []
    if said:
        insight_doc.draw_title(say("What it did"))
        turns.draw(said, key=f"{key}-turns")
    insight_doc.draw_left(left(look, task), key=key, on_open=opener(look))


def left(look: Looking, task: Task) -> Left:
    """What a task changed in the memory, as it stood when the task ended."""
    moment, work = look.moment_at(task.last), task.work
    conflicts = moment.bank.conflicts
    return Left(
        nodes=topics(moment, (node_id for node_id in work.made if node_id not in work.merged)),
        merged=[(parts, topic(moment, node_id)) for node_id, parts in work.merged.items()],
        dissolved=work.dissolved,
        edges=work.edges,
        opened=[conflicts[conflict_id] for conflict_id in work.opened],
        reopened=[conflicts[conflict_id] for conflict_id in work.reopened],
        settled=[(conflicts[conflict_id], who) for conflict_id, who in work.settled.items()],
    )


def topics(moment: Moment, node_ids: Iterable[str]) -> list[Named]:
    """Nodes by their topics."""
    return [topic(moment, node_id) for node_id in node_ids]


def topic(moment: Moment, node_id: str) -> Named:
    """A node by its topic; one that is merged, by that of the node it has become."""
    living = moment.bank.living(node_id)
    node = moment.bank.query_graph.get(living)
    return Named(node_id, "" if node is None else node.context, None if living == node_id else living)


def opener(look: Looking) -> Callable[[str], None]:
    """Opens what a link names, on its page: `node:n4`, `conflict:x1`."""

    def open_it(link: str) -> None:
        kind, _, found = link.partition(":")
        if kind == "node":
            open_node(look, found, GRAPH)
        else:
            open_conflict(look, found)

    return open_it


session_page(draw)
