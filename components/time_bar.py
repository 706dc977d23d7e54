"""Where time stands: a slider over the session's events, a replay, and the way back to now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from components.language import say, told
from components.look import asset, duration, escape
from memory_bank.events import Event

# Streamlit's own slider is made anew whenever its range changes: it would fall out of the hand at each new event.
_MOUNT = st.components.v2.component(
    "memory_bank_time_slider",
    html='<input type="range" min="1" step="1">',
    css=asset("time_slider.css"),
    js=asset("time_slider.js"),
)


@dataclass(frozen=True)
class TimeBar:
    """The number of the newest event, that of the moment shown (None: the newest), its event, and the beginning."""

    last: int
    at: int | None
    playing: bool
    event: Event
    began: datetime


def draw(
    bar: TimeBar,
    *,
    key: str,
    on_move: Callable[[int | None], None],
    on_step: Callable[[int], None],
    on_play: Callable[[], None],
) -> None:
    """Draw it. `on_move` gets an event's number, or None for now; `on_step` ±1, to the next change."""
    if bar.last < 2:
        return
    with st.container(key=f"{key}-bar", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}-row"):
            _draw_buttons(bar, key, on_step, on_play)
            _draw_slider(bar, key, on_move)
            _draw_now(bar, key, on_move)
        _draw_words(bar)


def _draw_buttons(bar: TimeBar, key: str, on_step: Callable[[int], None], on_play: Callable[[], None]) -> None:
    label = say("Stop") if bar.playing else say("Play")
    icon = ":material/stop:" if bar.playing else ":material/play_arrow:"
    st.button(label, icon=icon, key=f"{key}-play", on_click=on_play, help=say("Replay what happened"))
    # Their icons say it to the eye: the style sheet leaves their labels to screen readers.
    st.button(
        say("One change back"),
        icon=":material/chevron_left:",
        key=f"{key}-back",
        disabled=bar.at == 1,
        on_click=on_step,
        args=(-1,),
        help=say("One change back"),
    )
    st.button(
        say("One change forward"),
        icon=":material/chevron_right:",
        key=f"{key}-forth",
        disabled=bar.at is None,
        on_click=on_step,
        args=(1,),
        help=say("One change forward"),
    )


def _draw_now(bar: TimeBar, key: str, on_move: Callable[[int | None], None]) -> None:
    back = say("Back to the newest moment")
    st.button(say("Now"), key=f"{key}-now", disabled=bar.at is None, on_click=on_move, args=(None,), help=back)


def _draw_slider(bar: TimeBar, key: str, on_move: Callable[[int | None], None]) -> None:
    def tell() -> None:
        seq = st.session_state[key].get("moved")
        if isinstance(seq, int):
            on_move(seq)

    data = {
        "last": bar.last,
        "at": bar.at or bar.last,
        "label": say("Moment: number of the event"),
        "said": f"{_where(bar)}: {told(bar.event)}",
        "words": say("Event {number} of {last}", number="{number}", last=f"{bar.last:,}"),
    }
    _MOUNT(data=data, key=key, on_moved_change=tell)


def _where(bar: TimeBar) -> str:
    if bar.at is None:
        return say("Now, event {number}", number=f"{bar.last:,}")
    return say("Event {number} of {last}", number=f"{bar.at:,}", last=f"{bar.last:,}")


def _draw_words(bar: TimeBar) -> None:
    since = duration((bar.event.at - bar.began).total_seconds())
    past = "" if bar.at is None else " mb-past"
    said = f"<b>{escape(_where(bar))}</b><time>{since}</time><span>{escape(told(bar.event))}</span>"
    st.html(f'<div class="mb-moment{past}">{said}</div>')
