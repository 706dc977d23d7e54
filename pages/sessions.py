"""The Sessions page: those this tab began or opened; open another by its address, import, export, delete."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import streamlit as st

from components.look import SESSION_STATES, SessionState, count, escape, heading, mark
from memory_bank.bank.transfer import export_session
from memory_bank.errors import CorruptLogError, ImportRefusedError, SessionNotFoundError
from memory_bank.events import SessionCreated, StatusChanged
from memory_bank.importing import import_session
from pages import _visitor
from pages._entry import require_app
from pages._server import Server, server
from pages._visitor import RUN


@dataclass(frozen=True)
class Row:
    """A session in the list."""

    id: str
    task: str
    state: SessionState
    began: datetime
    events: int


def main() -> None:
    """List, open, import."""
    here = server()
    left, right = st.columns([3, 2], gap="large")
    with left:
        heading("Sessions of this tab")
        draw_list(here)
    with right:
        heading("Open by address")
        draw_open()
        heading("Import")
        draw_import(here)


def draw_list(server: Server) -> None:
    """The sessions this tab began or opened, newest first."""
    rows = [row for session_id in _visitor.sessions() if (row := read(server, session_id)) is not None]
    if not rows:
        st.html(
            '<div class="mb-empty">None yet. Sessions are private to whoever has their address: start one, open one '
            "by its address, or import an export.</div>"
        )
        st.page_link("pages/session.py", label="Start a session", icon=":material/add:")
        return
    for row in rows:
        with st.container(border=True, key=f"row-{row.id}"):
            draw_row(server, row)


def read(server: Server, session_id: str) -> Row | None:
    """What the list says of a session; None where it is gone or cannot be read."""
    activity = server.activity(session_id)  # before the events, so that an end seen here is in them
    try:
        events = list(server.events(session_id))
    except (SessionNotFoundError, CorruptLogError):
        return None
    first = events[0] if events else None
    if not isinstance(first, SessionCreated):
        return None
    changes = [event.status for event in events if isinstance(event, StatusChanged)]
    state: SessionState = changes[-1] if changes else "created"
    if state == "running" and activity == "still":
        state = "interrupted"
    return Row(session_id, first.task_goal, state, first.at, len(events))


def draw_row(server: Server, row: Row) -> None:
    """A session and what can be done with it."""
    look = SESSION_STATES[row.state]
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.html(
        f'<div class="mb-row">{escape(row.task)}<br><span class="mb-quiet">{mark(look)}{look.word} · '
        f"{row.began:%Y-%m-%d %H:%M} UTC · {count(row.events, 'event')}</span></div>"
    )
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Open", key=f"open-{row.id}"):
            open_session(row.id)
        st.download_button(
            "Export",
            data=lambda: export_session(list(server.events(row.id))),
            file_name=f"session-{row.id[:8]}.json",
            mime="application/json",
            on_click="ignore",
            key=f"export-{row.id}",
        )
        with st.popover("Delete"):
            st.write("Delete this session with its documents? It cannot be brought back.")
            if st.button("Delete for good", key=f"delete-{row.id}", type="primary"):
                delete(server, row.id)


def open_session(session_id: str) -> None:
    """Go to a session's own page."""
    st.switch_page("pages/session.py", query_params={RUN: session_id})


def delete(server: Server, session_id: str) -> None:
    """Remove a session and everything it holds."""
    try:
        server.delete(session_id)
    except SessionNotFoundError:
        st.toast("It was deleted already.")
    _visitor.forget(session_id)
    st.rerun()


def draw_open() -> None:
    """A field for an address or an id."""
    with st.form("open", border=False):
        address = st.text_input("Address", placeholder="http://…/?run=…", key="address", label_visibility="collapsed")
        sent = st.form_submit_button("Open")
    if sent and address.strip():
        open_session(session_in(address.strip()))


def session_in(address: str) -> str:
    """The session id in an address; what is no address is taken as the id itself."""
    named = parse_qs(urlsplit(address).query).get(RUN)
    return named[0] if named else address


def draw_import(server: Server) -> None:
    """A field for an export."""
    with st.form("import", border=False, clear_on_submit=True):
        file = st.file_uploader("Exported session (JSON)", type="json", key="import-file")
        sent = st.form_submit_button("Import")
    if not sent or file is None:
        return
    try:
        session_id = import_session(file.getvalue(), server.store)
    except ImportRefusedError as error:
        st.error("The file was not imported; nothing was changed. Choose a file that was exported here.")
        st.text(str(error))
        return
    _visitor.remember(session_id)
    open_session(session_id)


require_app("pages/sessions.py")
main()
