"""The words, shapes and colours of states, and the safe way to put text on the page.

Everything that a document, a file name, a task or a model says is content. `escape` makes it text inside our own
markup (`st.html`), `plain` makes it text inside a label that Streamlit reads as Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

import streamlit as st

from components.language import later, say

__all__ = [
    "ICON",
    "NODE_STATES",
    "SESSION_STATES",
    "Look",
    "NodeState",
    "SessionState",
    "asset",
    "duration",
    "escape",
    "heading",
    "mark",
    "money",
    "place",
    "plain",
    "use_style",
]

NodeState = Literal["active", "new", "conflicting", "disputed", "settled", "added", "changed", "merged"]
SessionState = Literal["created", "starting", "running", "paused", "cancelled", "failed", "finished", "interrupted"]

BLUE, SKY, VERMILION, ORANGE, GREY, GREEN = "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#999999", "#009E73"


@dataclass(frozen=True)
class Look:
    """How a state is shown: always a word and a shape; the colour only helps. `shape` is vis-network's name.

    `key` is the word in English, marked with `later`.
    """

    key: str
    glyph: str
    colour: str
    shape: str = "dot"

    @property
    def word(self) -> str:
        """The state's word in the visitor's language."""
        return say(self.key)


NODE_STATES: dict[NodeState, Look] = {
    "active": Look(later("active"), "●", BLUE),
    "new": Look(later("new in this step"), "◉", SKY),
    "conflicting": Look(later("in conflict"), "◆", VERMILION, "diamond"),
    "disputed": Look(later("disputed"), "▲", ORANGE, "triangle"),
    "settled": Look(later("merged by a verdict"), "■", GREEN, "square"),
    # Only where two moments are compared:
    "added": Look(later("added since"), "★", SKY, "star"),
    "changed": Look(later("changed since"), "▼", BLUE, "triangleDown"),
    "merged": Look(later("gone since"), "◌", GREY),
}
SESSION_STATES: dict[SessionState, Look] = {
    "created": Look(later("not started"), "○", GREY),
    "starting": Look(later("starting"), "○", BLUE),
    "running": Look(later("running"), "●", BLUE),
    "paused": Look(later("paused"), "‖", GREY),
    "cancelled": Look(later("cancelled"), "■", GREY),
    "failed": Look(later("failed"), "✕", VERMILION),
    "finished": Look(later("finished"), "✓", GREEN),
    "interrupted": Look(later("interrupted"), "▲", ORANGE),
}

ICON = Path(__file__).parent / "icon.svg"
"""Our own file: an icon named by a code would be asked of another host."""

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script that lies beside the components."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def use_style() -> None:
    """Put our style sheet on the page. Once in each run of the app."""
    st.html(f"<style>{asset('style.css')}</style>")


def plain(text: str) -> str:
    """Text for a label that Streamlit reads as Markdown: it is shown as it is, in one line.

    Icon and emoji codes (`:name:`) are found even in escaped text, so an invisible character parts them.
    """
    one_line = " ".join(text.split())
    return _PUNCTUATION.sub(r"\\\1", one_line).replace("\\:", "\\:\u2060")


def mark(look: Look) -> str:
    """A state's shape as markup; the word must stand beside it."""
    return f'<span class="mb-glyph" style="color:{look.colour}" aria-hidden="true">{look.glyph}</span>'


def heading(title: str, aside: str = "") -> None:
    """A section's heading. `aside` is a short plain text to its right."""
    small = f'<span class="mb-aside">{escape(aside)}</span>' if aside else ""
    st.html(f'<div class="mb-heading"><h2>{escape(title)}</h2>{small}</div>')


def duration(seconds: float) -> str:
    """Seconds as `00:42` or `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def money(usd: float | None) -> str:
    """Money in words; small sums with the digits that tell something."""
    if usd is None:
        return say("cost unknown")
    return f"{usd:.4f} $" if 0 < usd < 0.1 else f"{usd:.2f} $"


def place(source: str, page: int | None) -> str:
    """Where a passage stands: `brochure.pdf, p. 2`."""
    return source if page is None else say("{source}, p. {page}", source=source, page=page)
