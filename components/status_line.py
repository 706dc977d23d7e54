"""Draw the status line of a session: its task, state, time, counts and cost."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.language import describe_event, say, say_n
from components.look import SESSION_STATES, SessionState, duration, escape, mark, money
from memory_bank.bank.bank import Bank
from memory_bank.views.snapshot import Moment


def draw_status_line(moment: Moment, state: SessionState, *, queue_position: int | None, compact: bool) -> None:
    """Draw the line: with the task as the page's heading, or `compact` in one small line with state and time only.

    `queue_position`, from 1, is set while a running session waits for others.
    """
    style, running = SESSION_STATES[state], state == "running"
    waiting = (
        "" if queue_position is None else f" · {say('waiting for its turn: number {n} in the queue', n=queue_position)}"
    )
    shown_state = f'<span role="status">{mark(style)}<b>{style.word}</b>{waiting}</span>'
    task = escape(moment.bank.insight_doc.task_goal)
    time = duration(moment.timeline.seconds(datetime.now(UTC) if running else None))
    if compact:
        st.html(
            f'<div class="mb-status mb-compact"><span class="mb-task" title="{task}">{task}</span>'
            f'<div class="mb-facts">{shown_state}<span>{time}</span></div></div>'
        )
        return
    facts = "".join(f"<span>{fact}</span>" for fact in [time, *_facts(moment.bank, finished=state == "finished")])
    event = f'<div class="mb-doing">{escape(describe_event(moment.doing))}</div>' if running and moment.doing else ""
    st.html(
        f'<div class="mb-status"><h1 title="{task}">{task}</h1>'
        f'<div class="mb-facts">{shown_state}{facts}</div>{event}</div>'
    )


def _facts(bank: Bank, *, finished: bool) -> list[str]:
    doc, usage = bank.insight_doc, bank.usage
    step = len(doc.completed_tasks) + (doc.current_task is not None)
    facts = [
        say_n("{n} step", "{n} steps", step) if finished else say("step {number}", number=step),
        say_n("{n} node", "{n} nodes", len(bank.query_graph)),
        say_n("{n} conflict", "{n} conflicts", len(bank.conflicts)),
    ]
    if usage.calls:  # the embedded engine asks nobody and costs nothing
        calls, tokens = say_n("{n} call", "{n} calls", usage.calls), say_n("{n} token", "{n} tokens", usage.tokens)
        facts += [calls, tokens, money(usage.cost_usd)]
    return facts
