"""The part of the Session page about long-term memory: what was recalled and what was kept. For its owner only."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import memory_record
from components.language import recorded, say, say_n
from components.look import draw_note, escape
from memory_bank.bank.errors import CorruptLogError, LongTermError
from memory_bank.bank.events import MemoryKept, MemoryRecalled
from memory_bank.long_term.owner import Owner
from memory_bank.session.long_term_link import UNAVAILABLE, is_unavailable_notice
from pages.shared.long_term import memory
from pages.shared.page_paths import LONG_TERM_MEMORY_PAGE
from pages.shared.server import get_server
from pages.shared.session_view import folded_part
from pages.shared.tab_state import ViewState
from pages.shared.user import current_user


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
        st.html(f'<div class="mb-part">{escape(title)}</div>')
        for record in records:
            if record is not None:
                memory_record.draw_compact(record)
        forgotten = sum(record is None for record in records)
        if forgotten:
            draw_note(say_n("{n} has been forgotten since.", "{n} have been forgotten since.", forgotten))
