"""Draw the status line of a session: its task, state, time, counts and cost."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.language import describe_event, say, say_n
from components.look import SESSION_STATES, SessionState, duration, escape, mark, money
from memory_bank.bank.events import Event


@dataclass(frozen=True)
class Status:
    """The content of the line. `cost_usd` is None if no price is known.

    `last_event` is set while the session runs; `queue_position`, from 1, while it waits for others.
    """

    task: str
    state: SessionState
    seconds: float
    step: int
    nodes: int
    conflicts: int
    calls: int
    tokens: int
    cost_usd: float | None
    last_event: Event | None = None
    queue_position: int | None = None


def draw(status: Status, *, compact: bool) -> None:
    """Draw the line: with the task as the page's heading, or `compact` in one small line with state and time only."""
    style = SESSION_STATES[status.state]
    waiting = "" if status.queue_position is None else f" · {_waiting(status.queue_position)}"
    state = f'<span role="status">{mark(style)}<b>{style.word}</b>{waiting}</span>'
    task = escape(status.task)
    if compact:
        st.html(
            f'<div class="mb-status mb-compact"><span class="mb-task" title="{task}">{task}</span>'
            f'<div class="mb-facts">{state}<span>{duration(status.seconds)}</span></div></div>'
        )
        return
    facts = "".join(f"<span>{fact}</span>" for fact in _facts(status))
    event = f'<div class="mb-doing">{escape(describe_event(status.last_event))}</div>' if status.last_event else ""
    st.html(
        f'<div class="mb-status"><h1 title="{task}">{task}</h1><div class="mb-facts">{state}{facts}</div>{event}</div>'
    )


def _waiting(position: int) -> str:
    return say("waiting for its turn: number {n} in the queue", n=position)


def _facts(status: Status) -> list[str]:
    done = status.state == "finished"
    return [
        duration(status.seconds),
        say_n("{n} step", "{n} steps", status.step) if done else say("step {number}", number=status.step),
        say_n("{n} node", "{n} nodes", status.nodes),
        say_n("{n} conflict", "{n} conflicts", status.conflicts),
        say_n("{n} call", "{n} calls", status.calls),
        say_n("{n} token", "{n} tokens", status.tokens),
        money(status.cost_usd),
    ]
