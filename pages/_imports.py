"""Importing exported sessions: each file by itself, in a thread; one this tab took in already is not taken twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass

import streamlit as st

from memory_bank.errors import SessionNotFoundError
from memory_bank.importing import import_session
from memory_bank.session_store import Upload, clean_name
from pages import _visitor
from pages._aside import aside
from pages._server import Server

_TAKEN, _NOW = "imported", "imports"


@dataclass
class Import:
    """A file on its way into the store, and the id that its session gets. `again`: it was there already.

    `settled` once the page has seen what came of it.
    """

    name: str
    session: Future[str]
    again: bool = False
    settled: bool = False

    @property
    def id(self) -> str | None:
        """The session's id, once it is there."""
        return self.session.result() if self.session.done() and self.session.exception() is None else None


def begin(server: Server, files: Iterable[Upload]) -> None:
    """Have files imported, in place of what the page said of earlier ones."""
    st.session_state[_NOW] = [_begin(server, file) for file in files]


def imports() -> list[Import]:
    """The files that were given last."""
    given: list[Import] = st.session_state.get(_NOW, [])
    return given


def forget() -> None:
    """Say no more of the files that were given last."""
    st.session_state.pop(_NOW, None)


def settle() -> None:
    """List what has arrived since the last look among the tab's sessions."""
    for each in imports():
        if each.session.done() and not each.settled:
            each.settled = True
            if each.id is not None:
                _visitor.remember(each.id)


def _begin(server: Server, file: Upload) -> Import:
    taken: dict[str, Future[str]] = st.session_state.setdefault(_TAKEN, {})
    digest = hashlib.sha256(file.data).hexdigest()
    known = taken.get(digest)
    if known is not None and _stands(server, known):
        return Import(clean_name(file.name), known, again=True)
    taken[digest] = aside(lambda: import_session(file.data, server.store))
    return Import(clean_name(file.name), taken[digest])


def _stands(server: Server, work: Future[str]) -> bool:
    """Whether an import is on its way, or its session is still in the store."""
    if not work.done():
        return True
    if work.exception() is not None:
        return False
    try:
        server.store.find(work.result())
    except SessionNotFoundError:
        return False
    return True
