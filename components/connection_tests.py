"""Draw the results of testing the connection to model servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.language import mark_for_translation, say
from components.look import BLUE, GREEN, VERMILION, StateStyle, escape, heading, mark

_STATES = {
    None: StateStyle(mark_for_translation("testing"), "○", BLUE),
    True: StateStyle(mark_for_translation("works"), "✓", GREEN),
    False: StateStyle(mark_for_translation("does not work"), "✕", VERMILION),
}


@dataclass(frozen=True)
class TestedServer:
    """A server that is tested. `works` is None until it has answered; then `message` names it and the outcome."""

    name: str
    works: bool | None
    message: str = ""


def draw(servers: Sequence[TestedServer]) -> None:
    """Draw a line for each server."""
    heading(say("Connection"), say("the settings are saved"))
    lines = "".join(_line(server) for server in servers)
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def _line(server: TestedServer) -> str:
    style = _STATES[server.works]
    return f"<li>{mark(style)}<b>{escape(style.word)}</b>: {escape(server.message or server.name)}</li>"
