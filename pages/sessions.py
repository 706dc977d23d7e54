"""The Sessions page: those this tab began or opened; search, open, export, delete, import."""

from __future__ import annotations

from concurrent.futures import Future
from urllib.parse import parse_qs, urlsplit

import streamlit as st

from components import pager, session_row
from components.language import later, recorded, say, say_n
from components.look import BLUE, GREEN, VERMILION, Look, escape, heading, mark
from components.session_row import SessionRow
from memory_bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.session_store import Upload
from pages import _imports, _visitor
from pages._aside import failure
from pages._exports import draw_exports
from pages._imports import Import
from pages._server import Server, server
from pages._user import may_open
from pages._visitor import RUN

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# Sessions in one part of the list.
PART = 20
# Seconds between two looks at files that are being imported.
TICK = 0.5
DELETING, DELETIONS = "session to delete", "deletions"
IMPORTED = Look(later("imported"), "✓", GREEN)
REFUSED = Look(later("not imported"), "✕", VERMILION)
READING = Look(later("being read"), "○", BLUE)


def main() -> None:
    """List, open, import."""
    here = server()
    settle_imports()
    tell_deletions()
    left, right = st.columns([13, 6], gap="large")
    with left:
        draw_list(here)
    with right:
        heading(say("Open by address"))
        draw_open()
        heading(say("Import"), say("what was exported here as JSON"))
        draw_import(here)


# -- the list ------------------------------------------------------------------------------------------------


def draw_list(here: Server) -> None:
    """The sessions, newest first, in parts."""
    all_of_them = here.settings.list_all_sessions
    rows, unreadable = read(here, here.store.ids() if all_of_them else _visitor.sessions())
    space = session_row.size(sum(row.found.bytes for row in rows))
    number = say_n("{n} session", "{n} sessions", len(rows))
    title = say("All sessions on this computer") if all_of_them else say("Sessions of this tab")
    heading(title, say("{sessions} · {space} on disk", sessions=number, space=space) if rows else "")
    if not rows:
        draw_none()
    else:
        draw_rows(here, rows)
    for session_id, reason in unreadable:
        st.warning(say("A session cannot be read and is left as it is; import an export of it, if there is one."))
        st.text(f"{session_id}: {recorded(reason)}")


def read(here: Server, ids: list[str]) -> tuple[list[SessionRow], list[tuple[str, str]]]:
    """What the list says of the sessions, newest first; and those that cannot be read, each with the reason."""
    rows, unreadable = [], []
    for session_id in ids:
        try:
            rows.append(row_of(here, session_id))
        except SessionNotFoundError:
            continue  # deleted, or so new that it is not written yet
        except CorruptLogError as error:
            unreadable.append((session_id, str(error)))
    return sorted(rows, key=lambda row: row.found.began, reverse=True), unreadable


def row_of(here: Server, session_id: str) -> SessionRow:
    """What the list says of a session. Errors as of `SessionStore.summary`."""
    if not may_open(here, session_id):
        raise SessionNotFoundError(session_id)
    activity = here.activity(session_id)  # before the log, so that an end seen here is in it
    place = here.place(session_id)
    found = here.store.summary(session_id)
    if place is not None:
        return SessionRow(found, "running")
    if activity == "starting":
        return SessionRow(found, "starting")
    return SessionRow(found, "interrupted" if found.status == "running" and activity == "still" else found.status)


def draw_none() -> None:
    """The list is empty: why, and what to do."""
    words = say(
        "None yet. Sessions are private to whoever has their address: start one, open one by its address, or import an "
        "export."
    )
    st.html(f'<div class="mb-empty">{escape(words)}</div>')
    st.page_link("pages/session.py", label=say("Start a session"), icon=":material/add:")


def draw_rows(here: Server, rows: list[SessionRow]) -> None:
    """What the search finds of the sessions, a part of it at a time."""
    left, right = st.columns([3, 2], vertical_alignment="center")
    hint = say("Search: task, document or state")
    words = left.text_input(hint, placeholder=hint, label_visibility="collapsed", key="search")
    found = [row for row in rows if row.holds(words)]
    with right:
        last = max(1, -(-len(found) // PART))
        part = pager.draw(last, lambda part: range_of(part, len(found)), key=f"sessions {words}")
    if not found:
        none = say("No session has these words in its task, its documents’ names or its state.")
        st.html(f'<div class="mb-empty">{escape(none)}</div>')
    for row in found[PART * (part - 1) : PART * part]:
        with st.container(key=f"row-{row.found.id}", gap="xsmall"):
            session_row.draw(row)
            draw_actions(here, row)


def range_of(part: int, number: int) -> str:
    """Which sessions a part shows."""
    first = PART * (part - 1) + 1
    return say("{first}–{last} of {all}", first=first, last=min(number, first + PART - 1), all=f"{number:,}")


def draw_actions(here: Server, row: SessionRow) -> None:
    """What can be done with a session."""
    if st.session_state.get(DELETING) == row.found.id:
        draw_delete(here, row)
        return
    with st.container(horizontal=True, gap="small"):
        if st.button(say("Open"), key=f"open-{row.found.id}"):
            open_session(row.found.id)
        draw_exports(lambda: here.events(row.found.id), row.found.id, here.store)
        st.button(
            say("Delete"), key=f"delete-{row.found.id}", type="tertiary", on_click=ask_to_delete, args=(row.found.id,)
        )


def draw_delete(here: Server, row: SessionRow) -> None:
    """Whether it is really to be deleted: asked where the button was, in the visitor's state."""
    words = say("Delete this session with its documents? It cannot be brought back.")
    st.html(f'<div class="mb-ask" role="alert">{escape(words)}</div>')
    with st.container(horizontal=True, gap="small"):
        if st.button(say("Delete for good"), key=f"delete-sure-{row.found.id}", type="primary"):
            delete(here, row.found.id)
        st.button(say("Keep it"), key=f"keep-{row.found.id}", on_click=ask_to_delete, args=(None,))


def ask_to_delete(session_id: str | None) -> None:
    """Ask whether to delete a session, or stop asking."""
    st.session_state[DELETING] = session_id


def open_session(session_id: str) -> None:
    """Go to a session's own page."""
    st.switch_page("pages/session.py", query_params={RUN: session_id})


def delete(here: Server, session_id: str) -> None:
    """Remove a session and everything it holds; what runs is stopped first, without the page waiting for it."""
    try:
        st.session_state.setdefault(DELETIONS, []).append(here.delete(session_id))
    except SessionNotFoundError:
        st.toast(say("It was deleted already."))
    ask_to_delete(None)
    _visitor.forget(session_id)
    st.rerun()


def tell_deletions() -> None:
    """What could not be deleted, once."""
    work: list[Future[None]] = st.session_state.pop(DELETIONS, [])
    st.session_state[DELETIONS] = [each for each in work if not each.done()]
    for each in work:
        if each.done() and (why := failure(each)) is not None:
            st.error(say("A session could not be deleted whole. Its files are still on the disk."))
            st.text(why)


# -- bringing in ---------------------------------------------------------------------------------------------


def draw_open() -> None:
    """A field for an address or an id."""
    with st.form("open", border=False):
        address = st.text_input(
            say("Address"), placeholder="http://…/?run=…", key="address", label_visibility="collapsed"
        )
        sent = st.form_submit_button(say("Open"))
    if sent and address.strip():
        open_session(session_in(address.strip()))


def session_in(address: str) -> str:
    """The session id in an address; what is no address is taken as the id itself."""
    try:
        named = parse_qs(urlsplit(address).query).get(RUN)
    except ValueError:  # as of http://[abc
        named = None
    return named[0] if named else address


def draw_import(here: Server) -> None:
    """A field for exports, and what came of the last ones."""
    with st.form("import", border=False, clear_on_submit=True):
        files = st.file_uploader(
            say("Exported sessions (JSON)"), type="json", accept_multiple_files=True, key="import-file"
        )
        sent = st.form_submit_button(say("Import"))
    if sent and files:
        _imports.begin(here, [Upload(file.name, file.getvalue()) for file in files])
        st.rerun()
    waiting = any(not each.settled for each in _imports.imports())
    if _imports.imports():
        st.fragment(follow_imports, run_every=TICK if waiting else None)(waiting=waiting)


def settle_imports() -> None:
    """List the sessions that were imported; go to the one that was imported alone."""
    _imports.settle()
    match _imports.imports():
        case [Import(id=str(session_id))]:
            _imports.forget()
            open_session(session_id)


def follow_imports(*, waiting: bool) -> None:
    """How the files fare. The one part of the page that ticks, while one is being read."""
    if waiting and all(each.session.done() for each in _imports.imports()):
        st.rerun()  # the whole page: only there the list is drawn and the ticking ends
    lines = "".join(f"<li>{line_of(each)}</li>" for each in _imports.imports())
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def line_of(each: Import) -> str:
    """A file and what came of it, as markup."""
    look, said = READING, ""
    if each.session.done():
        why = failure(each.session)
        look = IMPORTED if why is None else REFUSED
        if why is not None:
            said = say("Nothing was changed: {reason}", reason=why)
        elif each.again:
            said = say("It was here already.")
    small = f"<small>{escape(said)}</small>" if said else ""
    return f"{mark(look)}<b>{escape(look.word)}</b> {escape(each.name)}{small}"


main()
