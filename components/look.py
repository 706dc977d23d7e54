"""Styles of states (word, shape, colour), safe text on the page, and formatting of times, money and sources.

Everything that a document, a file name, a task or a model says is content. `escape` makes it safe inside our own
markup (`st.html`), `plain` makes it safe inside a label that Streamlit reads as Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

import streamlit as st

from components.language import mark_for_translation, recorded, say, visitor_words
from memory_bank.text.difference import Piece
from memory_bank.views.graph_look import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, WORDS

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "SKY", "VERMILION", "escape"]  # what is passed on, beside its own

NodeState = Literal["active", "new", "conflicting", "disputed", "settled", "added", "changed", "merged"]
SessionState = Literal["created", "starting", "running", "paused", "cancelled", "failed", "finished", "interrupted"]


@dataclass(frozen=True)
class StateStyle:
    """How a state is shown: always with a word and a shape; the colour only helps.

    `english` is the word in English, marked with `mark_for_translation`; `shape` is vis-network's name of the shape.
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
    "active": StateStyle(WORDS["active"], "●", BLUE),
    "new": StateStyle(mark_for_translation("new in this step"), "◉", SKY),
    "conflicting": StateStyle(WORDS["conflicting"], "◆", VERMILION, "diamond"),
    "disputed": StateStyle(WORDS["disputed"], "▲", ORANGE, "triangle"),
    "settled": StateStyle(WORDS["settled"], "■", GREEN, "square"),
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


def draw_text(text: str, css_class: str, *, live: bool = False) -> None:
    """Draw a plain text in a style of the style sheet; `live`: screen readers say it when it changes."""
    role = ' role="status"' if live else ""
    st.html(f'<div class="{css_class}"{role}>{escape(text)}</div>')


def draw_note(text: str, *, live: bool = False) -> None:
    """Draw a plain text in place of content that is missing."""
    draw_text(text, "mb-empty", live=live)


def draw_error(text: str, detail: str) -> None:
    """Draw what went wrong and what was kept, and below it the error in its own words."""
    st.error(text)
    st.text(recorded(detail))


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


def mark_differences(pieces: Iterable[Piece]) -> str:
    """A text as escaped markup, with the pieces that the other text lacks marked."""
    return "".join(f"<mark>{escape(text)}</mark>" if differs else escape(text) for text, differs in pieces)


def ask_whether(question: str, yes: str, no: str, *, key: str, on_no: Callable[[], None]) -> bool:
    """Draw the question with two buttons; whether the first was pressed in this run. `on_no`: the other was."""
    st.html(f'<div class="mb-ask" role="alert">{escape(question)}</div>')
    with st.container(horizontal=True, gap="small"):
        confirmed = st.button(yes, key=f"{key}-sure", type="primary")
        st.button(no, key=f"{key}-keep", on_click=on_no)
    return confirmed
