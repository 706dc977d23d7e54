"""The Sessions page: the sessions of this tab, to search, open, export, delete and import."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC
from urllib.parse import parse_qs, urlsplit

import streamlit as st

from components import pager
from components.language import mark_for_translation, recorded, say, say_n
from components.look import (
    BLUE,
    GREEN,
    SESSION_STATES,
    VERMILION,
    SessionState,
    StateStyle,
    ask_whether,
    draw_error,
    draw_note,
    escape,
    heading,
    mark,
)
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.storage.session_store import Summary, Upload, clean_name
from memory_bank.storage.transfer import import_session
from memory_bank.views.i18n import size
from pages.shared import questions, tab_state
from pages.shared.background import draw_until_done, failure, run_in_background
from pages.shared.export_menu import draw_exports
from pages.shared.frame import state_of_session
from pages.shared.page_paths import SESSION_PAGE
from pages.shared.server import Server, get_server
from pages.shared.tab_state import SESSION_PARAMETER
from pages.shared.user import may_open

# Comments, not docstrings: Streamlit may write a page's bare strings onto the page.
# Sessions listed at once.
PAGE_SIZE = 20
DELETING, DELETIONS = "session to delete", "deletions"
IMPORTS, BY_CONTENT = "imports", "imported"
IMPORTED = StateStyle(mark_for_translation("imported"), "✓", GREEN)
NOT_IMPORTED = StateStyle(mark_for_translation("not imported"), "✕", VERMILION)
IMPORTING = StateStyle(mark_for_translation("importing"), "○", BLUE)


def main() -> None:
    """Draw the list on the left, and the forms to open and import sessions on the right."""
    server = get_server()
    imports: list[Import] = st.session_state.get(IMPORTS, [])
    for each in imports:
        if each.work.done() and not each.listed:
            each.listed = True
            if each.id is not None:
                tab_state.remember(each.id)
    if len(imports) == 1 and imports[0].id is not None:  # one that was imported alone is opened
        del st.session_state[IMPORTS]
        go_to_session(imports[0].id)
    deletions: list[Future[None]] = st.session_state.pop(DELETIONS, [])
    st.session_state[DELETIONS] = [deletion for deletion in deletions if not deletion.done()]
    for deletion in deletions:
        if deletion.done() and (reason := failure(deletion)) is not None:
            draw_error(
                say("A session could not be deleted completely. Some of its files are still on the disk."), reason
            )
    left, right = st.columns([13, 6], gap="large")
    with left:
        draw_sessions(server)
    with right:
        heading(say("Open by address"))
        with st.form("open", border=False):
            address = st.text_input(
                say("Address"), placeholder="http://…/?run=…", key="address", label_visibility="collapsed"
            )
            sent = st.form_submit_button(say("Open"))
        if sent and (address := address.strip()):
            try:
                session_ids = parse_qs(urlsplit(address).query).get(SESSION_PARAMETER)
            except ValueError:  # as from http://[abc
                session_ids = None
            go_to_session(session_ids[0] if session_ids else address)  # what is no address is taken as the id itself
        heading(say("Import"), say("a session exported as JSON"))
        draw_import_form(server, imports)


# -- the list ------------------------------------------------------------------------------------------------


def draw_sessions(server: Server) -> None:
    """Draw the search field and the matching sessions, newest first, one page at a time."""
    list_all = server.settings.list_all_sessions
    rows, unreadable = read_rows(server, server.store.ids() if list_all else tab_state.sessions())
    space = size(sum(row.summary.bytes for row in rows))
    number = say_n("{n} session", "{n} sessions", len(rows))
    title = say("All sessions on this computer") if list_all else say("Sessions of this tab")
    heading(title, say("{sessions} · {space} on disk", sessions=number, space=space) if rows else "")
    if not rows:
        draw_note(
            say(
                "No sessions yet. Only those who know its address can open a session. Start one, open one by its "
                "address, or import an exported one."
            )
        )
        st.page_link(SESSION_PAGE, label=say("Start a session"), icon=":material/add:")
    else:
        left, right = st.columns([3, 2], vertical_alignment="center")
        hint = say("Search: task, document or state")
        words = left.text_input(hint, placeholder=hint, label_visibility="collapsed", key="search")
        matches = [row for row in rows if row.matches(words)]
        with right:
            shown = pager.page_of(matches, PAGE_SIZE, key=f"sessions {words}")
        if not matches:
            draw_note(say("No matching sessions. The search covers tasks, document names and states."))
        for row in shown:
            with st.container(key=f"row-{row.summary.id}", gap="xsmall"):
                draw_session_row(row)
                draw_session_actions(server, row)
    for session_id, reason in unreadable:
        st.warning(say("A session cannot be read. It was left unchanged. If you have an export of it, import that."))
        st.text(f"{session_id}: {recorded(reason)}")


def read_rows(server: Server, ids: list[str]) -> tuple[list[SessionRow], list[tuple[str, str]]]:
    """The rows of the list, newest first; and the sessions that cannot be read, each with the reason."""
    rows, unreadable = [], []
    for session_id in ids:
        try:
            if not may_open(server, session_id):
                continue
            activity = server.activity(session_id)  # before the log, so that an end seen here is in it
            place = server.runner.place(session_id)
            summary = server.store.summary(session_id)
            rows.append(SessionRow(summary, state_of_session(summary.status, activity, place)))
        except SessionNotFoundError:
            continue  # deleted, or so new that it is not written yet
        except CorruptLogError as error:
            unreadable.append((session_id, str(error)))
    return sorted(rows, key=lambda row: row.summary.began, reverse=True), unreadable


@dataclass(frozen=True)
class SessionRow:
    """A session's summary, and its state as it is shown."""

    summary: Summary
    state: SessionState

    def matches(self, words: str) -> bool:
        """Whether every word occurs in the task, a document's name or the state's word; case is ignored."""
        text = " ".join((self.summary.task, *self.summary.sources, SESSION_STATES[self.state].word)).casefold()
        return all(word in text for word in words.casefold().split())


def draw_session_row(row: SessionRow) -> None:
    """Draw the session."""
    style, summary = SESSION_STATES[row.state], row.summary
    facts = (
        f"{summary.began.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        say_n("{n} node", "{n} nodes", summary.nodes),
        say_n("{n} conflict", "{n} conflicts", summary.conflicts),
        say_n("{n} event", "{n} events", summary.events),
        size(summary.bytes),
    )
    spans = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    sources = f'<div class="mb-quiet mb-sources">{escape(", ".join(summary.sources))}</div>' if summary.sources else ""
    st.html(
        f'<div class="mb-row"><h3>{escape(summary.task)}</h3>'
        f'<div class="mb-facts"><span>{mark(style)}<b>{escape(style.word)}</b></span>{spans}</div>{sources}</div>'
    )


def draw_session_actions(server: Server, row: SessionRow) -> None:
    """Draw the buttons of a session, or the question whether to delete it."""
    if st.session_state.get(DELETING) == row.summary.id:
        question = say("Delete this session with its documents? This cannot be undone.")
        key = f"delete-{row.summary.id}"
        if ask_whether(question, say("Delete for good"), say("Keep it"), key=key, on_no=lambda: ask_to_delete(None)):
            delete(server, row.summary.id)
        return
    with st.container(horizontal=True, gap="small"):
        if st.button(say("Open"), key=f"open-{row.summary.id}"):
            go_to_session(row.summary.id)
        draw_exports(lambda: server.events(row.summary.id), row.summary.id, server.store)
        st.button(
            say("Delete"),
            key=f"delete-{row.summary.id}",
            type="tertiary",
            on_click=ask_to_delete,
            args=(row.summary.id,),
        )


def ask_to_delete(session_id: str | None) -> None:
    """Ask whether to delete a session, or stop asking."""
    st.session_state[DELETING] = session_id


def go_to_session(session_id: str) -> None:
    """Go to the Session page of a session."""
    st.switch_page(SESSION_PAGE, query_params={SESSION_PARAMETER: session_id})


def delete(server: Server, session_id: str) -> None:
    """Delete a session and all its files. If it runs it is stopped first; the page does not wait for that."""
    try:
        st.session_state.setdefault(DELETIONS, []).append(server.delete(session_id))
    except SessionNotFoundError:
        st.toast(say("It was already deleted."))
    ask_to_delete(None)
    tab_state.forget(session_id)
    questions.forget_questions(session_id)
    st.rerun()


# -- import ----------------------------------------------------------------------------------------


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


def start_import(server: Server, file: Upload) -> Import:
    """Import a file in a thread, unless this tab has already imported it."""
    by_content: dict[str, Future[str]] = st.session_state.setdefault(BY_CONTENT, {})
    digest = hashlib.sha256(file.data).hexdigest()
    earlier = by_content.get(digest)
    if earlier is not None and is_valid(server, earlier):
        return Import(clean_name(file.name), earlier, already_imported=True)
    by_content[digest] = run_in_background(lambda: import_session(file.data, server.store))
    return Import(clean_name(file.name), by_content[digest])


def is_valid(server: Server, work: Future[str]) -> bool:
    """Whether an import is under way, or its session is still in the store."""
    if not work.done():
        return True
    return work.exception() is None and server.store.holds(work.result())


def draw_import_form(server: Server, imports: list[Import]) -> None:
    """Draw the upload field for exports, and the progress of the last imports."""
    with st.form("import", border=False, clear_on_submit=True):
        files = st.file_uploader(
            say("Exported sessions (JSON)"), type="json", accept_multiple_files=True, key="import-file"
        )
        sent = st.form_submit_button(say("Import"))
    if sent and files:
        st.session_state[IMPORTS] = [start_import(server, Upload(file.name, file.getvalue())) for file in files]
        st.rerun()
    if imports:
        works = [each.work for each in imports]
        draw_until_done(works, lambda: draw_import_progress(imports), noticed=all(each.listed for each in imports))


def draw_import_progress(imports: list[Import]) -> None:
    """Draw the state of each import."""
    lines = ""
    for each in imports:
        style, remark = IMPORTING, ""
        if each.work.done():
            reason = failure(each.work)
            style = IMPORTED if reason is None else NOT_IMPORTED
            if reason is not None:
                remark = say("Nothing was changed: {reason}", reason=reason)
            elif each.already_imported:
                remark = say("It had already been imported.")
        small = f"<small>{escape(remark)}</small>" if remark else ""
        lines += f"<li>{mark(style)}<b>{escape(style.word)}</b> {escape(each.name)}{small}</li>"
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


main()
