"""The part of the Session page for a session with long-term memory: what was recalled and kept, and the next task.

For its owner only. The next task of the conversation is run as a new session, which remembers the earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import memory_record
from components.language import recorded, say, say_n
from components.look import draw_note, draw_text, heading, plain
from memory_bank.bank.errors import CorruptLogError, LongTermError, SessionNotFoundError
from memory_bank.bank.events import MemoryKept, MemoryRecalled
from memory_bank.bank.source import Source
from memory_bank.long_term.owner import Owner
from memory_bank.session.remembering import UNAVAILABLE, is_unavailable_notice
from memory_bank.storage.session_store import Upload
from pages.shared import tab_state
from pages.shared.engine_choice import resume_settings
from pages.shared.long_term import memory
from pages.shared.page_paths import LONG_TERM_MEMORY_PAGE
from pages.shared.server import NewSession, Server, get_server
from pages.shared.session_view import folded_part
from pages.shared.start import open_session, session_starter
from pages.shared.tab_state import ViewState
from pages.shared.user import current_user
from pages.shared.visitor_settings import tab_settings


def own_memory(session_id: str) -> Owner | None:
    """The owner of the session's long-term memory if that is the visitor, else None."""
    try:
        owner = get_server().owner(session_id)
    except (CorruptLogError, OSError):
        return None
    return owner if owner is not None and owner.user == current_user() else None


def draw_recalled_and_kept(view: ViewState, owner: Owner) -> None:
    """Draw a folded part with the recalled and kept records. They are looked up when it is opened."""
    bank = view.moment.bank
    unavailable = any(is_unavailable_notice(event) for event in view.moment.events)
    if bank.recalled is None and not (bank.kept or unavailable):
        return
    with folded_part(title(bank.recalled, bank.kept, unavailable=unavailable), "long-term") as part:
        if part.open:
            try:
                draw_recalled_records(owner.user, bank.recalled)
                draw_kept_records(owner.user, bank.kept)
            except LongTermError as error:
                draw_note(say("Long-term memory cannot be reached now, so its records are not shown."))
                st.text(recorded(str(error)))
            st.page_link(LONG_TERM_MEMORY_PAGE, label=say("Long-term memory: correct or forget"))


def title(recalled: MemoryRecalled | None, kept: Sequence[MemoryKept], *, unavailable: bool) -> str:
    """The part's title: how many records were recalled and kept, or that memory was unavailable."""
    if unavailable or (recalled is not None and recalled.skipped == UNAVAILABLE):
        return say("Long-term memory was unavailable. The session continued without it.")
    recalled_count = (
        0 if recalled is None else sum(map(len, (recalled.fact_ids, recalled.episode_ids, recalled.turn_ids)))
    )
    kept_count = len({record_id for event in kept for record_id in (*event.created, *event.updated)})
    return say("From long-term memory ({had} recalled, {got} kept)", had=recalled_count, got=kept_count)


def draw_recalled_records(user: str, recalled: MemoryRecalled | None) -> None:
    """Draw the records that the task was given, or say why none were searched for."""
    if recalled is None:
        return
    if recalled.skipped:
        draw_note(say("No search was made: {reason}", reason=recorded(recalled.skipped)))
    draw_records(user, say("Facts"), recalled.fact_ids)
    draw_records(user, say("Earlier tasks"), recalled.episode_ids)
    draw_records(user, say("Earlier in this conversation"), recalled.turn_ids)
    if not (recalled.skipped or recalled.fact_ids or recalled.episode_ids or recalled.turn_ids):
        draw_note(say("No stored record is relevant to this task."))


def draw_kept_records(user: str, kept: Sequence[MemoryKept]) -> None:
    """Draw the records that came from this session."""
    draw_records(user, say("Kept from this session"), [record_id for event in kept for record_id in event.created])
    draw_records(
        user,
        say("Already known, and mentioned here again"),
        [record_id for event in kept for record_id in event.updated],
    )
    disputed = [record_id for event in kept for record_id in event.disputed]
    draw_records(user, say("In dispute with this session: you decide"), disputed)


def draw_records(user: str, title: str, record_ids: Sequence[str]) -> None:
    """Draw records under a title, each as it is now."""
    if not record_ids:
        return
    records = [memory().get(user, record_id) for record_id in dict.fromkeys(record_ids)]
    with st.container(gap="xsmall"):
        draw_text(title, "mb-part")
        for record in records:
            if record is not None:
                memory_record.draw_compact(record)
        forgotten = sum(record is None for record in records)
        if forgotten:
            draw_note(say_n("{n} has been forgotten since.", "{n} have been forgotten since.", forgotten))


# -- the next task


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
