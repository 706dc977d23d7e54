"""The next task of a conversation: a session of its own that remembers what was asked, done and found before."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import heading, plain
from memory_bank.bank.source import Source
from memory_bank.errors import SessionNotFoundError
from memory_bank.long_term.owner import Owner
from memory_bank.session_store import Upload
from pages import _visitor
from pages._begun import begun
from pages._choices import chosen
from pages._engines import to_go_on
from pages._server import NewSession, Server, server
from pages._start import go
from pages._visitor import Looking


def draw(look: Looking, owner: Owner) -> None:
    """The field for the next task."""
    last = begun()
    heading(say("Ask a follow-up"), say("it remembers this conversation"))
    with st.form("follow-up", border=False):
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        task = left.text_input(say("Next task"), key="follow-up-task")
        sent = right.form_submit_button(say("Ask on"), key="follow-up-go", width="stretch")
        same = st.checkbox(say("With the same documents and references"), value=True, key="follow-up-same")
    settings, words = to_go_on(look.live.bank.engine.values(), chosen(server()))
    if words:
        st.caption(plain(words))
    if sent and not task.strip():
        st.error(say("Write a task first."))
    elif sent:
        new, left_out = following(server(), look, " ".join(task.split()), owner, same=same)
        session_id = last.once(server(), new, settings)
        _visitor.leave_word(session_id, left_out)
        go(session_id)


def following(
    here: Server, look: Looking, task: str, owner: Owner, *, same: bool
) -> tuple[NewSession, tuple[str, ...]]:
    """The next session of a conversation, and a word for each document of the last one that it goes without."""
    sources = look.live.bank.sources.values() if same else ()
    there = {source.id: upload for source in sources if (upload := kept(here, look.session_id, source)) is not None}
    documents, references = (
        tuple(there[source.id] for source in sources if source.id in there and source.role == role)
        for role in ("material", "reference")
    )
    left_out = tuple(
        say("{file} was left out: its file is not there any more.", file=source.name)
        for source in sources
        if source.id not in there
    )
    return NewSession(task, documents, references, owner=owner), left_out


def kept(here: Server, session_id: str, source: Source) -> Upload | None:
    """A document of a session under the name the person gave it; None where its file is gone."""
    try:
        return Upload(source.name, (here.store.find(session_id) / source.path).read_bytes())
    except (OSError, SessionNotFoundError):
        return None
