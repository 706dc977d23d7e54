"""The first line of a session: its task, and where it stands in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.look import SESSION_STATES, SessionState, count, duration, escape, mark, money


@dataclass(frozen=True)
class Status:
    """What the line says. `cost_usd` is None where no price is known; `doing` is what is being done now."""

    task: str
    state: SessionState
    seconds: float
    step: int
    nodes: int
    conflicts: int
    calls: int
    tokens: int
    cost_usd: float | None
    doing: str = ""


def draw(status: Status) -> None:
    """Draw the line."""
    look = SESSION_STATES[status.state]
    facts = [
        duration(status.seconds),
        count(status.step, "step") if status.state == "finished" else f"step {status.step}",
        count(status.nodes, "node"),
        count(status.conflicts, "conflict"),
        count(status.calls, "call"),
        count(status.tokens, "token"),
        money(status.cost_usd),
    ]
    said = "".join(f"<span>{fact}</span>" for fact in facts)
    doing = f'<div class="mb-doing">{escape(status.doing)}</div>' if status.doing else ""
    st.html(
        f'<div class="mb-status"><h1 title="{escape(status.task)}">{escape(status.task)}</h1>'
        f'<div class="mb-facts"><span role="status">{mark(look)}<b>{look.word}</b></span>{said}</div>{doing}</div>'
    )
