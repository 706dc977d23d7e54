"""Servers that are tried: who, and whether it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.look import BLUE, GREEN, VERMILION, Look, escape, heading, mark

_STATES = {
    None: Look("asking", "○", BLUE),
    True: Look("answers", "✓", GREEN),
    False: Look("does not work", "✕", VERMILION),
}


@dataclass(frozen=True)
class Tried:
    """A server and what came of asking it; `works` is None while it has not answered."""

    name: str
    works: bool | None
    said: str = ""


def draw(tried: Sequence[Tried]) -> None:
    """Draw a line for each."""
    heading("Connection")
    lines = "".join(_line(one) for one in tried)
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def _line(one: Tried) -> str:
    look = _STATES[one.works]
    said = f"<small>{escape(one.said)}</small>" if one.said else ""
    return f"<li>{mark(look)}{escape(one.name)}: <b>{look.word}</b>{said}</li>"
