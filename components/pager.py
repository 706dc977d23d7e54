"""Buttons to page through content that is too long to be shown at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from components.language import say

Item = TypeVar("Item")


def page_of(items: Sequence[Item], size: int, *, key: str, newest: bool = False) -> Sequence[Item]:
    """Draw the buttons to change the page, and return the items of the current page; at first page 1, or the last."""
    last = max(1, -(-len(items) // size))

    def label(page: int) -> str:
        first, end = size * (page - 1) + 1, min(len(items), size * page)
        return say("{first}–{last} of {all}", first=f"{first:,}", last=f"{end:,}", all=f"{len(items):,}")

    page = draw_pager(last, label, key=key, first=last if newest else 1)
    return items[size * (page - 1) : size * page]


def numbered(items: Sequence[Item], size: int, *, key: str) -> Sequence[Item]:
    """Draw the numbers of the pages, and return the items of the chosen one."""
    pages = -(-len(items) // size)
    page = st.pagination(pages, key=f"{key}-page-{pages}") if pages > 1 else 1
    return items[size * (page - 1) : size * page]


def draw_pager(last: int, label: Callable[[int], str], *, key: str, first: int = 1) -> int:
    """Draw buttons to the previous and the next part; the number of the part that is shown, from 1 to `last`.

    Starts at the part `first`. `label` names a part as plain text. Nothing is drawn if there is only one part.
    """
    state_key = f"{key}-at"
    requested: int = st.session_state.get(state_key, first)
    shown = min(max(1, requested), max(1, last))
    if last < 2:
        return shown

    def turn(by: int) -> None:
        st.session_state[state_key] = shown + by

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}-pager"):
        st.button(say("Previous"), key=f"{key}-back", disabled=shown == 1, on_click=turn, args=(-1,))
        st.text(label(shown))
        st.button(say("Next"), key=f"{key}-forth", disabled=shown == last, on_click=turn, args=(1,))
    return shown
