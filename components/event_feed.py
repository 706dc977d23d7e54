"""Draw the events of a session, newest first, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from components.language import describe_event, say
from components.look import draw_note, duration, escape
from memory_bank.bank.events import Event, TextStreamed
from memory_bank.views.snapshot import is_detail

_PAGE_SIZE = 50


def draw(events: Sequence[Event], *, key: str) -> None:
    """Draw the events in pages; details, as `is_detail` defines them, only if the visitor ticks the box."""
    if not events:
        draw_note(say("Nothing has happened yet."))
        return
    detailed = st.checkbox(say("Show agents' calls and comparisons"), key=f"{key}-detail")
    shown = [event for event in visible_events(events) if detailed or not is_detail(event)]
    pages = max(1, -(-len(shown) // _PAGE_SIZE))
    page = st.pagination(pages, key=f"{key}-page-{pages}") if pages > 1 else 1
    newest_first = shown[::-1][(page - 1) * _PAGE_SIZE : page * _PAGE_SIZE]
    began = events[0].at
    st.html(f'<ol class="mb-list mb-events">{"".join(_line(event, began) for event in newest_first)}</ol>')


def visible_events(events: Sequence[Event]) -> list[Event]:
    """All events but pieces of streamed text, which a later event holds in full."""
    return [event for event in events if not isinstance(event, TextStreamed)]


def _line(event: Event, began: datetime) -> str:
    since = duration((event.at - began).total_seconds())
    text = escape(describe_event(event))
    return f'<li><span class="mb-seq">{event.seq}</span><time>{since}</time><span>{text}</span></li>'
