"""Draw a session in the list: its task, state, start, sizes and documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

import streamlit as st

from components.language import say_n
from components.look import SESSION_STATES, SessionState, escape, mark
from memory_bank.storage.session_store import Summary
from memory_bank.views.i18n import size


@dataclass(frozen=True)
class SessionRow:
    """A session's summary, and its state as it is shown."""

    summary: Summary
    state: SessionState

    def matches(self, words: str) -> bool:
        """Whether every word occurs in the task, a document's name or the state's word; case is ignored."""
        text = " ".join((self.summary.task, *self.summary.sources, SESSION_STATES[self.state].word)).casefold()
        return all(word in text for word in words.casefold().split())


def draw(row: SessionRow) -> None:
    """Draw the session."""
    style, summary = SESSION_STATES[row.state], row.summary
    facts = (
        f"{summary.began.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        say_n("{n} node", "{n} nodes", summary.nodes),
        say_n("{n} conflict", "{n} conflicts", summary.conflicts),
        say_n("{n} event", "{n} events", summary.events),
        size(summary.bytes),
    )
    spans = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    sources = f'<div class="mb-quiet mb-sources">{escape(", ".join(summary.sources))}</div>' if summary.sources else ""
    st.html(
        f'<div class="mb-row"><h3>{escape(summary.task)}</h3>'
        f'<div class="mb-facts"><span>{mark(style)}<b>{escape(style.word)}</b></span>{spans}</div>{sources}</div>'
    )
