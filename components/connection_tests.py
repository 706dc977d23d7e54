"""Servers that are tried: who, and whether it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.language import later, say
from components.look import BLUE, GREEN, VERMILION, Look, escape, heading, mark

_STATES = {
    None: Look(later("asking"), "○", BLUE),
    True: Look(later("works"), "✓", GREEN),
    False: Look(later("does not work"), "✕", VERMILION),
}


@dataclass(frozen=True)
class Tried:
    """A server and what came of asking it, which names it again; `works` is None while it has not answered."""

    name: str
    works: bool | None
    said: str = ""


def draw(tried: Sequence[Tried]) -> None:
    """Draw a line for each."""
    heading(say("Connection"), say("the settings are saved"))
    lines = "".join(_line(one) for one in tried)
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def _line(one: Tried) -> str:
    look = _STATES[one.works]
    return f"<li>{mark(look)}<b>{escape(look.word)}</b>: {escape(one.said or one.name)}</li>"
