"""One part after another of what is too long to be shown at once."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.language import say


def draw(last: int, words: Callable[[int], str], *, key: str, first: int = 1) -> int:
    """Buttons to the part before and the part after; the number of the part shown, from 1, at the beginning `first`.

    `words` name a part, as plain text. Nothing is drawn where there is only one.
    """
    kept = f"{key}-at"
    wanted: int = st.session_state.get(kept, first)
    shown = min(max(1, wanted), max(1, last))
    if last < 2:
        return shown

    def turn(by: int) -> None:
        st.session_state[kept] = shown + by

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}-pager"):
        st.button(say("Previous"), key=f"{key}-back", disabled=shown == 1, on_click=turn, args=(-1,))
        st.text(words(shown))
        st.button(say("Next"), key=f"{key}-forth", disabled=shown == last, on_click=turn, args=(1,))
    return shown
