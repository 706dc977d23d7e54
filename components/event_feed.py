"""What happened, newest first, a line for each event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from components.look import duration, escape
from memory_bank.event_words import describe
from memory_bank.events import AgentCalled, Event, NodeAnalysed, PromptEnhanced

_DETAIL = (AgentCalled, NodeAnalysed, PromptEnhanced)
_PAGE = 50


def draw(events: Sequence[Event], *, key: str) -> None:
    """Draw the events page by page; agents' calls only where they are asked for."""
    if not events:
        st.html('<div class="mb-empty">Nothing has happened yet.</div>')
        return
    detailed = st.checkbox("Show agents' calls and comparisons", key=f"{key}-detail")
    shown = [event for event in events if detailed or not isinstance(event, _DETAIL)]
    pages = max(1, -(-len(shown) // _PAGE))
    page = st.pagination(pages, key=f"{key}-page-{pages}") if pages > 1 else 1
    newest_first = shown[::-1][(page - 1) * _PAGE : page * _PAGE]
    began = events[0].at
    st.html(f'<ol class="mb-list mb-events">{"".join(_line(event, began) for event in newest_first)}</ol>')


def newest(events: Sequence[Event]) -> str:
    """The last event that is more than a detail, in words; empty where there is none."""
    return next((describe(event) for event in reversed(events) if not isinstance(event, _DETAIL)), "")


def _line(event: Event, began: datetime) -> str:
    since = duration((event.at - began).total_seconds())
    return f'<li><span class="mb-seq">{event.seq}</span><time>{since}</time><span>{escape(describe(event))}</span></li>'
