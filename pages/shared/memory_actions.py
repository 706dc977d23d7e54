"""Forms of the Long-term memory page that concern all records: add a fact, export, import, forget many."""

from __future__ import annotations

from concurrent.futures import Future
from datetime import UTC, datetime

import streamlit as st
from pydantic import ValidationError

from components import memory_form
from components.language import say, say_n
from components.look import ask_whether, draw_error, escape, heading
from memory_bank.bank.errors import ImportRefusedError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import Fact, Scope, export_records, parse_records
from memory_bank.long_term.store import AnyRecord
from pages.shared.background import draw_until_done, failure, run_in_background
from pages.shared.long_term import (
    MemoryPageState,
    Projects,
    in_projects,
    memory,
    redraw_with_message,
    scope_of_projects,
    try_or_report,
)
from pages.shared.memory_records import draw_invalid_fact, set_mode

EVERYTHING, PROJECT = "everything", "project"


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
        st.html(f'<div class="mb-empty" role="status">{escape(say("Importing the records …"))}</div>')
        return
    reason = failure(importing)
    if reason is not None:
        draw_error(say("Nothing was imported."), reason)
        return
    imported, total = importing.result()
    new = say_n("{n} record was imported.", "{n} records were imported.", imported)
    existing = say_n("{n} already existed.", "{n} already existed.", total - imported)
    st.html(f'<div class="mb-empty" role="status">{escape(say("{said} {more}", said=new, more=existing))}</div>')


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
