"""Styles of states (word, shape, colour), safe text on the page, and formatting of times, money and sources.

Everything that a document, a file name, a task or a model says is content. `escape` makes it safe inside our own
markup (`st.html`), `plain` makes it safe inside a label that Streamlit reads as Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

import streamlit as st

from components.language import mark_for_translation, say, visitor_words

__all__ = [
    "ICON",
    "NODE_STATES",
    "SESSION_STATES",
    "NodeState",
    "SessionState",
    "StateStyle",
    "asset",
    "draw_note",
    "duration",
    "escape",
    "heading",
    "mark",
    "money",
    "plain",
    "source_label",
    "use_style",
]

NodeState = Literal["active", "new", "conflicting", "disputed", "settled", "added", "changed", "merged"]
SessionState = Literal["created", "starting", "running", "paused", "cancelled", "failed", "finished", "interrupted"]

BLUE, SKY, VERMILION, ORANGE, GREY, GREEN = "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#009E73"


@dataclass(frozen=True)
class StateStyle:
    """How a state is shown: always with a word and a shape; the colour only helps.

    `english` is the word in English, marked with `later`; `shape` is vis-network's name of the shape.
    """

    english: str
    glyph: str
    colour: str
    shape: str = "dot"

    @property
    def word(self) -> str:
        """The state's word in the visitor's language."""
        return say(self.english)


NODE_STATES: dict[NodeState, StateStyle] = {
    "active": StateStyle(mark_for_translation("active"), "●", BLUE),
    "new": StateStyle(mark_for_translation("new in this step"), "◉", SKY),
    "conflicting": StateStyle(mark_for_translation("in conflict"), "◆", VERMILION, "diamond"),
    "disputed": StateStyle(mark_for_translation("disputed"), "▲", ORANGE, "triangle"),
    "settled": StateStyle(mark_for_translation("merged by a verdict"), "■", GREEN, "square"),
    # Only when two moments are compared:
    "added": StateStyle(mark_for_translation("added since"), "★", SKY, "star"),
    "changed": StateStyle(mark_for_translation("changed since"), "▼", BLUE, "triangleDown"),
    "merged": StateStyle(mark_for_translation("gone since"), "◌", GREY),
}
SESSION_STATES: dict[SessionState, StateStyle] = {
    "created": StateStyle(mark_for_translation("not started"), "○", GREY),
    "starting": StateStyle(mark_for_translation("starting"), "○", BLUE),
    "running": StateStyle(mark_for_translation("running"), "●", BLUE),
    "paused": StateStyle(mark_for_translation("paused"), "‖", GREY),
    "cancelled": StateStyle(mark_for_translation("cancelled"), "■", GREY),
    "failed": StateStyle(mark_for_translation("failed"), "✕", VERMILION),
    "finished": StateStyle(mark_for_translation("finished"), "✓", GREEN),
    "interrupted": StateStyle(mark_for_translation("interrupted"), "▲", ORANGE),
}

ICON = Path(__file__).parent / "icon.svg"
"""A file of our own: an icon given by its code would be loaded from another host."""

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@cache
def asset(name: str) -> str:
    """The text of a style sheet, script or template in this folder."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def use_style() -> None:
    """Put our style sheet on the page; to be called once in each run of the app."""
    st.html(f"<style>{asset('style.css')}</style>")


def plain(text: str) -> str:
    """Escape text for a label that Streamlit reads as Markdown, so that it is shown unchanged, on one line.

    Streamlit finds icon and emoji codes (`:name:`) even in escaped text, so an invisible character breaks them up.
    """
    one_line = " ".join(text.split())
    return _PUNCTUATION.sub(r"\\\1", one_line).replace("\\:", "\\:\u2060")


def mark(style: StateStyle) -> str:
    """A state's shape as markup, hidden from screen readers: the word must be next to it."""
    return f'<span class="mb-glyph" style="color:{style.colour}" aria-hidden="true">{style.glyph}</span>'


def heading(title: str, aside: str = "") -> None:
    """Draw a section heading. `aside` is a short plain text to its right."""
    small = f'<span class="mb-aside">{escape(aside)}</span>' if aside else ""
    st.html(f'<div class="mb-heading"><h2>{escape(title)}</h2>{small}</div>')


def draw_title(title: str, about: str) -> None:
    """Draw the title of a page with what the page is about."""
    st.html(f'<div class="mb-welcome"><h1>{escape(title)}</h1><p>{escape(about)}</p></div>')


def draw_note(text: str) -> None:
    """Draw a plain text in place of content that is missing."""
    st.html(f'<div class="mb-empty">{escape(text)}</div>')


def duration(seconds: float) -> str:
    """Format seconds as `00:42` or `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def money(usd: float | None) -> str:
    """Format an amount in US dollars."""
    return visitor_words().money(usd)


def source_label(source: str, page: int | None) -> str:
    """Format where a passage is: `brochure.pdf, p. 2`."""
    return visitor_words().source_label(source, page)
