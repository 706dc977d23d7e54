"""Draw the time bar: a slider over the session's events, replay, single steps, and a button back to now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from components.language import describe_event, say
from components.look import asset, duration, escape
from memory_bank.bank.events import Event

# Streamlit's own slider is rebuilt whenever its range changes, so each new event would interrupt dragging it.
_MOUNT = st.components.v2.component(
    "memory_bank_time_slider",
    html='<input type="range" min="1" step="1">',
    css=asset("time_slider.css"),
    js=asset("time_slider.js"),
)


@dataclass(frozen=True)
class TimeBar:
    """`last` is the number of the newest event, `at` that of the moment shown (None: the newest), `event` its event.

    `began` is the time of the session's first event.
    """

    last: int
    at: int | None
    playing: bool
    event: Event
    began: datetime


def draw_time_bar(
    bar: TimeBar,
    *,
    key: str,
    on_move: Callable[[int | None], None],
    on_step: Callable[[int], None],
    on_play: Callable[[], None],
) -> None:
    """Draw the bar. `on_move` gets an event's number, or None for now; `on_step` gets 1 or -1: a change on or back."""
    if bar.last < 2:
        return
    with st.container(key=f"{key}-bar", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}-row"):
            _draw_buttons(bar, key, on_step, on_play)
            _draw_slider(bar, key, on_move)
            tip = say("Back to the newest moment")
            st.button(say("Now"), key=f"{key}-now", disabled=bar.at is None, on_click=on_move, args=(None,), help=tip)
        since = duration((bar.event.at - bar.began).total_seconds())
        past = "" if bar.at is None else " mb-past"
        text = f"<b>{escape(_position(bar))}</b><time>{since}</time><span>{escape(describe_event(bar.event))}</span>"
        st.html(f'<div class="mb-moment{past}">{text}</div>')


def _draw_buttons(bar: TimeBar, key: str, on_step: Callable[[int], None], on_play: Callable[[], None]) -> None:
    label = say("Stop") if bar.playing else say("Play")
    icon = ":material/stop:" if bar.playing else ":material/play_arrow:"
    st.button(label, icon=icon, key=f"{key}-play", on_click=on_play, help=say("Replay what happened"))
    # The style sheet hides these labels: the icon is enough for the eye, screen readers use the label.
    icon, tip = ":material/chevron_left:", say("One change back")
    st.button(tip, icon=icon, key=f"{key}-back", disabled=bar.at == 1, on_click=on_step, args=(-1,), help=tip)
    icon, tip = ":material/chevron_right:", say("One change forward")
    st.button(tip, icon=icon, key=f"{key}-forth", disabled=bar.at is None, on_click=on_step, args=(1,), help=tip)


def _draw_slider(bar: TimeBar, key: str, on_move: Callable[[int | None], None]) -> None:
    def handle_move() -> None:
        seq = st.session_state[key].get("moved")
        if isinstance(seq, int):
            on_move(seq)

    data = {
        "last": bar.last,
        "at": bar.at or bar.last,
        "label": say("Moment: event number"),
        "said": f"{_position(bar)}: {describe_event(bar.event)}",
        "words": say("Event {number} of {last}", number="{number}", last=f"{bar.last:,}"),
    }
    _MOUNT(data=data, key=key, on_moved_change=handle_move)


def _position(bar: TimeBar) -> str:
    if bar.at is None:
        return say("Now, event {number}", number=f"{bar.last:,}")
    return say("Event {number} of {last}", number=f"{bar.at:,}", last=f"{bar.last:,}")
