"""What is done with a user's memory as a whole: add to it, take it along, bring it in, forget a part of it or all."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st
from pydantic import ValidationError

from components import memory_form
from components.language import recorded, say, say_n
from components.look import escape, heading
from components.memory_form import FactFields
from memory_bank.errors import ImportRefusedError
from memory_bank.long_term.memory import LongTermMemory, Remembered
from memory_bank.long_term.record import Fact, Scope
from memory_bank.long_term.store import AnyRecord
from memory_bank.long_term.transfer import export_records, parse_records
from pages._aside import aside, failure
from pages._memory import Desk, Projects, asked, finish, inside, memory, scope_of_projects
from pages._records import refuse, turn_to

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
TICK = 0.5
EVERYTHING, PROJECT = "everything", "project"


def draw_adding(here: Desk, projects: Projects) -> None:
    """A fact by hand."""
    heading(say("Add a fact"))
    filled = memory_form.draw_new(projects[0] if isinstance(projects, tuple) else "", version=here.version)
    if filled is not None:
        add(here, filled)


def add(here: Desk, filled: FactFields) -> None:
    """Keep a fact, or tell why it cannot be kept."""
    now = datetime.now(UTC)
    try:
        fact = Fact(
            type=filled.type,
            content=filled.content,
            context=filled.context,
            user_id=here.user,
            project_id=filled.project or None,
            created=now,
            updated=now,
        )
    except ValidationError as error:
        refuse(error)
        return
    done = asked(lambda: memory().remember(fact))
    if done is not None:
        here.version += 1
        finish(here, outcome(done))


def outcome(done: Remembered) -> str:
    """What became of a fact, in words."""
    return {
        "created": say("Kept as a new fact."),
        "updated": say("It was known: the stored fact says it in your words now, and the old ones are in its history."),
        "conflict": say("It contradicts a stored fact. Both are kept until you decide which holds."),
    }[done.outcome]


def draw_transfer(here: Desk, projects: Projects) -> None:
    """Take the records along as JSON, or bring some in."""
    heading(say("Export and import"), say("as JSON"))
    kept = memory()
    st.download_button(
        say("Export"),
        data=lambda: export(kept, here.user, projects),
        file_name="long-term-memory.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export-memory",
        help=say("All records of the projects that are shown, with their histories"),
    )
    if here.taking is not None:
        waiting = not here.taking.done()
        st.fragment(follow, run_every=TICK if waiting else None)(here, waiting=waiting)
    with st.form("import-memory", border=False, clear_on_submit=True):
        file = st.file_uploader(say("An export of long-term memory (JSON)"), type="json", key="import-memory-file")
        sent = st.form_submit_button(say("Import"), key="import-memory-go")
    if sent and file is not None:
        take(here, file.getvalue())


def export(kept: LongTermMemory, user: str, projects: Projects) -> str:
    """The JSON of the records of some projects, as they are now."""
    records = kept.records(scope_of_projects(user, projects))
    return export_records([record for record in records if inside(record, projects)])


def take(here: Desk, content: bytes) -> None:
    """Have an export taken in as this user's own; or tell what is wrong with it."""
    try:
        records = parse_records(content)
    except ImportRefusedError as error:
        st.error(say("Nothing was imported."))
        st.text(recorded(str(error)))
        return
    kept, user = memory(), here.user
    here.taking = aside(lambda: (kept.take(records, user), len(records)))
    st.rerun()


def follow(here: Desk, *, waiting: bool) -> None:
    """How an import fares. The one part of the page that ticks, while it is not done."""
    if here.taking is None:
        return
    if not here.taking.done():
        st.html(f'<div class="mb-empty" role="status">{escape(say("The records are being taken in …"))}</div>')
        return
    if waiting:
        st.rerun()  # the whole page: only there the list is drawn and the ticking ends
    why = failure(here.taking)
    if why is not None:
        st.error(say("Nothing was imported."))
        st.text(why)
        return
    taken, given = here.taking.result()
    told = say_n("{n} record was imported.", "{n} records were imported.", taken)
    there = say_n("{n} was here already.", "{n} were here already.", given - taken)
    st.html(f'<div class="mb-empty" role="status">{escape(say("{said} {more}", said=told, more=there))}</div>')


def draw_forgetting(here: Desk, records: list[AnyRecord], projects: Projects) -> None:
    """Forget a project, or everything: each in two steps."""
    heading(say("Forget"))
    if isinstance(projects, tuple):
        number = sum(inside(record, projects) for record in records)
        words = say("Forget all of this project")
        draw_forget_scope(here, PROJECT, words, number, Scope(user=here.user, project=projects[0]))
    draw_forget_scope(here, EVERYTHING, say("Forget everything"), len(records), Scope(user=here.user))


def draw_forget_scope(here: Desk, which: str, label: str, number: int, scope: Scope) -> None:
    """A way to forget a scope; whether it is really meant is asked where the button was."""
    if here.forgetting != which:
        st.button(label, key=f"forget-{which}", disabled=not number, on_click=turn_to, args=(here, None, which))
        return
    of = say("of project {project}", project=scope.project) if scope.project else say("of all projects")
    asks = say_n(
        "Forget {n} record {of}? It cannot be brought back.",
        "Forget {n} records {of}? They cannot be brought back.",
        number,
        of=of,
    )
    st.html(f'<div class="mb-ask" role="alert">{escape(asks)}</div>')
    with st.container(horizontal=True, gap="small"):
        if st.button(say("Forget for good"), key=f"forget-sure-{which}", type="primary"):
            forget_all(here, scope)
        st.button(say("Keep them"), key=f"keep-{which}", on_click=turn_to, args=(here, None, None))


def forget_all(here: Desk, scope: Scope) -> None:
    """Remove every record of a scope."""
    done = asked(lambda: memory().forget_all(scope))
    if done is not None:
        finish(here, say_n("{n} record was forgotten.", "{n} records were forgotten.", done))
