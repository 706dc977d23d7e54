"""The list of a tab’s sessions over a reload. For `app.py`: in each run once, after the page."""

from __future__ import annotations

from components import tab_memory
from memory_bank.errors import SessionNotFoundError
from pages import _visitor
from pages._server import Server
from pages._user import may_open


def keep_sessions(server: Server) -> None:
    """Have the browser keep the ids of this tab's sessions, and take back what it kept before a reload."""
    tab_memory.keep(_visitor.sessions(), lambda kept: _restore(server, kept))


def _restore(server: Server, kept: list[str]) -> None:
    """List again those that are still there; the ids come from outside and are looked up as such."""
    for session_id in reversed(kept):
        if not may_open(server, session_id):
            continue
        if server.activity(session_id) == "still":
            try:
                server.store.find(session_id)
            except SessionNotFoundError:
                continue
        _visitor.remember(session_id)
