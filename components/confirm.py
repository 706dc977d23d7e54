"""Ask before something is deleted for good, in place of the button that was pressed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.look import escape


def draw(question: str, yes: str, no: str, *, key: str, on_no: Callable[[], None]) -> bool:
    """Draw the question with two buttons; whether the first was pressed in this run. `on_no`: the other was."""
    st.html(f'<div class="mb-ask" role="alert">{escape(question)}</div>')
    with st.container(horizontal=True, gap="small"):
        confirmed = st.button(yes, key=f"{key}-sure", type="primary")
        st.button(no, key=f"{key}-keep", on_click=on_no)
    return confirmed
