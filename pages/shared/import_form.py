"""Import exported sessions, each file in a thread. A file that this tab has already imported is not imported again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass

import streamlit as st

from memory_bank.bank.errors import SessionNotFoundError
from memory_bank.storage.session_store import Upload, clean_name
from memory_bank.storage.transfer import import_session
from pages.shared import tab_state
from pages.shared.background import run_in_background
from pages.shared.server import Server

_BY_CONTENT, _IMPORTS = "imported", "imports"


@dataclass
class Import:
    """The import of one file. `work` results in the session's id.

    `already_imported`: the tab had imported the file before. `listed`: the page has noticed that the work is done.
    """

    name: str
    work: Future[str]
    already_imported: bool = False
    listed: bool = False

    @property
    def id(self) -> str | None:
        """The session's id once it is imported, else None."""
        return self.work.result() if self.work.done() and self.work.exception() is None else None


def start_imports(server: Server, files: Iterable[Upload]) -> None:
    """Import files. They replace the earlier ones in the list of imports."""
    st.session_state[_IMPORTS] = [_start(server, file) for file in files]


def imports() -> list[Import]:
    """The imports of the last upload."""
    last_imports: list[Import] = st.session_state.get(_IMPORTS, [])
    return last_imports


def clear_imports() -> None:
    """Clear the list of imports."""
    st.session_state.pop(_IMPORTS, None)


def list_imported() -> None:
    """Add newly imported sessions to the tab's list."""
    for each in imports():
        if each.work.done() and not each.listed:
            each.listed = True
            if each.id is not None:
                tab_state.remember(each.id)


def _start(server: Server, file: Upload) -> Import:
    by_content: dict[str, Future[str]] = st.session_state.setdefault(_BY_CONTENT, {})
    digest = hashlib.sha256(file.data).hexdigest()
    earlier = by_content.get(digest)
    if earlier is not None and _is_valid(server, earlier):
        return Import(clean_name(file.name), earlier, already_imported=True)
    by_content[digest] = run_in_background(lambda: import_session(file.data, server.store))
    return Import(clean_name(file.name), by_content[digest])


def _is_valid(server: Server, work: Future[str]) -> bool:
    """Whether an import is under way, or its session is still in the store."""
    if not work.done():
        return True
    if work.exception() is not None:
        return False
    try:
        server.store.find(work.result())
    except SessionNotFoundError:
        return False
    return True
