"""The parts of the Long-term memory page: single records, their disputes, and the forms that concern all of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st
from pydantic import ValidationError

from components import memory_form, memory_record
from components.language import say, say_n
from components.look import ask_whether, draw_error, draw_note, heading
from components.memory_record import RecordRow, draw_memory_record
from memory_bank.bank.errors import ImportRefusedError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import Fact, FactDispute, Scope, export_records, first_fault, parse_records
from memory_bank.long_term.record_type import Verdict
from memory_bank.long_term.store import AnyRecord
from pages.shared.background import draw_until_done, failure, run_in_background
from pages.shared.long_term import (
    MemoryPageState,
    Projects,
    can_open_session,
    in_projects,
    memory,
    origin_text,
    redraw_with_message,
    scope_of_projects,
    try_or_report,
)
from pages.shared.page_paths import SESSION_PAGE
from pages.shared.tab_state import SESSION_PARAMETER

EVERYTHING, PROJECT = "everything", "project"
MAX_DISPUTES = 5
"""Disputes shown at once. When one is decided, the next appears."""


# -- single records


def draw_disputes(page_state: MemoryPageState, records: Sequence[AnyRecord]) -> None:
    """Draw the undecided disputes about stored facts, newest first."""
    undecided = [(fact, dispute) for fact in records if isinstance(fact, Fact) for dispute in fact.disputes]
    if not undecided:
        return
    heading(say("In dispute"), say_n("{n} waits for you", "{n} wait for you", len(undecided)))
    for fact, dispute in sorted(undecided, key=lambda pair: pair[1].said, reverse=True)[:MAX_DISPUTES]:
        with st.container(border=True, key=f"dispute-{fact.id}-{dispute.id}"):
            origins = (origin_text(fact.source_session, fact), origin_text(dispute.source_session))
            key = f"decide-{fact.id}-{dispute.id}"
            verdict = memory_record.draw_dispute(fact, dispute, origins=origins, key=key)
            if verdict is not None:
                decide(page_state, fact, dispute, verdict)


def decide(page_state: MemoryPageState, fact: Fact, dispute: FactDispute, verdict: Verdict) -> None:
    """Settle a dispute with the person's verdict."""
    decided = try_or_report(lambda: (memory().decide(page_state.user, fact.id, dispute.id, verdict),))
    if decided is not None:
        gone = say("The fact or its dispute no longer exists. It was decided or forgotten elsewhere.")
        settled = say("Decided. What was rejected stays in the fact’s history.")
        redraw_with_message(page_state, gone if decided[0] is None else settled)


def draw_record(page_state: MemoryPageState, row: RecordRow) -> None:
    """Draw a record with its history and its buttons or form."""
    record = row.record
    can_open = can_open_session(record.source_session)
    with st.container(key=f"record-{record.id}", gap="xsmall"):
        origin = origin_text(record.source_session, record if isinstance(record, Fact) else None)
        if record.source_session is not None and not can_open:
            origin = say("{said}, which no longer exists", said=origin)
        draw_memory_record(replace(row, origin=origin))
        memory_record.draw_history(record)
        if page_state.correcting == record.id and isinstance(record, Fact):
            draw_correction(page_state, record)
        elif page_state.forgetting == record.id:
            draw_forgetting(page_state, record)
        else:
            draw_record_actions(page_state, record, can_open=can_open)


def draw_record_actions(page_state: MemoryPageState, record: AnyRecord, *, can_open: bool) -> None:
    """Draw the buttons to open its session (if `can_open`), to correct it if it is a fact, and to forget it."""
    with st.container(horizontal=True, gap="small"):
        if can_open and st.button(say("Open its session"), key=f"session-{record.id}"):
            st.switch_page(SESSION_PAGE, query_params={SESSION_PARAMETER: str(record.source_session)})
        if isinstance(record, Fact):
            st.button(say("Correct"), key=f"correct-{record.id}", on_click=set_mode, args=(page_state, record.id, None))
        key = f"forget-{record.id}"
        st.button(say("Forget"), key=key, type="tertiary", on_click=set_mode, args=(page_state, None, record.id))


def set_mode(page_state: MemoryPageState, correcting: str | None, forgetting: str | None) -> None:
    """Set the record being corrected or the one to ask about forgetting; None: neither."""
    page_state.correcting, page_state.forgetting = correcting, forgetting


def draw_correction(page_state: MemoryPageState, fact: Fact) -> None:
    """Draw the form to correct a fact; store the corrected fact, or say why it cannot be stored."""
    fields = memory_form.draw_correction_form(fact.content, fact.context, key=f"correction-{fact.id}")
    if fields is None:
        return
    if fields == "leave":
        redraw_with_message(page_state, "")
        return
    changes = {"content": fields.content, "context": fields.context, "updated": datetime.now(UTC)}
    try:
        new = Fact.model_validate({**dict(fact), **changes, "told_by": "person", "source_session": None})
    except ValidationError as error:
        draw_invalid_fact(error)
        return
    corrected = try_or_report(lambda: (memory().correct(new, fact.id),))
    if corrected is not None:
        gone = say("The fact was forgotten elsewhere. Your correction was not saved.")
        saved = say("Corrected. The earlier wording is in its history.")
        redraw_with_message(page_state, gone if corrected[0] is None else saved)


def draw_invalid_fact(error: ValidationError) -> None:
    """Say why a filled-in fact cannot be stored."""
    if error.errors()[0]["type"] in ("string_too_short", "string_pattern_mismatch"):
        st.error(say("Nothing was saved: write the fact."))
    else:
        draw_error(say("Nothing was saved."), first_fault(error))


def draw_forgetting(page_state: MemoryPageState, record: AnyRecord) -> None:
    """Ask whether to forget the record, in place of its buttons, and forget it."""
    question = say("Forget this record and its history? This cannot be undone.")
    key = f"forget-{record.id}"
    if ask_whether(question, say("Forget it"), say("Keep it"), key=key, on_no=lambda: set_mode(page_state, None, None)):
        forgotten = try_or_report(lambda: memory().forget(page_state.user, record.id))
        if forgotten is not None:
            redraw_with_message(page_state, say("Forgotten.") if forgotten else say("It was already forgotten."))


# -- all records


def draw_adding(page_state: MemoryPageState, projects: Projects) -> None:
    """Draw the form to add a fact by hand; store the fact, or say why it cannot be stored."""
    heading(say("Add a fact"))
    fields = memory_form.draw_new(projects[0] if isinstance(projects, tuple) else "", version=page_state.form_version)
    if fields is None:
        return
    now = datetime.now(UTC)
    try:
        fact = Fact(
            type=fields.type,
            content=fields.content,
            context=fields.context,
            user_id=page_state.user,
            project_id=fields.project or None,
            created=now,
            updated=now,
        )
    except ValidationError as error:
        draw_invalid_fact(error)
        return
    result = try_or_report(lambda: memory().remember(fact))
    if result is not None:
        page_state.form_version += 1
        outcomes = {
            "created": say("Kept as a new fact."),
            "updated": say("Updated the existing fact. The earlier wording is in its history."),
            "conflict": say("It contradicts a stored fact. Both are kept until you decide which holds."),
        }
        redraw_with_message(page_state, outcomes[result.outcome])


def draw_transfer(page_state: MemoryPageState, projects: Projects) -> None:
    """Draw the export button, the import form, and the progress of an import; start one in a thread."""
    heading(say("Export and import"), say("as JSON"))
    store = memory()
    st.download_button(
        say("Export"),
        data=lambda: export(store, page_state.user, projects),
        file_name="long-term-memory.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export-memory",
        help=say("All records of the projects that are shown, with their histories"),
    )
    if page_state.importing is not None:
        importing = page_state.importing
        draw_until_done([importing], lambda: draw_record_import(importing))
    with st.form("import-memory", border=False, clear_on_submit=True):
        file = st.file_uploader(say("An export of long-term memory (JSON)"), type="json", key="import-memory-file")
        sent = st.form_submit_button(say("Import"), key="import-memory-go")
    if not sent or file is None:
        return
    try:
        records = parse_records(file.getvalue())
    except ImportRefusedError as error:
        draw_error(say("Nothing was imported."), str(error))
        return
    user = page_state.user
    page_state.importing = run_in_background(lambda: (store.take(records, user), len(records)))
    st.rerun()


def export(store: LongTermMemory, user: str, projects: Projects) -> str:
    """The records of the projects as JSON, as they are now."""
    records = store.records(scope_of_projects(user, projects))
    return export_records([record for record in records if in_projects(record, projects)])


def draw_record_import(importing: Future[tuple[int, int]]) -> None:
    """Draw the state of the import."""
    if not importing.done():
        draw_note(say("Importing the records …"), live=True)
        return
    reason = failure(importing)
    if reason is not None:
        draw_error(say("Nothing was imported."), reason)
        return
    imported, total = importing.result()
    new = say_n("{n} record was imported.", "{n} records were imported.", imported)
    existing = say_n("{n} already existed.", "{n} already existed.", total - imported)
    draw_note(say("{said} {more}", said=new, more=existing), live=True)


def draw_forget_scopes(page_state: MemoryPageState, records: list[AnyRecord], projects: Projects) -> None:
    """Draw the ways to forget the chosen project, and everything. Each takes two steps."""
    heading(say("Forget"))
    if isinstance(projects, tuple):
        number = sum(in_projects(record, projects) for record in records)
        label = say("Forget this project")
        draw_forget_scope(page_state, PROJECT, label, number, Scope(user=page_state.user, project=projects[0]))
    draw_forget_scope(page_state, EVERYTHING, say("Forget everything"), len(records), Scope(user=page_state.user))


def draw_forget_scope(page_state: MemoryPageState, which: str, label: str, number: int, scope: Scope) -> None:
    """Draw a button to forget a scope; once pressed, a question in its place."""
    if page_state.forgetting != which:
        st.button(label, key=f"forget-{which}", disabled=not number, on_click=set_mode, args=(page_state, None, which))
        return
    of = say("of project {project}", project=scope.project) if scope.project else say("of all projects")
    question = say_n(
        "Forget {n} record {of}? This cannot be undone.",
        "Forget {n} records {of}? This cannot be undone.",
        number,
        of=of,
    )
    if ask_whether(
        question,
        say("Forget for good"),
        say("Keep them"),
        key=f"forget-{which}",
        on_no=lambda: set_mode(page_state, None, None),
    ):
        forgotten = try_or_report(lambda: memory().forget_all(scope))
        if forgotten is not None:
            redraw_with_message(
                page_state, say_n("{n} record was forgotten.", "{n} records were forgotten.", forgotten)
            )
