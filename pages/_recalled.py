"""What long-term memory had for a session's task, and what of the session went into it: for its owner alone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components import memory_record
from components.language import recorded, say, say_n
from components.look import escape
from memory_bank.errors import CorruptLogError, LongTermError
from memory_bank.events import MemoryKept, MemoryRecalled
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.store import AnyRecord
from memory_bank.remembering.continuity import AWAY, tells_away
from pages._memory import memory, tell
from pages._server import server
from pages._user import current_user
from pages._view import fold
from pages._visitor import Looking

LONG_TERM = "pages/long_term_memory.py"


def own(session_id: str) -> Owner | None:
    """For whom a session remembers, if that is the visitor; None otherwise."""
    try:
        owner = server().owner(session_id)
    except (CorruptLogError, OSError):
        return None
    return owner if owner is not None and owner.user == current_user() else None


def draw(look: Looking, owner: Owner) -> None:
    """A folded part: what was recalled, what was kept. Records are looked up when it is opened."""
    bank = look.moment.bank
    away = any(tells_away(event) for event in look.moment.events)
    if bank.recalled is None and not (bank.kept or away):
        return
    with fold(title(bank.recalled, bank.kept, away=away), "long-term") as opened:
        if opened.open:
            try:
                draw_recalled(owner.user, bank.recalled)
                draw_kept(owner.user, bank.kept)
            except LongTermError as error:
                tell(say("Long-term memory cannot be reached now, so its records are not shown."))
                st.text(recorded(str(error)))
            st.page_link(LONG_TERM, label=say("Long-term memory: correct or forget"))


def title(recalled: MemoryRecalled | None, kept: Sequence[MemoryKept], *, away: bool) -> str:
    """The part's name, with how much was recalled and how much was kept; or that memory was away."""
    if away or (recalled is not None and recalled.skipped == AWAY):
        return say("Long-term memory was away; the work went on without it")
    had = 0 if recalled is None else sum(map(len, (recalled.fact_ids, recalled.episode_ids, recalled.turn_ids)))
    got = len({record_id for event in kept for record_id in (*event.created, *event.updated)})
    return say("From long-term memory ({had} recalled, {got} kept)", had=had, got=got)


def draw_recalled(user: str, recalled: MemoryRecalled | None) -> None:
    """What the task was given, or why nothing was looked for."""
    if recalled is None:
        return
    if recalled.skipped:
        tell(say("Nothing was looked for: {reason}", reason=recorded(recalled.skipped)))
    draw_part(user, say("Facts"), recalled.fact_ids)
    draw_part(user, say("Tasks done before"), recalled.episode_ids)
    draw_part(user, say("Earlier in this conversation"), recalled.turn_ids)
    if not (recalled.skipped or recalled.fact_ids or recalled.episode_ids or recalled.turn_ids):
        tell(say("Nothing that is kept bears on this task."))


def draw_kept(user: str, kept: Sequence[MemoryKept]) -> None:
    """What of this session is in long-term memory now."""
    draw_part(user, say("Kept from this session"), [one for event in kept for one in event.created])
    draw_part(user, say("Known before, and said here again"), [one for event in kept for one in event.updated])
    disputed = [one for event in kept for one in event.disputed]
    draw_part(user, say("In dispute with what was said here: you decide"), disputed)


def draw_part(user: str, name: str, record_ids: Sequence[str]) -> None:
    """Records under a name, each as it is now."""
    if not record_ids:
        return
    found = [memory().get(user, record_id) for record_id in dict.fromkeys(record_ids)]
    with st.container(gap="xsmall"):
        st.html(f'<div class="mb-part">{escape(name)}</div>')
        for record in found:
            if record is not None:
                memory_record.draw_line(record)
        draw_gone(found)


def draw_gone(found: Sequence[AnyRecord | None]) -> None:
    """How many records are not there any more."""
    gone = sum(record is None for record in found)
    if gone:
        tell(say_n("{n} was forgotten since.", "{n} were forgotten since.", gone))
