"""Keep the list of a tab’s sessions, and its questions, over a reload."""

from __future__ import annotations

from components import tab_memory
from memory_bank.bank.errors import SessionNotFoundError
from pages.shared import questions, tab_state
from pages.shared.server import Server
from pages.shared.user import may_open


def keep_sessions(server: Server) -> None:
    """Store the ids of this tab's sessions and questions in the browser, and restore those stored before a reload.

    `app.py` calls it once per run, after the page.
    """
    tab_memory.keep([*tab_state.sessions(), *questions.tab_keys()], lambda ids: _restore(server, ids))


def _restore(server: Server, ids: list[str]) -> None:
    """List the sessions that still exist and may be opened. The ids come from the browser and are not trusted."""
    questions.restore(ids)
    for session_id in reversed(ids):
        if not may_open(server, session_id):
            continue
        if server.activity(session_id) == "idle":
            try:
                server.store.find(session_id)
            except SessionNotFoundError:
                continue
        tab_state.remember(session_id)
