"""What one visitor's tab remembers between redraws: its sessions, what it looks at, and words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from memory_bank.moment import Moment
from pages._server import Server

RUN = "run"
"""The part of the address that names a session: whoever has it, and nobody else, finds the session again."""


@dataclass
class Looking:
    """What a visitor looks at in one session. `passage` is what a citation opened, as `entry:start:end`."""

    session_id: str
    moment: Moment = field(default_factory=Moment)
    seen: object = None
    node: str | None = None
    passage: str | None = None
    cited: str | None = None
    cancelling: bool = False


def looking(session_id: str, server: Server) -> Looking:
    """The visitor's view of a session, brought up to date. Errors as of `Server.events`."""
    view = st.session_state.get("looking")
    if not isinstance(view, Looking) or view.session_id != session_id:
        view = Looking(session_id)
    changes = server.changes(session_id)
    if changes != view.seen:
        view.moment.follow(server.events(session_id))
        view.seen = changes
    st.session_state["looking"] = view
    remember(session_id)
    return view


def forget(session_id: str) -> None:
    """Leave a session out of the visitor's list."""
    mine = [known for known in sessions() if known != session_id]
    st.session_state["sessions"] = mine
    if isinstance(view := st.session_state.get("looking"), Looking) and view.session_id == session_id:
        del st.session_state["looking"]


def remember(session_id: str) -> None:
    """Put a session on the visitor's list."""
    if session_id not in sessions():
        st.session_state["sessions"] = [session_id, *sessions()]


def sessions() -> list[str]:
    """The ids of the sessions this tab began or opened, newest first. Other tabs have their own."""
    known: list[str] = st.session_state.get("sessions", [])
    return known


def leave_word(session_id: str, words: Sequence[str]) -> None:
    """Leave messages to be shown with a session."""
    st.session_state[f"words of {session_id}"] = tuple(words)


def words(session_id: str) -> tuple[str, ...]:
    """The messages left for a session."""
    left: tuple[str, ...] = st.session_state.get(f"words of {session_id}", ())
    return left
