"""Draw the events of a session, newest first, one line each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import pager
from components.language import describe_event, say
from components.look import duration, escape
from memory_bank.bank.events import Event, TextStreamed
from memory_bank.views.snapshot import is_detail

_PAGE_SIZE = 50


def draw_event_feed(events: Sequence[Event], *, key: str) -> None:
    """Draw the events in pages; details, as `is_detail` defines them, only if the visitor ticks the box."""
    detailed = st.checkbox(say("Show agents' calls and comparisons"), key=f"{key}-detail")
    shown = [event for event in visible_events(events) if detailed or not is_detail(event)]
    lines = ""
    for event in pager.numbered(shown[::-1], _PAGE_SIZE, key=key):
        since = duration((event.at - events[0].at).total_seconds())
        text = escape(describe_event(event))
        lines += f'<li><span class="mb-seq">{event.seq}</span><time>{since}</time><span>{text}</span></li>'
    st.html(f'<ol class="mb-list mb-events">{lines}</ol>')


def visible_events(events: Sequence[Event]) -> list[Event]:
    """All events but pieces of streamed text, which a later event holds in full."""
    return [event for event in events if not isinstance(event, TextStreamed)]
