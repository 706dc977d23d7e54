"""How far reading the documents has got, with counts; and each document by name, refused ones with the reason."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.look import BLUE, GREEN, GREY, VERMILION, count, escape
from memory_bank.moment import SourceProgress, SourceState

_SHAPES: dict[SourceState, tuple[str, str]] = {
    "waiting": ("○", GREY),
    "reading": ("●", BLUE),
    "in memory": ("✓", GREEN),
    "kept to check against": ("✓", GREEN),
    "refused": ("✕", VERMILION),
}


def draw_bar(sources: Sequence[SourceProgress]) -> None:
    """Draw one bar over all documents, with counts."""
    done = sum(source.state not in ("waiting", "reading") for source in sources)
    now = next((source for source in sources if source.state == "reading"), None)
    within = min(now.done / now.known, 1.0) if now and now.known else 0.0
    words = f"{done} of {count(len(sources), 'document')} read"
    if now is not None and now.known:
        words += f" · {now.done} of {count(now.known, 'topic')} of this one in memory"
    st.progress(min((done + within) / max(len(sources), 1), 1.0), text=words)


def draw_list(sources: Sequence[SourceProgress]) -> None:
    """Draw each document with its state."""
    if not sources:
        st.html('<div class="mb-empty">No documents were given. The task is worked on without any.</div>')
        return
    st.html(f'<ul class="mb-list">{"".join(map(_item, sources))}</ul>')


def _item(source: SourceProgress) -> str:
    glyph, colour = _SHAPES[source.state]
    said: str = source.state
    if source.state == "refused":
        said = f"refused: {source.reason}"
    elif source.known:
        said = f"{source.state}, {source.done} of {count(source.known, 'topic')}"
    shape = f'<span class="mb-glyph" style="color:{colour}" aria-hidden="true">{glyph}</span>'
    return f"<li>{shape}{escape(source.name)}<small>{escape(said)}</small></li>"
