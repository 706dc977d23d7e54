"""Let a file be dropped anywhere on the page. Draws nothing visible."""

from __future__ import annotations

import streamlit as st

from components.look import asset

_MOUNT = st.components.v2.component("memory_bank_drop_anywhere", js=asset("drop_anywhere.js"))


def draw(uploader: str) -> None:
    """Put files that are dropped beside an uploader into the one with this key."""
    with st.container(height=1, key="drop-anywhere-place", border=False):
        _MOUNT(data={"field": uploader}, key="drop-anywhere")
