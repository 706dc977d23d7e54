"""The first line of a session: its task, and where it stands in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.language import say, say_n, told
from components.look import SESSION_STATES, SessionState, duration, escape, mark, money
from memory_bank.events import Event


@dataclass(frozen=True)
class Status:
    """What the line says. `cost_usd` is None where no price is known; `doing` is what happened last while it runs.

    `place` is its place in the queue, from 1, while it waits for others to give way.
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
    doing: Event | None = None
    place: int | None = None


def draw(status: Status, *, compact: bool) -> None:
    """Draw the line: with the task as the page's heading, or all in one small line."""
    look = SESSION_STATES[status.state]
    waiting = "" if status.place is None else f" · {_waiting(status.place)}"
    state = f'<span role="status">{mark(look)}<b>{look.word}</b>{waiting}</span>'
    task = escape(status.task)
    if compact:
        st.html(
            f'<div class="mb-status mb-compact"><span class="mb-task" title="{task}">{task}</span>'
            f'<div class="mb-facts">{state}<span>{duration(status.seconds)}</span></div></div>'
        )
        return
    facts = "".join(f"<span>{fact}</span>" for fact in _facts(status))
    doing = f'<div class="mb-doing">{escape(told(status.doing))}</div>' if status.doing else ""
    st.html(
        f'<div class="mb-status"><h1 title="{task}">{task}</h1><div class="mb-facts">{state}{facts}</div>{doing}</div>'
    )


def _waiting(place: int) -> str:
    return say("waiting for its turn: number {n} in the queue", n=place)


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
