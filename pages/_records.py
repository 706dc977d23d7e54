"""What is kept of a user, one record after another: read, corrected, forgotten; and the disputes that wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st
from pydantic import ValidationError

from components import memory_dispute, memory_form, memory_record
from components.language import recorded, say, say_n
from components.look import escape, heading
from components.memory_form import FactFields
from components.memory_record import RecordRow
from memory_bank.long_term.record import Dispute, Fact, Verdict, first_fault
from memory_bank.long_term.store import AnyRecord
from pages._memory import Desk, asked, finish, memory, origin, session_there
from pages._visitor import RUN

MOST_DISPUTES = 5
"""So many disputes are shown at once: as one is decided, the next comes up."""


def draw_disputes(here: Desk, records: Sequence[AnyRecord]) -> None:
    """What was said against stored facts, newest first, until somebody decides."""
    waiting = [(fact, dispute) for fact in records if isinstance(fact, Fact) for dispute in fact.disputes]
    if not waiting:
        return
    heading(say("In dispute"), say_n("{n} waits for you", "{n} wait for you", len(waiting)))
    for fact, dispute in sorted(waiting, key=lambda pair: pair[1].said, reverse=True)[:MOST_DISPUTES]:
        with st.container(border=True, key=f"dispute-{fact.id}-{dispute.id}"):
            origins = (origin(fact.source_session, fact), origin(dispute.source_session))
            key = f"decide-{fact.id}-{dispute.id}"
            verdict = memory_dispute.draw(fact, dispute, origins=origins, key=key)
            if verdict is not None:
                decide(here, fact, dispute, verdict)


def decide(here: Desk, fact: Fact, dispute: Dispute, verdict: Verdict) -> None:
    """End a dispute as the person says."""
    decided = asked(lambda: (memory().decide(here.user, fact.id, dispute.id, verdict),))
    if decided is not None:
        gone = say("The fact or its dispute is gone: it was decided or forgotten elsewhere.")
        finish(here, gone if decided[0] is None else say("Decided. What does not hold stays in the fact’s history."))


def draw_record(here: Desk, row: RecordRow) -> None:
    """A record with its history, and what can be done with it."""
    record = row.record
    there = session_there(record.source_session)
    with st.container(key=f"record-{record.id}", gap="xsmall"):
        memory_record.draw(replace(row, origin=came_from(record, there=there)))
        memory_record.draw_history(record)
        if here.correcting == record.id and isinstance(record, Fact):
            draw_correction(here, record)
        elif here.forgetting == record.id:
            draw_forgetting(here, record)
        else:
            draw_actions(here, record, there=there)


def came_from(record: AnyRecord, *, there: bool) -> str:
    """Where a record comes from, as plain text."""
    said = origin(record.source_session, record if isinstance(record, Fact) else None)
    return said if there or record.source_session is None else say("{said}, which is not here any more", said=said)


def draw_actions(here: Desk, record: AnyRecord, *, there: bool) -> None:
    """The ways to its session where that is `there`, to correct it, and to forget it."""
    with st.container(horizontal=True, gap="small"):
        if there and st.button(say("Open its session"), key=f"session-{record.id}"):
            st.switch_page("pages/session.py", query_params={RUN: str(record.source_session)})
        if isinstance(record, Fact):
            st.button(say("Correct"), key=f"correct-{record.id}", on_click=turn_to, args=(here, record.id, None))
        key = f"forget-{record.id}"
        st.button(say("Forget"), key=key, type="tertiary", on_click=turn_to, args=(here, None, record.id))


def turn_to(here: Desk, correcting: str | None, forgetting: str | None) -> None:
    """What is being done next, in place of what was."""
    here.correcting, here.forgetting = correcting, forgetting


def draw_correction(here: Desk, fact: Fact) -> None:
    """The fields of a fact that is being corrected."""
    filled = memory_form.draw_correction(fact.content, fact.context, key=f"correction-{fact.id}")
    if filled == "leave":
        finish(here, "")
    elif filled is not None:
        correct(here, fact, filled)


def correct(here: Desk, fact: Fact, filled: FactFields) -> None:
    """Let the fact say what was filled in, or tell why it cannot."""
    said = {"content": filled.content, "context": filled.context, "updated": datetime.now(UTC)}
    try:
        new = Fact.model_validate({**dict(fact), **said, "told_by": "person", "source_session": None})
    except ValidationError as error:
        refuse(error)
        return
    done = asked(lambda: (memory().correct(new, fact.id),))
    if done is not None:
        gone = say("The fact is gone: it was forgotten elsewhere, and was not brought back.")
        finish(here, gone if done[0] is None else say("Corrected. The old words stand in its history."))


def refuse(error: ValidationError) -> None:
    """Why a fact cannot be kept as it was filled in, in a line."""
    empty = error.errors()[0]["type"] in ("string_too_short", "string_pattern_mismatch")
    st.error(say("Nothing was kept: write what is so.") if empty else say("Nothing was kept."))
    if not empty:
        st.text(recorded(first_fault(error)))


def draw_forgetting(here: Desk, record: AnyRecord) -> None:
    """Whether it is really to be forgotten: asked where the button was."""
    words = say("Forget this with everything it said before? It cannot be brought back.")
    st.html(f'<div class="mb-ask" role="alert">{escape(words)}</div>')
    with st.container(horizontal=True, gap="small"):
        if st.button(say("Forget it"), key=f"forget-sure-{record.id}", type="primary"):
            forget(here, record)
        st.button(say("Keep it"), key=f"keep-{record.id}", on_click=turn_to, args=(here, None, None))


def forget(here: Desk, record: AnyRecord) -> None:
    """Remove a record."""
    done = asked(lambda: memory().forget(here.user, record.id))
    if done is not None:
        finish(here, say("Forgotten.") if done else say("It was forgotten already."))
