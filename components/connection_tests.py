"""Draw the results of testing the connection to model servers."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.language import mark_for_translation, say
from components.look import BLUE, GREEN, VERMILION, StateStyle, escape, heading, mark

_STATES = {
    None: StateStyle(mark_for_translation("testing"), "○", BLUE),
    True: StateStyle(mark_for_translation("works"), "✓", GREEN),
    False: StateStyle(mark_for_translation("does not work"), "✕", VERMILION),
}


def draw(servers: Iterable[tuple[str, bool | None, str]]) -> None:
    """Draw a line for each server: its name, whether it works (None until it has answered), then what it answered."""
    heading(say("Connection"), say("the settings are saved"))
    lines = "".join(_line(*server) for server in servers)
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def _line(name: str, works: bool | None, message: str) -> str:  # noqa: FBT001 - a column of the list
    style = _STATES[works]
    return f"<li>{mark(style)}<b>{escape(style.word)}</b>: {escape(message or name)}</li>"
