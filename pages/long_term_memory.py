"""The Long-term memory page: what is kept for the visitor between sessions, to search, correct, decide and forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from components import memory_record, pager
from components.language import say, say_n
from components.look import draw_error, draw_note, draw_title, heading
from components.memory_record import KINDS, RecordRow
from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import Scope
from memory_bank.long_term.record_type import RECORD_TYPES, RecordType
from memory_bank.long_term.store import AnyRecord
from pages.shared.long_term import (
    MemoryPageState,
    Projects,
    in_projects,
    memory,
    memory_page_state,
    scope_of_projects,
    store_name,
    try_or_report,
)
from pages.shared.memory_records import draw_adding, draw_disputes, draw_forget_scopes, draw_record, draw_transfer
from pages.shared.page_paths import SESSION_PAGE
from pages.shared.user import current_user, draw_user

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# Most records that a search shows.
MAX_HITS = 20
# Records listed at once.
PAGE_SIZE = 20


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
    rows = [RecordRow(record) for record in shown if record.type in kinds]
    if query:
        rows = search(page_state, projects, kinds, query)
    heading(say("Search results") if query else say("Records"), say_n("{n} record", "{n} records", len(rows)))
    if not rows:
        draw_note(say("No matching records. Try other words, or choose another project or kind."))
    for row in pager.page_of(rows, PAGE_SIZE, key=f"records {projects} {kinds} {query}"):
        draw_record(page_state, row)


def search(
    page_state: MemoryPageState, projects: Projects, kinds: tuple[RecordType, ...], query: str
) -> list[RecordRow]:
    """The records most similar to the search text."""
    scope = scope_of_projects(page_state.user, projects)
    with st.spinner(say("Searching …")):
        # records without a project are filtered from all records
        limit = Policy().quota if projects == "none" else MAX_HITS
        hits = try_or_report(lambda: memory().search(scope, query, kinds, limit)) or []
    shown = [hit for hit in hits if hit.similarity > 0 and in_projects(hit.record, projects)]
    return [RecordRow(hit.record, hit.similarity) for hit in shown[:MAX_HITS]]


main()
