"""Keep ids over a reload of the tab, in the browser's session storage. Draws nothing visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.language import language
from components.look import asset

MAX_IDS = 1_000
"""Most ids accepted from the browser."""
_KEY = "tab-memory"
_KNOWN = "ids that the tab has met"
"""Where the session state holds all ids seen since the tab was loaded."""

_MOUNT = st.components.v2.component("memory_bank_tab_memory", js=asset("tab_memory.js"))


def keep(ids: Sequence[str], on_restored: Callable[[list[str]], None]) -> None:
    """Have the browser keep these ids and forget the others that this tab knew.

    Calls `on_restored` with the ids kept before a reload; they are untrusted. Those that are not in `ids` at the next
    run are forgotten.
    """

    def restore() -> None:
        stored = st.session_state[_KEY].get("kept")
        if isinstance(stored, list):
            restored = [id_ for id_ in stored if isinstance(id_, str)][:MAX_IDS]
            known.update(restored)
            on_restored(restored)

    known: set[str] = st.session_state.setdefault(_KNOWN, set())
    known.update(ids)
    with st.container(height=1, key="tab-memory-place", border=False):
        _MOUNT(
            data={"ids": list(ids), "gone": sorted(known - set(ids)), "language": language()},
            key=_KEY,
            on_kept_change=restore,
        )
