"""Keep the list of a tab’s sessions, and its questions, over a reload."""

from __future__ import annotations

import streamlit as st

from components.language import language
from components.look import asset
from pages.shared import questions, tab_state
from pages.shared.server import Server
from pages.shared.user import may_open

MAX_IDS = 1_000
"""Most ids accepted from the browser."""
_KEY = "tab-memory"
_KNOWN = "ids that the tab has met"
"""Where the session state holds all ids seen since the tab was loaded."""

_MOUNT = st.components.v2.component("memory_bank_tab_memory", js=asset("tab_memory.js"))


def keep_sessions(server: Server) -> None:
    """Store the ids of this tab's sessions and questions in the browser, and restore those stored before a reload.

    `app.py` calls it once per run, after the page.
    """

    def restore() -> None:
        stored = st.session_state[_KEY].get("kept")
        if isinstance(stored, list):
            restored = [id_ for id_ in stored if isinstance(id_, str)][:MAX_IDS]
            known.update(restored)
            _restore(server, restored)

    ids = [*tab_state.sessions(), *questions.tab_keys()]
    known: set[str] = st.session_state.setdefault(_KNOWN, set())
    known.update(ids)
    with st.container(height=1, key="tab-memory-place", border=False):
        _MOUNT(
            data={"ids": ids, "gone": sorted(known - set(ids)), "language": language()},
            key=_KEY,
            on_kept_change=restore,
        )


def _restore(server: Server, ids: list[str]) -> None:
    """List the sessions that still exist and may be opened. The ids come from the browser and are not trusted."""
    questions.restore(ids)
    for session_id in reversed(ids):
        if may_open(server, session_id) and (server.activity(session_id) != "idle" or server.store.holds(session_id)):
            tab_state.remember(session_id)
