"""Draw the Insight Doc: finished tasks with their outcome, the current task, and each task's effects on memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st

from components.language import mark_for_translation, recorded, say, say_n
from components.linked_text import Block, Segment, conflict_link, draw_linked_text, item, node_link
from components.look import BLUE, GREEN, VERMILION, StateStyle, draw_note, draw_text, duration, escape, mark, money
from memory_bank.bank.bank import Bank
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.views.readable import read_conflict, read_node
from memory_bank.views.timeline import Task, TaskEffects, TaskState

STATES: dict[TaskState, StateStyle] = {
    "success": StateStyle(mark_for_translation("done"), "✓", GREEN),
    "failed": StateStyle(mark_for_translation("failed"), "✕", VERMILION),
    "current": StateStyle(mark_for_translation("in progress"), "●", BLUE),
}
NEXT = StateStyle(mark_for_translation("next"), "○", BLUE)
"""The current task of a session that is not running."""
CURRENT_THEN = StateStyle(mark_for_translation("in progress at this moment"), "●", BLUE)
"""The current task of a past moment."""


def draw_timeline(doc: InsightDoc, *, working: bool) -> None:
    """Draw the timeline in short form, oldest first. `working` says whether the session is running."""
    items = [_completed(task) for task in doc.completed_tasks]
    if doc.current_task is not None:
        style = STATES["current"] if working else NEXT
        text = escape(recorded(doc.current_task.description))
        items.append(f'<li class="mb-now">{mark(style)}{text}<small>{escape(style.word)}</small></li>')
    if not items:
        draw_no_tasks()
        return
    st.html(
        f'<ol class="mb-list mb-timeline" tabindex="0" aria-label="{escape(say("Tasks"))}">{"".join(items)}</ol>',
    )


def draw_no_tasks() -> None:
    """Say that no task is done yet."""
    draw_note(say("Nothing is done yet. Each finished task appears here."))


def _completed(task: CompletedTask) -> str:
    style = STATES[task.status]
    context = f"<small>{escape(recorded(task.context))}</small>" if task.context else ""
    word = escape(style.word)
    failed = "" if task.status == "success" else f"<b>{word}</b> · "
    # the word is for screen readers, as none is next to the shape
    shape = f'<span class="mb-glyph" style="color:{style.colour}" role="img" aria-label="{word}">{style.glyph}</span>'
    return f"<li>{shape}{failed}{escape(recorded(task.description))}{context}</li>"


# -- the timeline in full


def draw_task_row(task: Task, began: datetime, style: StateStyle) -> None:
    """Draw a task: its description, state and outcome, and next to them its time, requests, tokens and cost.

    `began` is the start of the session.
    """
    context = f"<p>{escape(recorded(task.context))}</p>" if task.context else ""
    st.html(
        f'<div class="mb-doc{" mb-now" if task.state == "current" else ""}">'
        f'<div class="mb-number">{task.number}</div>'
        f'<div class="mb-said"><h3>{escape(recorded(task.description))}</h3>'
        f'<div class="mb-where">{mark(style)}{escape(style.word)} · {escape(_kind(task))} · {_times(task, began)}</div>'
        f"{context}</div>{_figures(task)}</div>"
    )


def _kind(task: Task) -> str:
    """The kind of task, with its id in the log."""
    if task.source_id is not None:
        return say("reading {source}", source=task.source_id)
    if task.type == "CROSS_VALIDATE":
        return say("verification {task}", task=task.id)
    return say("step {task}", task=task.id or task.number)


def _times(task: Task, began: datetime) -> str:
    """Start and end of a task, counted from the start of the session; the clock time is in the tooltip."""
    moments = [task.began] + ([task.ended] if task.ended else [])
    times = [
        f'<time datetime="{moment.isoformat()}" title="{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC">'
        f"{duration((moment - began).total_seconds())}</time>"
        for moment in moments
    ]
    return "–".join(times) if task.ended else f"{times[0]}–"


def _figures(task: Task) -> str:
    """A task's time, and of one that asked a model requests, tokens and cost, aligned from row to row."""
    usage = task.work.usage
    time = say("{seconds} s", seconds=f"{task.seconds:.1f}") if task.seconds < 60 else duration(task.seconds)
    figures = [(say("working time"), time)]
    if usage.calls:
        figures += [
            (say("requests"), f"{usage.calls:,}"),
            (say("tokens"), f"{usage.tokens:,}"),
            (say("cost"), money(usage.cost_usd)),
        ]
    return (
        '<dl class="mb-figures">'
        + "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>" for name, figure in figures)
        + "</dl>"
    )


def summarise_tasks(tasks: Sequence[Task]) -> str:
    """The number of tasks, and of those that failed."""
    failed = sum(task.state == "failed" for task in tasks)
    total = say_n("{n} task", "{n} tasks", len(tasks))
    return f"{total}, {say_n('{n} failed', '{n} failed', failed)}" if failed else total


# -- the details of a task


def draw_given_memory(work: TaskEffects, bank: Bank, key: str, on_open: Callable[[str], None]) -> None:
    """Draw the nodes in a task's prompt, from the bank at that time. Pressing a node sends `node:n4`."""
    draw_text(say("What it was given"), "mb-part")
    if not work.given:
        draw_text(say("Nothing from memory."), "mb-quiet")
        return
    draw_linked_text([_node(bank, node) for node in work.given], key=f"{key}-given", pressed=None, on_press=on_open)
    if work.left_out:
        draw_text(say_n("{n} more node did not fit.", "{n} more nodes did not fit.", len(work.left_out)), "mb-quiet")


def draw_effects(work: TaskEffects, bank: Bank, key: str, on_open: Callable[[str], None]) -> None:
    """Draw what a task changed in memory, from the bank at its end. Pressing sends `node:n4` or `conflict:x1`."""
    draw_text(say("What it left in memory"), "mb-part")
    blocks = [_node(bank, node_id) for node_id in work.made if node_id not in work.merged]
    for node_id, parts in work.merged.items():
        became = Segment(say("{nodes} became", nodes=", ".join(parts)))
        blocks.append(item(became, Segment(" "), *_node(bank, node_id).segments))
    dissolved = (say("The merge that made {node} was taken back", node=node_id) for node_id in work.dissolved)
    blocks += [item(Segment(text)) for text in dissolved]
    changes = [(id_, say("opened")) for id_ in work.opened] + [(id_, say("opened again")) for id_ in work.reopened]
    for id_, decided_by in work.settled.items():
        changes.append((id_, say("settled by a person") if decided_by == "person" else say("settled")))
    for id_, change in changes:
        told = recorded(read_conflict(bank, bank.conflicts[id_]).description)
        blocks.append(item(conflict_link(id_), Segment(f" {change}: {told}")))
    if work.edges:
        relations = say_n("{n} new relation between nodes", "{n} new relations between nodes", work.edges)
        blocks.append(item(Segment(relations)))
    if blocks:
        draw_linked_text(blocks, key=f"{key}-left", pressed=None, on_press=on_open)
    else:
        draw_text(say("Nothing new."), "mb-quiet")


def _node(bank: Bank, node_id: str) -> Block:
    """A node with its topic. A merged one is named with the node that it became, and gets the topic of that."""
    living = bank.living(node_id)
    node = bank.query_graph.get(living)
    topic = read_node(bank, node).context if node else ""
    before = () if living == node_id else (Segment(f"{node_id} → "),)
    return item(*before, node_link(living), Segment(f" {topic}"))
