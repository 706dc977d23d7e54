"""What a tab has just begun: a second press that comes while the first is worked on begins nothing anew."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import streamlit as st

from memory_bank.settings import Settings
from pages._server import NewSession, Server

SECONDS = 2.0
"""How long after it was begun the same is taken for a second press."""


@dataclass
class Begun:
    """The last session that a tab began. Streamlit may run a page's script again before the first run has ended."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _wanted: object = None
    _id: str = ""
    _at: float = 0.0

    def once(self, server: Server, new: NewSession, settings: Settings) -> str:
        """Begin a session; its id, which is that of the last one where the same was asked for just now."""
        user = None if new.owner is None else (new.owner.user, new.owner.project)
        wanted = (new.task, hash((new.documents, new.sources)), user, settings)
        with self._lock:
            if self._wanted != wanted or time.monotonic() - self._at > SECONDS:
                self._id = server.begin(new, settings)
                self._wanted, self._at = wanted, time.monotonic()
            return self._id


def begun() -> Begun:
    """The tab's own. To be had before anything is pressed: once it is, Streamlit may end the script at any access."""
    if "begun" not in st.session_state:
        st.session_state["begun"] = Begun()
    found: Begun = st.session_state["begun"]
    return found
