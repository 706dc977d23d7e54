"""Access to long-term memory for the pages: the store of this process, the page's state, and error messages."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import streamlit as st

from components.language import say
from components.look import draw_error
from memory_bank.app.connection import shown_address
from memory_bank.bank.errors import MemoryBankError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.opening import FILE, shared_memory
from memory_bank.long_term.record import Fact, Scope
from memory_bank.long_term.store import AnyRecord
from pages.shared.server import get_server
from pages.shared.user import may_open

Result = TypeVar("Result")
Projects = Literal["all", "none"] | tuple[str]
"""The projects whose records are shown: all, none (records without a project), or one by its name."""
_KEY = "long-term memory"


@dataclass
class MemoryPageState:
    """The state of a tab's Long-term memory page.

    `correcting` is the id of the record being corrected. `forgetting` is the id of the record, or the scope, that the
    person is asked about. `message` is shown once at the next redraw. `form_version` counts the added facts; a new
    version empties the form. `importing` is the work of an import: the numbers of records imported and in the file.
    """

    user: str
    correcting: str | None = None
    forgetting: str | None = None
    message: str = ""
    form_version: int = 0
    importing: Future[tuple[int, int]] | None = None


def memory_page_state(user: str) -> MemoryPageState:
    """The state of the tab's page; a new one if the user has changed."""
    page_state = st.session_state.get(_KEY)
    if not isinstance(page_state, MemoryPageState) or page_state.user != user:
        page_state = st.session_state[_KEY] = MemoryPageState(user)
    return page_state


def memory() -> LongTermMemory:
    """The long-term memory of this process. The store is opened at its first use."""
    return shared_memory(get_server().settings)


def store_name() -> str:
    """Where the records are stored: an address without its password, or a file name without its folder."""
    uri = get_server().settings.long_term_uri or FILE
    return shown_address(uri) if "://" in uri else Path(uri).name


def try_or_report(work: Callable[[], Result]) -> Result | None:
    """The result of `work` on long-term memory; None if it failed. The error is shown on the page."""
    try:
        return work()
    except MemoryBankError as error:
        draw_error(say("Long-term memory could not do this. Nothing else was changed."), str(error))
        return None


def redraw_with_message(page_state: MemoryPageState, message: str) -> None:
    """Rerun the page with a message about what was done."""
    page_state.message, page_state.correcting, page_state.forgetting = message, None, None
    st.rerun()


def scope_of_projects(user: str, projects: Projects) -> Scope:
    """The scope to read from the store. For records without a project it is everything: filter with `in_projects`."""
    return Scope(user=user, project=projects[0] if isinstance(projects, tuple) else None)


def in_projects(record: AnyRecord, projects: Projects) -> bool:
    """Whether a record belongs to the projects shown."""
    if projects == "all":
        return True
    return record.project_id == (projects[0] if isinstance(projects, tuple) else None)


def can_open_session(session_id: str | None) -> bool:
    """Whether a record's session exists and this visitor may open it."""
    server = get_server()
    return session_id is not None and may_open(server, session_id) and server.store.holds(session_id)


def origin_text(session_id: str | None, fact: Fact | None = None) -> str:
    """Where a record comes from, as plain text."""
    if session_id is None:
        return say("added by hand") if fact is None or fact.told_by == "person" else say("noted by an agent")
    return say("from session {session}", session=session_id[:8])
