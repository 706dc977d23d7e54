"""Draw text with parts that can be pressed, such as citations. The script builds text nodes, never markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import streamlit as st

from components.language import say
from components.look import asset

BlockKind = Literal["text", "listed", "unfounded", "dispute", "rejected", "item", "passage", "table"]


@dataclass(frozen=True)
class Segment:
    """A run of text. With a `link` it can be pressed and sends that value; `label` says what pressing it opens."""

    text: str
    link: str | None = None
    label: str | None = None
    marked: bool = False


@dataclass(frozen=True)
class Block:
    """A paragraph, or a table of `rows`, the first its head. `title` is shown above; `kind` selects the style."""

    segments: tuple[Segment, ...]
    kind: BlockKind = "text"
    title: str = ""
    glyph: str = ""
    colour: str = ""
    rows: tuple[tuple[tuple[Segment, ...], ...], ...] = ()


def node_link(node_id: str) -> Segment:
    """A node's id that can be pressed; it sends `node:n4`."""
    return Segment(node_id, link=f"node:{node_id}", label=say("Open node {node}", node=node_id))


def conflict_link(conflict_id: str) -> Segment:
    """A conflict's id that can be pressed; it sends `conflict:x1`."""
    label = say("Open conflict {conflict}", conflict=conflict_id)
    return Segment(conflict_id, link=f"conflict:{conflict_id}", label=label)


def item(*segments: Segment) -> Block:
    """A line of a list."""
    return Block(segments, kind="item")


_MOUNT = st.components.v2.component(
    "memory_bank_linked_text",
    js=asset("linked_text.js"),
    css=asset("linked_text.css"),
    html='<div class="blocks"></div>',
)


def draw_linked_text(
    blocks: Sequence[Block], *, key: str, pressed: str | None, on_press: Callable[[str], None]
) -> None:
    """Draw the blocks. `pressed` is the link shown as open; `on_press` gets a link before the next redraw."""

    def handle_press() -> None:
        link = st.session_state[key].get("pressed")
        if isinstance(link, str):
            on_press(link)

    data = {"blocks": [asdict(block) for block in blocks], "pressed": pressed}
    _MOUNT(data=data, key=key, on_pressed_change=handle_press)
