"""A session in the list: its task, how it stands, and how much there is of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

import streamlit as st

from components.language import say_n
from components.look import SESSION_STATES, SessionState, escape, mark
from memory_bank.session_store import Summary


@dataclass(frozen=True)
class SessionRow:
    """What a line says."""

    found: Summary
    state: SessionState

    def holds(self, words: str) -> bool:
        """Whether every one of the words stands in the task, a document's name or the state's word."""
        text = " ".join((self.found.task, *self.found.sources, SESSION_STATES[self.state].word)).casefold()
        return all(word in text for word in words.casefold().split())


def draw(row: SessionRow) -> None:
    """Draw the line."""
    look, found = SESSION_STATES[row.state], row.found
    facts = (
        f"{found.began.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        say_n("{n} node", "{n} nodes", found.nodes),
        say_n("{n} conflict", "{n} conflicts", found.conflicts),
        say_n("{n} event", "{n} events", found.events),
        size(found.bytes),
    )
    said = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    sources = f'<div class="mb-quiet mb-sources">{escape(", ".join(found.sources))}</div>' if found.sources else ""
    st.html(
        f'<div class="mb-row"><h3>{escape(found.task)}</h3>'
        f'<div class="mb-facts"><span>{mark(look)}<b>{escape(look.word)}</b></span>{said}</div>{sources}</div>'
    )


def size(number: int) -> str:
    """Bytes as a person reads them: `48 kB`."""
    if number < 1_000:
        return f"{number} B"
    amount, units = number / 1_000, ["kB", "MB", "GB"]
    while amount >= 1_000 and len(units) > 1:
        amount, units = amount / 1_000, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 10 else f"{amount:,.0f} {units[0]}"
