"""What the acting agent is saying just now, as it comes: plain text, its newest part."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import escape

_NEWEST = 600


def draw(said: str) -> None:
    """Draw the end of what has been said. Nothing is drawn while nobody speaks."""
    if not said.strip():
        return
    newest = said if len(said) <= _NEWEST else "…" + said[-_NEWEST:]
    st.html(
        f'<div class="mb-speech" role="group" aria-label="{say("What the acting agent is saying")}">'
        f'<span class="mb-where">{say("The agent is saying")}</span><div class="mb-text">{escape(newest)}</div></div>'
    )
