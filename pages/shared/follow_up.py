"""The follow-up form: the next task of a conversation, run as a new session that remembers the earlier ones."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import heading, plain
from memory_bank.bank.errors import SessionNotFoundError
from memory_bank.bank.source import Source
from memory_bank.long_term.owner import Owner
from memory_bank.storage.session_store import Upload
from pages.shared import tab_state
from pages.shared.engine_choice import resume_settings
from pages.shared.server import NewSession, Server, get_server
from pages.shared.start import open_session, session_starter
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings


def draw_follow_up(view: ViewState, owner: Owner) -> None:
    """Draw the form for the next task, and start its session when it is submitted."""
    starter = session_starter()
    heading(say("Ask a follow-up"), say("it remembers this conversation"))
    with st.form("follow-up", border=False):
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        task = left.text_input(say("Next task"), key="follow-up-task")
        sent = right.form_submit_button(say("Ask"), key="follow-up-go", width="stretch")
        same_files = st.checkbox(say("With the same documents and references"), value=True, key="follow-up-same")
    settings, warning = resume_settings(view.live.bank.engine.values(), tab_settings(get_server()))
    if warning:
        st.caption(plain(warning))
    if sent and not task.strip():
        st.error(say("Write a task first."))
    elif sent:
        new, left_out = next_session(get_server(), view, " ".join(task.split()), owner, same_files=same_files)
        session_id = starter.start(get_server(), new, settings)
        tab_state.set_messages(session_id, left_out)
        open_session(session_id)


def next_session(
    server: Server, view: ViewState, task: str, owner: Owner, *, same_files: bool
) -> tuple[NewSession, tuple[str, ...]]:
    """The next session of a conversation, and a message for each document of this session that is left out."""
    sources = view.live.bank.sources.values() if same_files else ()
    found = {source.id: source_upload(server, view.session_id, source) for source in sources}
    uploads = {source_id: upload for source_id, upload in found.items() if upload is not None}
    documents, references = (
        tuple(uploads[source.id] for source in sources if source.id in uploads and source.role == role)
        for role in ("material", "reference")
    )
    left_out = tuple(
        say("{file} was left out: the file no longer exists.", file=source.name)
        for source in sources
        if source.id not in uploads
    )
    return NewSession(task, documents, references, owner=owner), left_out


def source_upload(server: Server, session_id: str, source: Source) -> Upload | None:
    """A document of a session, under the name the person gave it; None if its file is gone."""
    try:
        return Upload(source.name, (server.store.find(session_id) / source.path).read_bytes())
    except (OSError, SessionNotFoundError):
        return None
