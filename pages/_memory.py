"""Long-term memory as the pages use it: the one of this process, what a tab is doing with it, and errors in a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import streamlit as st

from components.language import recorded, say
from components.look import escape
from memory_bank.connection import shown_address
from memory_bank.errors import MemoryBankError, SessionNotFoundError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.opening import FILE, shared_memory
from memory_bank.long_term.record import Fact, Scope
from memory_bank.long_term.store import AnyRecord
from pages._server import server
from pages._user import may_open

Result = TypeVar("Result")
Projects = Literal["all", "none"] | tuple[str]
"""Of which projects records are shown: all, those of none, or one by its name."""
_KEY = "long-term memory"


@dataclass
class Desk:
    """What a tab is doing with a user's memory.

    `correcting` is a record's id, `forgetting` too, or what scope is to be forgotten. `said` is told at the next
    redraw, once. `version` counts the facts that were added, so that the form begins anew. `taking` is an import: how
    many records were taken, and how many there were.
    """

    user: str
    correcting: str | None = None
    forgetting: str | None = None
    said: str = ""
    version: int = 0
    taking: Future[tuple[int, int]] | None = None


def desk(user: str) -> Desk:
    """The tab's desk; a new one for another user."""
    kept = st.session_state.get(_KEY)
    if not isinstance(kept, Desk) or kept.user != user:
        kept = st.session_state[_KEY] = Desk(user)
    return kept


def memory() -> LongTermMemory:
    """The long-term memory of this process. Nothing is opened before it is asked for something."""
    return shared_memory(server().settings)


def place() -> str:
    """Where the records are: an address without a password, or the name of a file, but not its folder."""
    uri = server().settings.long_term_uri or FILE
    return shown_address(uri) if "://" in uri else Path(uri).name


def asked(work: Callable[[], Result]) -> Result | None:
    """What long-term memory gives; None where it could not do it, which is told on the page."""
    try:
        return work()
    except MemoryBankError as error:
        st.error(say("Long-term memory did not do it; nothing else was changed."))
        st.text(recorded(str(error)))
        return None


def finish(desk: Desk, said: str) -> None:
    """Draw the page anew, with a word on what was done."""
    desk.said, desk.correcting, desk.forgetting = said, None, None
    st.rerun()


def scope_of_projects(user: str, projects: Projects) -> Scope:
    """What is asked of the store; records of no project are picked from all."""
    return Scope(user=user, project=projects[0] if isinstance(projects, tuple) else None)


def inside(record: AnyRecord, projects: Projects) -> bool:
    """Whether a record is among the projects that are shown."""
    if projects == "all":
        return True
    return record.project_id == (projects[0] if isinstance(projects, tuple) else None)


def projects_in(records: Sequence[AnyRecord]) -> list[str]:
    """The projects that records name, in order."""
    return sorted({record.project_id for record in records if record.project_id is not None})


def session_there(session_id: str | None) -> bool:
    """Whether a record's session can be opened by this visitor."""
    if session_id is None or not may_open(server(), session_id):
        return False
    try:
        server().store.find(session_id)
    except SessionNotFoundError:
        return False
    return True


def origin(session_id: str | None, fact: Fact | None = None) -> str:
    """Where something was said, as plain text."""
    if session_id is None:
        return say("told by hand") if fact is None or fact.told_by == "person" else say("noted by an agent")
    return say("from session {session}", session=session_id[:8])


def tell(words: str) -> None:
    """A quiet line for whoever wonders where something is."""
    st.html(f'<div class="mb-empty">{escape(words)}</div>')
