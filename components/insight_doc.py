"""The Insight Doc: what was done, how it ended, what it found, and what is being done now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from components import linked_text
from components.language import later, recorded, say, say_n
from components.linked_text import Block, Segment
from components.look import BLUE, GREEN, VERMILION, Look, duration, escape, mark, money
from memory_bank.bank.conflict import Conflict, DecidedBy
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, InsightDoc
from memory_bank.timeline import Task, TaskState

STATES: dict[TaskState, Look] = {
    "success": Look(later("done"), "✓", GREEN),
    "failed": Look(later("failed"), "✕", VERMILION),
    "current": Look(later("being done now"), "●", BLUE),
}
NEXT, THEN = Look(later("next"), "○", BLUE), Look(later("current at this moment"), "●", BLUE)
"""The current task while nobody is at work, and that of a past moment."""


@dataclass(frozen=True)
class Row:
    """A task of the timeline, when its session began, and how it stands."""

    task: Task
    began: datetime
    look: Look


def draw(doc: InsightDoc, *, working: bool) -> None:
    """Draw the timeline in short, oldest first. `working` tells whether the current task is being done."""
    items = [_completed(task) for task in doc.completed_tasks]
    if doc.current_task is not None:
        items.append(_current(doc.current_task, working=working))
    if not items:
        draw_empty()
        return
    st.html(
        f'<ol class="mb-list mb-timeline" tabindex="0" aria-label="{escape(say("Tasks"))}">{"".join(items)}</ol>',
    )


def draw_empty() -> None:
    """Nothing is done yet."""
    st.html(f'<div class="mb-empty">{escape(say("Nothing is done yet. Each finished task appears here."))}</div>')


def _completed(task: CompletedTask) -> str:
    look = STATES[task.status]
    context = f"<small>{escape(recorded(task.context))}</small>" if task.context else ""
    failed = "" if task.status == "success" else f"<b>{escape(look.word)}</b> · "
    return f"<li>{_shape(look)}{failed}{escape(recorded(task.description))}{context}</li>"


def _current(task: CurrentTask, *, working: bool) -> str:
    look = STATES["current"] if working else NEXT
    said = escape(recorded(task.description))
    return f'<li class="mb-now">{mark(look)}{said}<small>{escape(look.word)}</small></li>'


def _shape(look: Look) -> str:
    """A shape that no word stands beside."""
    word = escape(look.word)
    return f'<span class="mb-glyph" style="color:{look.colour}" role="img" aria-label="{word}">{look.glyph}</span>'


# -- the timeline in full


def draw_row(row: Row) -> None:
    """Draw a task: what it was, how it ended, what it found, and beside that what it took."""
    task, look = row.task, row.look
    context = f"<p>{escape(recorded(task.context))}</p>" if task.context else ""
    st.html(
        f'<div class="mb-doc{" mb-now" if task.state == "current" else ""}">'
        f'<div class="mb-number">{task.number}</div>'
        f'<div class="mb-said"><h3>{escape(recorded(task.description))}</h3>'
        f'<div class="mb-where">{mark(look)}{escape(look.word)} · {escape(_kind(task))} · {_when(row)}</div>'
        f"{context}</div>{_figures(task)}</div>"
    )


def _kind(task: Task) -> str:
    """What kind of task it is, with the name that the log has for it."""
    if task.source_id is not None:
        return say("reading {source}", source=task.source_id)
    if task.type == "CROSS_VALIDATE":
        return say("verification {task}", task=task.id)
    return say("step {task}", task=task.id or task.number)


def _when(row: Row) -> str:
    """From when to when, counted from the session's beginning; the clock's time for whoever points at it."""
    ends = [row.task.began] + ([row.task.ended] if row.task.ended else [])
    times = [
        f'<time datetime="{end.isoformat()}" title="{end.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC">'
        f"{duration((end - row.began).total_seconds())}</time>"
        for end in ends
    ]
    return "–".join(times) if row.task.ended else f"{times[0]}–"


def _figures(task: Task) -> str:
    """What a task took, as a list of figures that stand in line from task to task."""
    usage = task.work.usage
    figures = (
        (say("at work"), _seconds(task.seconds)),
        (say("requests"), f"{usage.calls:,}"),
        (say("tokens"), f"{usage.tokens:,}"),
        (say("cost"), money(usage.cost_usd)),
    )
    return (
        '<dl class="mb-figures">'
        + "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>" for name, figure in figures)
        + "</dl>"
    )


def _seconds(seconds: float) -> str:
    """Short times with what tells them apart."""
    return say("{seconds} s", seconds=f"{seconds:.1f}") if seconds < 60 else duration(seconds)


def summary(tasks: Sequence[Task]) -> str:
    """How many tasks there are, and how many failed."""
    failed = sum(task.state == "failed" for task in tasks)
    said = say_n("{n} task", "{n} tasks", len(tasks))
    return f"{said}, {say_n('{n} failed', '{n} failed', failed)}" if failed else said


# -- what is folded into a task


@dataclass(frozen=True)
class Named:
    """A node with its topic, and the node that it has become if it lives no more."""

    id: str
    topic: str
    became: str | None = None


@dataclass(frozen=True)
class Left:
    """What a task left in memory; of each merge the parts and the result, of each settled conflict who decided."""

    nodes: Sequence[Named] = ()
    merged: Sequence[tuple[tuple[str, ...], Named]] = ()
    dissolved: Sequence[str] = ()
    edges: int = 0
    opened: Sequence[Conflict] = ()
    reopened: Sequence[Conflict] = ()
    settled: Sequence[tuple[Conflict, DecidedBy]] = ()


def draw_title(text: str) -> None:
    """The title of a part of what is folded."""
    st.html(f'<div class="mb-part">{escape(text)}</div>')


def draw_given(given: Sequence[Named], left_out: int, *, key: str, on_open: Callable[[str], None]) -> None:
    """Draw what memory a task was given. Pressing a node brings `node:n4`."""
    draw_title(say("What it was given"))
    if not given:
        _draw_words(say("Nothing of the memory."))
        return
    linked_text.draw([_node(node) for node in given], key=f"{key}-given", pressed=None, on_press=on_open)
    if left_out:
        _draw_words(say_n("{n} node more did not fit.", "{n} nodes more did not fit.", left_out))


def draw_left(left: Left, *, key: str, on_open: Callable[[str], None]) -> None:
    """Draw what a task left in memory. Pressing brings `node:n4` or `conflict:x1`."""
    draw_title(say("What it left in memory"))
    blocks = [*(_node(node) for node in left.nodes), *_merges(left), *_conflicts(left)]
    if left.edges:
        said = say_n("{n} new relation between nodes", "{n} new relations between nodes", left.edges)
        blocks.append(Block((Segment(said),), kind="item"))
    if blocks:
        linked_text.draw(blocks, key=f"{key}-left", pressed=None, on_press=on_open)
    else:
        _draw_words(say("Nothing new."))


def _draw_words(words: str) -> None:
    st.html(f'<div class="mb-quiet">{escape(words)}</div>')


def _way(node_id: str) -> Segment:
    return Segment(node_id, link=f"node:{node_id}", label=say("Open node {node}", node=node_id))


def _node(node: Named) -> Block:
    if node.became is None:
        return Block((_way(node.id), Segment(f" {node.topic}")), kind="item")
    now = (Segment(f"{node.id} → "), _way(node.became), Segment(f" {node.topic}"))
    return Block(now, kind="item")


def _merges(left: Left) -> Iterator[Block]:
    for parts, node in left.merged:
        became = Segment(say("{nodes} became", nodes=", ".join(parts)))
        yield Block((became, Segment(" "), *_node(node).segments), kind="item")
    for node_id in left.dissolved:
        said = say("The merge that made {node} was taken back", node=node_id)
        yield Block((Segment(said),), kind="item")


def _conflicts(left: Left) -> Iterator[Block]:
    for conflict in left.opened:
        yield _conflict(conflict, say("opened"))
    for conflict in left.reopened:
        yield _conflict(conflict, say("opened again"))
    for conflict, who in left.settled:
        yield _conflict(conflict, say("settled by a person") if who == "person" else say("settled"))


def _conflict(conflict: Conflict, how: str) -> Block:
    label = say("Open conflict {conflict}", conflict=conflict.id)
    way = Segment(conflict.id, link=f"conflict:{conflict.id}", label=label)
    return Block((way, Segment(f" {how}: {recorded(conflict.description)}")), kind="item")
