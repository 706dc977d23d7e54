"""Text with parts that can be pressed: citations, claims, neighbours. Built as text nodes, never as markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import streamlit as st

from components.look import asset


@dataclass(frozen=True)
class Segment:
    """A run of text. With `link` it can be pressed and brings that value; `label` says what pressing it opens."""

    text: str
    link: str | None = None
    label: str | None = None
    marked: bool = False


@dataclass(frozen=True)
class Block:
    """A paragraph. `title` stands above it; `kind` sets it apart."""

    segments: tuple[Segment, ...]
    kind: Literal["text", "unfounded", "dispute", "rejected", "item", "passage"] = "text"
    title: str = ""
    glyph: str = ""
    colour: str = field(default="")


_MOUNT = st.components.v2.component(
    "memory_bank_linked_text",
    js=asset("linked_text.js"),
    css=asset("linked_text.css"),
    html='<div class="blocks"></div>',
)


def draw(blocks: Sequence[Block], *, key: str, pressed: str | None, on_press: Callable[[str], None]) -> None:
    """Draw the blocks. `pressed` is the link shown as open; `on_press` gets a link before the next redraw."""

    def tell() -> None:
        link = st.session_state[key].get("pressed")
        if isinstance(link, str):
            on_press(link)

    data = {"blocks": [asdict(block) for block in blocks], "pressed": pressed}
    _MOUNT(data=data, key=key, on_pressed_change=tell)
