"""The Long-term memory page: what is kept for the visitor between sessions, to search, correct, decide and forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Literal

import streamlit as st
from pydantic import ValidationError

from components import memory_record, pager
from components.language import say, say_n
from components.look import ask_whether, draw_error, draw_note, draw_title, heading
from components.memory_record import KINDS, draw_memory_record
from memory_bank.bank.errors import ImportRefusedError, LongTermError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import Fact, FactDispute, Scope, export_records, first_fault, parse_records
from memory_bank.long_term.record_type import LONGEST_TEXT, RECORD_TYPES, RecordType, Verdict
from memory_bank.long_term.store import AnyRecord
from pages.shared.background import draw_until_done, failure, run_in_background
from pages.shared.long_term import (
    MemoryPageState,
    Projects,
    can_open_session,
    in_projects,
    memory,
    memory_page_state,
    origin_text,
    redraw_with_message,
    scope_of_projects,
    store_name,
    try_or_report,
)
from pages.shared.page_paths import SESSION_PAGE
from pages.shared.tab_state import SESSION_PARAMETER
from pages.shared.user import current_user, draw_user

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# A record, and its similarity to what was searched for, if anything was.
Row = tuple[AnyRecord, float | None]
# Most records that a search shows.
MAX_HITS = 20
# Records listed at once.
PAGE_SIZE = 20
# Disputes shown at once. When one is decided, the next appears.
MAX_DISPUTES = 5
# What may be forgotten at once.
EVERYTHING, PROJECT = "everything", "project"


def main() -> None:
    """Draw disputes and records on the left, the forms that concern all records on the right; or ask to log in."""
    about = say(
        "Facts, completed tasks and conversations that are kept between sessions, for you alone. Something "
        "is kept only if “Remember across sessions” is ticked when a session starts, or if you add it here."
    )
    draw_title(say("Long-term memory"), about)
    user = current_user()
    draw_user()
    if user is None:
        draw_note(say("Log in to see what is remembered for you. Without a login nothing is looked up or kept."))
        return
    page_state = memory_page_state(user)
    if page_state.message:
        st.info(page_state.message)
        page_state.message = ""
    try:
        records = memory().records(Scope(user=user))
    except LongTermError as error:
        draw_error(
            say("Long-term memory cannot be reached now. Nothing in it was changed, and sessions go on without it."),
            str(error),
        )
        st.button(say("Try again"), key="again")
        return
    left, right = st.container(key="long-term").columns([13, 6], gap="large")
    with left:
        number = say("{number} of at most {most} records", number=f"{len(records):,}", most=f"{Policy().quota:,}")
        heading(say("What is kept"), say("{number} · {place}", number=number, place=store_name()))
        projects, kinds, query = draw_record_filters(records)
        shown = [record for record in records if in_projects(record, projects)]
        draw_disputes(page_state, shown)
        draw_record_list(page_state, shown, projects, kinds, query)
    with right:
        draw_adding(page_state, projects)
        draw_transfer(page_state, projects)
        draw_forget_scopes(page_state, records, projects)


def draw_record_filters(records: Sequence[AnyRecord]) -> tuple[Projects, tuple[RecordType, ...], str]:
    """Draw the filters. Return the chosen projects and kinds, and the search text."""
    if not records:
        return "all", RECORD_TYPES, ""
    left, right = st.columns(2, vertical_alignment="bottom")
    named = {record.project_id for record in records if record.project_id is not None}
    options: list[Projects] = ["all", "none", *((project,) for project in sorted(named))]
    projects = left.selectbox(say("Project"), options, format_func=project_name, key="memory-project")
    query = right.text_input(say("Search by meaning"), key="memory-search").strip()
    numbers = Counter(record.type for record in records if in_projects(record, projects))
    kinds = st.pills(
        say("Kinds"),
        [kind for kind in RECORD_TYPES if numbers[kind]],
        selection_mode="multi",
        format_func=lambda kind: f"{KINDS[kind].glyph} {memory_record.count(kind, numbers[kind])}",
        label_visibility="collapsed",
        key="memory-kinds",
    )
    return projects, tuple(kinds) or RECORD_TYPES, query


def project_name(projects: Projects) -> str:
    """The label of a choice of projects. A project's name cannot be mistaken for another choice."""
    if isinstance(projects, tuple):
        return say("Project: {project}", project=projects[0])
    return say("All projects") if projects == "all" else say("Without a project")


def draw_record_list(
    page_state: MemoryPageState, shown: list[AnyRecord], projects: Projects, kinds: tuple[RecordType, ...], query: str
) -> None:
    """Draw the records, newest first, or the search results, most similar first; one page at a time."""
    if not shown:
        draw_note(
            say(
                "Nothing is kept here yet. Tick “Remember across sessions” when you start a session, or add a fact by "
                "hand."
            )
        )
        st.page_link(SESSION_PAGE, label=say("Start a session"), icon=":material/add:")
        return
    rows: list[Row] = [(record, None) for record in shown if record.type in kinds]
    if query:
        rows = search(page_state, projects, kinds, query)
    heading(say("Search results") if query else say("Records"), say_n("{n} record", "{n} records", len(rows)))
    if not rows:
        draw_note(say("No matching records. Try other words, or choose another project or kind."))
    for record, similarity in pager.page_of(rows, PAGE_SIZE, key=f"records {projects} {kinds} {query}"):
        draw_record(page_state, record, similarity)


def search(page_state: MemoryPageState, projects: Projects, kinds: tuple[RecordType, ...], query: str) -> list[Row]:
    """The records most similar to the search text."""
    scope = scope_of_projects(page_state.user, projects)
    with st.spinner(say("Searching …")):
        # records without a project are filtered from all records
        limit = Policy().quota if projects == "none" else MAX_HITS
        hits = try_or_report(lambda: memory().search(scope, query, kinds, limit)) or []
    shown = [hit for hit in hits if hit.similarity > 0 and in_projects(hit.record, projects)]
    return [(hit.record, hit.similarity) for hit in shown[:MAX_HITS]]


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


def draw_record(page_state: MemoryPageState, record: AnyRecord, similarity: float | None) -> None:
    """Draw a record with its history and its buttons or form."""
    can_open = can_open_session(record.source_session)
    with st.container(key=f"record-{record.id}", gap="xsmall"):
        origin = origin_text(record.source_session, record if isinstance(record, Fact) else None)
        if record.source_session is not None and not can_open:
            origin = say("{said}, which no longer exists", said=origin)
        draw_memory_record(record, similarity, origin)
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
    key = f"correction-{fact.id}"
    with st.form(f"{key}-form", border=True):
        content = draw_content_field(say("Corrected text"), fact.content, key=f"{key}-content")
        context = draw_context_field(say("What it is about, corrected (optional)"), fact.context, key=f"{key}-context")
        with st.container(horizontal=True, gap="small"):
            saved = st.form_submit_button(say("Save the correction"), type="primary", key=f"{key}-save")
            unchanged = st.form_submit_button(say("Leave it as it is"), key=f"{key}-leave")
    if unchanged:
        redraw_with_message(page_state, "")
    if not saved:
        return
    changes = {"content": content, "context": context, "updated": datetime.now(UTC)}
    try:
        new = Fact.model_validate({**dict(fact), **changes, "told_by": "person", "source_session": None})
    except ValidationError as error:
        draw_invalid_fact(error)
        return
    corrected = try_or_report(lambda: (memory().correct(new, fact.id),))
    if corrected is not None:
        gone = say("The fact was forgotten elsewhere. Your correction was not saved.")
        saved_words = say("Corrected. The earlier wording is in its history.")
        redraw_with_message(page_state, gone if corrected[0] is None else saved_words)


def draw_content_field(label: str, value: str = "", *, key: str) -> str:
    """Draw the field for what is remembered."""
    return st.text_area(label, value=value, max_chars=LONGEST_TEXT, height=80, key=key).strip()


def draw_context_field(label: str, value: str = "", *, key: str) -> str:
    """Draw the field for what that is about."""
    help_text = say("For example a trip, a client or a device.")
    return st.text_input(label, value=value, max_chars=LONGEST_TEXT, key=key, help=help_text).strip()


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
    version, project = page_state.form_version, projects[0] if isinstance(projects, tuple) else ""
    with st.form("add-fact", border=False):
        content = draw_content_field(say("What to remember"), key=f"add-content {version}")
        context = draw_context_field(say("What it is about (optional)"), key=f"add-context {version}")
        labels: dict[Literal["semantic", "procedural"], str] = {
            "semantic": say("A fact"),
            "procedural": say("How to do something"),
        }
        kind = st.radio(say("Kind"), list(labels), format_func=labels.__getitem__, key=f"add-kind {version}")
        key = f"add-project {version} {project}"
        project = st.text_input(say("Project (optional)"), value=project, max_chars=200, key=key).strip()
        submitted = st.form_submit_button(say("Add"), key=f"add {version}")
    if not submitted:
        return
    now = datetime.now(UTC)
    try:
        fact = Fact(
            type=kind,
            content=content,
            context=context,
            user_id=page_state.user,
            project_id=project or None,
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


main()
