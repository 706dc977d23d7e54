"""What happened, newest first, a line for each event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from components.language import say, told
from components.look import duration, escape
from memory_bank.events import Event, TextStreamed
from memory_bank.moment import is_detail

_PAGE = 50


def draw(events: Sequence[Event], *, key: str) -> None:
    """Draw the events page by page; agents' calls only where they are asked for, or where something was left out."""
    if not events:
        st.html(f'<div class="mb-empty">{say("Nothing has happened yet.")}</div>')
        return
    detailed = st.checkbox(say("Show agents' calls and comparisons"), key=f"{key}-detail")
    shown = [event for event in lines(events) if detailed or not is_detail(event)]
    pages = max(1, -(-len(shown) // _PAGE))
    page = st.pagination(pages, key=f"{key}-page-{pages}") if pages > 1 else 1
    newest_first = shown[::-1][(page - 1) * _PAGE : page * _PAGE]
    began = events[0].at
    st.html(f'<ol class="mb-list mb-events">{"".join(_line(event, began) for event in newest_first)}</ol>')


def lines(events: Sequence[Event]) -> list[Event]:
    """The events that have a line: all but pieces of speech, which come whole in their turn."""
    return [event for event in events if not isinstance(event, TextStreamed)]


def _line(event: Event, began: datetime) -> str:
    since = duration((event.at - began).total_seconds())
    return f'<li><span class="mb-seq">{event.seq}</span><time>{since}</time><span>{escape(told(event))}</span></li>'
