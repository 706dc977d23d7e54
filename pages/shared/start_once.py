"""Start a session only once when a button is pressed twice."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import streamlit as st

from memory_bank.bank.settings import Settings
from pages.shared.server import NewSession, Server

REPEAT_SECONDS = 2.0
"""A request that repeats the last one within this time counts as a second press."""


@dataclass
class SessionStarter:
    """The last session that a tab started. Streamlit may rerun a page's script before the first run has ended."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_request: object = None
    _session_id: str = ""
    _started_at: float = 0.0

    def start(self, server: Server, new: NewSession, settings: Settings) -> str:
        """Start a session and return its id; for a repeated request, the id of the session already started."""
        user = None if new.owner is None else (new.owner.user, new.owner.project)
        request = (new.task, hash((new.documents, new.sources)), user, settings)
        with self._lock:
            if self._last_request != request or time.monotonic() - self._started_at > REPEAT_SECONDS:
                self._session_id = server.start(new, settings)
                self._last_request, self._started_at = request, time.monotonic()
            return self._session_id


def session_starter() -> SessionStarter:
    """The tab's starter. Get it before a button is drawn: after a press Streamlit may end the script at any access."""
    if "session starter" not in st.session_state:
        st.session_state["session starter"] = SessionStarter()
    starter: SessionStarter = st.session_state["session starter"]
    return starter
