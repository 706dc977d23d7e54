"""Fields, on pages that tick, whose value may also be changed elsewhere on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def holding(name: str, value: object, on_choose: Callable[[Any], None]) -> tuple[str, Callable[[], None]]:
    """Key and `on_change` of a field that shows `value`; `on_choose` gets what a person chooses in it.

    A tick that was under way while the value was changed elsewhere brings what the browser still had in the field. It
    would be taken for a choice and undo the change, so the field gets another key, and the old one is not listened to.
    Otherwise the field is left as it is: told its value at every tick, the browser would drop what is being chosen.
    """
    counted = f"{name} keys"
    number = st.session_state.get(counted, 0)
    if st.session_state.get(f"{name}-{number}", value) != value:
        number += 1
    key = f"{name}-{number}"
    st.session_state[counted] = number
    if key not in st.session_state:
        st.session_state[key] = value

    def tell() -> None:
        if st.session_state[counted] == number:
            on_choose(st.session_state[key])

    return key, tell
