"""State for fields whose value may also be changed elsewhere on a page that refreshes by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def field_state(name: str, value: object, on_choose: Callable[[Any], None]) -> tuple[str, Callable[[], None]]:
    """The key and `on_change` of a field that shows `value`. `on_choose` receives what the person chooses.

    A refresh under way while the value was changed elsewhere still sends the browser's old value. That would be taken
    for a choice and undo the change, so the field gets a new key and the old key is ignored. Otherwise the field is
    left alone: if it were set at every refresh, the browser would drop what the person is choosing.
    """
    counter = f"{name} keys"
    number = st.session_state.get(counter, 0)
    if st.session_state.get(f"{name}-{number}", value) != value:
        number += 1
    key = f"{name}-{number}"
    st.session_state[counter] = number
    if key not in st.session_state:
        st.session_state[key] = value

    def on_change() -> None:
        if st.session_state[counter] == number:
            on_choose(st.session_state[key])

    return key, on_change
