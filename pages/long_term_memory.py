"""The Long-term memory page: what is kept of the visitor beyond a session; decide, search, correct, forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from components import memory_record, pager
from components.language import recorded, say, say_n
from components.look import escape, heading
from components.memory_record import KINDS, RecordRow
from memory_bank.errors import LongTermError
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.record import RECORD_TYPES, RecordType, Scope
from memory_bank.long_term.store import AnyRecord
from pages._keeping import draw_adding, draw_forgetting, draw_transfer
from pages._memory import Desk, Projects, asked, desk, inside, memory, place, projects_in, scope_of_projects, tell
from pages._records import draw_disputes, draw_record
from pages._user import current_user, draw_user

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# Records in one part of the list, and the most that a search brings.
PART = FOUND = 20


def main() -> None:
    """Who it is, and what is kept of them."""
    draw_title()
    user = current_user()
    draw_user()
    if user is None:
        tell(say("Log in to see what is remembered for you. Without that nothing is looked up or kept."))
        return
    here = desk(user)
    if here.said:
        st.info(here.said)
        here.said = ""
    try:
        records = memory().records(Scope(user=user))
    except LongTermError as error:
        draw_away(error)
        return
    draw_all(here, records)


def draw_title() -> None:
    """What the page is about."""
    title, about = (
        say("Long-term memory"),
        say(
            "What is kept beyond one session, for you alone: facts, tasks that were done, and what was asked in a "
            "conversation. Nothing is kept unless “Remember across sessions” is ticked when a session starts, or you "
            "add it here."
        ),
    )
    st.html(f'<div class="mb-welcome"><h1>{escape(title)}</h1><p>{escape(about)}</p></div>')


def draw_away(error: LongTermError) -> None:
    """Long-term memory cannot be reached: why, and what to do."""
    st.error(say("Long-term memory cannot be reached now. Nothing in it was changed, and sessions go on without it."))
    st.text(recorded(str(error)))
    st.button(say("Try again"), key="again")


def draw_all(here: Desk, records: list[AnyRecord]) -> None:
    """The whole page: what waits and what is kept on the left, what is done with all of it on the right."""
    left, right = st.container(key="long-term").columns([13, 6], gap="large")
    with left:
        number = say("{number} of at most {most} records", number=f"{len(records):,}", most=f"{Policy().quota:,}")
        heading(say("What is kept"), say("{number} · {place}", number=number, place=place()))
        projects, kinds, query = draw_filters(records)
        shown = [record for record in records if inside(record, projects)]
        draw_disputes(here, shown)
        draw_list(here, shown, projects, kinds, query)
    with right:
        draw_adding(here, projects)
        draw_transfer(here, projects)
        draw_forgetting(here, records, projects)


def draw_filters(records: Sequence[AnyRecord]) -> tuple[Projects, tuple[RecordType, ...], str]:
    """Which projects and kinds are shown, and what is searched for."""
    if not records:
        return "all", RECORD_TYPES, ""
    left, right = st.columns(2, vertical_alignment="bottom")
    options: list[Projects] = ["all", "none", *((project,) for project in projects_in(records))]
    projects = left.selectbox(say("Project"), options, format_func=project_name, key="memory-project")
    query = right.text_input(say("Search by meaning"), key="memory-search").strip()
    numbers = Counter(record.type for record in records if inside(record, projects))
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
    """What a choice of projects is called. No project's name is taken for another choice."""
    if isinstance(projects, tuple):
        return say("Project: {project}", project=projects[0])
    return say("All projects") if projects == "all" else say("Without a project")


def draw_list(
    here: Desk, shown: list[AnyRecord], projects: Projects, kinds: tuple[RecordType, ...], query: str
) -> None:
    """The records, newest first, or what a search finds, most similar first; a part at a time."""
    if not shown:
        tell(
            say(
                "Nothing is kept here yet. Tick “Remember across sessions” when you start a session, or add a fact by "
                "hand."
            )
        )
        st.page_link("pages/session.py", label=say("Start a session"), icon=":material/add:")
        return
    rows = [RecordRow(record) for record in shown if record.type in kinds]
    if query:
        rows = searched(here, projects, kinds, query)
    heading(say("Found") if query else say("Records"), say_n("{n} record", "{n} records", len(rows)))
    if not rows:
        tell(say("No record is like that. Search in other words, or choose another project or kind."))
    last = max(1, -(-len(rows) // PART))
    part = pager.draw(last, lambda part: range_of(part, len(rows)), key=f"records {projects} {kinds} {query}")
    for row in rows[PART * (part - 1) : PART * part]:
        draw_record(here, row)


def searched(here: Desk, projects: Projects, kinds: tuple[RecordType, ...], query: str) -> list[RecordRow]:
    """What is most similar to what was searched for."""
    scope = scope_of_projects(here.user, projects)
    with st.spinner(say("Searching …")):
        most = Policy().quota if projects == "none" else FOUND  # those of no project are picked from all
        hits = asked(lambda: memory().search(scope, query, kinds, most)) or []
    found = [hit for hit in hits if hit.similarity > 0 and inside(hit.record, projects)]
    return [RecordRow(hit.record, hit.similarity) for hit in found[:FOUND]]


def range_of(part: int, number: int) -> str:
    """Which records a part shows."""
    first = PART * (part - 1) + 1
    return say("{first}–{last} of {all}", first=first, last=min(number, first + PART - 1), all=f"{number:,}")


main()
