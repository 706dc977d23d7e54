"""Draw the end of the text that the acting agent is streaming."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import escape

_MAX_LENGTH = 600
"""Most characters shown."""


def draw(text: str) -> None:
    """Draw the end of the text; nothing if it is blank."""
    if not text.strip():
        return
    newest = text if len(text) <= _MAX_LENGTH else "…" + text[-_MAX_LENGTH:]
    st.html(
        f'<div class="mb-speech" role="group" aria-label="{say("What the acting agent is saying")}">'
        f'<span class="mb-where">{say("The agent is saying")}</span><div class="mb-text">{escape(newest)}</div></div>'
    )
