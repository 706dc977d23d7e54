"""What the tab remembers over a reload: ids, in the browser's storage of this one tab. Invisible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.language import language
from components.look import asset

MOST = 1_000
_KEY, _MET = "tab-memory", "ids that the tab has met"

_MOUNT = st.components.v2.component("memory_bank_tab_memory", js=asset("tab_memory.js"))


def keep(ids: Sequence[str], on_kept: Callable[[list[str]], None]) -> None:
    """Have the browser keep these ids, and no others that this tab had before.

    What it kept before a reload is brought to `on_kept`, untrusted; those that are not in `ids` at the next run are
    forgotten.
    """

    def tell() -> None:
        kept = st.session_state[_KEY].get("kept")
        if isinstance(kept, list):
            told = [found for found in kept if isinstance(found, str)][:MOST]
            met.update(told)
            on_kept(told)

    met: set[str] = st.session_state.setdefault(_MET, set())
    met.update(ids)
    with st.container(height=1, key="tab-memory-place", border=False):
        _MOUNT(
            data={"ids": list(ids), "gone": sorted(met - set(ids)), "language": language()},
            key=_KEY,
            on_kept_change=tell,
        )
