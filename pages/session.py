"""The Session page: start a session, watch it, read its answer. Its address brings it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from components import event_feed, query_graph, speech, status_line
from components.look import SessionState, escape, plain
from components.settings_form import in_words
from memory_bank.bank.transfer import export_session
from memory_bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.moment import Moment
from pages import _visitor
from pages._choices import chosen
from pages._engines import to_go_on
from pages._server import Activity, Server, server
from pages._start import welcome
from pages._view import draw_answer, draw_below, draw_columns, draw_reading
from pages._visitor import RUN, Looking

# A comment, not a docstring: Streamlit may write a page's bare strings onto the page.
# Seconds between two looks at a session that is being worked on.
TICK = 1.0


def main() -> None:
    """The start, or the session that the address names."""
    session_id = st.query_params.get(RUN)
    if session_id is None:
        welcome(server())
        return
    query_graph.load_library()
    live = server().activity(session_id) != "still"
    st.fragment(follow, run_every=TICK if live else None)(session_id, live=live)


def follow(session_id: str, *, live: bool) -> None:
    """Draw a session as it stands. The one part of the page that ticks, while the session is worked on."""
    here = server()
    activity = here.activity(session_id)  # before the events, so that an end seen here is in them
    if live != (activity != "still"):
        st.rerun()  # the whole page: only there the ticking begins and ends
    try:
        look = _visitor.looking(session_id, here)
    except SessionNotFoundError:
        nothing_there(here, session_id, starting=activity == "starting")
        return
    except CorruptLogError as error:
        cannot_read(error)
        return
    state = state_in_words(look.moment, activity)
    # Every part has its own place from the beginning: one that comes later must not make the others start anew.
    top, said, spoken, answered, reading, columns, below = (st.container() for _ in range(7))
    with top:
        draw_top(look, here, state)
    with said:
        draw_words(look, here, state)
    with spoken:
        if state == "running":
            speech.draw(look.moment.speaking)
    with answered:
        draw_answer(look)
    with reading:
        draw_reading(look, working=state == "running")
    with columns:
        draw_columns(look, working=state == "running")
    with below:
        draw_below(look)


def state_in_words(moment: Moment, activity: Activity) -> SessionState:
    """How the session stands: as its log says, unless the log says `running` and nobody runs it."""
    status = moment.bank.status
    if activity == "starting":
        return "starting"
    if status == "running" and activity == "still":
        return "interrupted"
    return status


def nothing_there(server: Server, session_id: str, *, starting: bool) -> None:
    """The address names no session: it is being prepared, could not be started, or is not there."""
    failure = server.start_failure(session_id)
    if starting:
        st.html(
            '<div class="mb-status"><h1>Starting</h1><div class="mb-facts">The engine is being loaded. '
            "This takes a few seconds the first time.</div></div>"
        )
        return
    if failure is not None:
        st.error("The session could not be started; nothing was kept. Correct the cause and start it again.")
        st.text(in_words(failure))
    else:
        st.warning(
            "There is no session at this address. It may have been deleted, or a part of the address is missing."
        )
    if st.button("Start a new session", type="primary"):
        leave()


def cannot_read(error: CorruptLogError) -> None:
    """The session's log is damaged."""
    st.error("The record of this session is damaged and cannot be shown. Nothing was changed in it.")
    st.text(str(error))
    if st.button("Start a new session", type="primary"):
        leave()


def leave() -> None:
    """Back to the start."""
    st.query_params.clear()
    st.rerun()


def draw_top(look: Looking, server: Server, state: SessionState) -> None:
    """Status line and controls."""
    moment, bank = look.moment, look.moment.bank
    left, right = st.columns([5, 3], vertical_alignment="top")
    with left:
        task = bank.insight_doc.current_task
        status_line.draw(
            status_line.Status(
                task=bank.insight_doc.task_goal,
                state=state,
                seconds=moment.seconds(datetime.now(UTC) if state == "running" else None),
                step=len(bank.insight_doc.completed_tasks) + (task is not None),
                nodes=len(bank.query_graph),
                conflicts=len(bank.conflicts),
                calls=bank.usage.calls,
                tokens=bank.usage.prompt_tokens + bank.usage.completion_tokens,
                cost_usd=bank.usage.cost_usd,
                doing=event_feed.newest(moment.events) if state == "running" else "",
            )
        )
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        draw_controls(look, server, state)


def draw_controls(look: Looking, server: Server, state: SessionState) -> None:
    """What can be done with the session as it stands."""
    session_id = look.session_id
    if state == "running":
        draw_switch("Pause", ":material/pause:", server.pause, session_id)
    elif can_go_on(look, server, state):
        settings, _words = to_go_on(look.moment.bank.engine.values(), chosen(server))
        draw_switch("Continue", ":material/play_arrow:", server.proceed, session_id, settings)
    if state in ("running", "paused"):
        draw_cancel(look, server)
    events = look.moment.events
    st.download_button(
        "Export",
        data=lambda: export_session(list(events)),
        file_name=f"session-{session_id[:8]}.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export",
        help="The whole session as JSON, as it stands now",
    )
    if st.button("New", icon=":material/add:", key="new", help="Start another session; this one stays as it is"):
        leave()


def can_go_on(look: Looking, server: Server, state: SessionState) -> bool:
    """Whether Continue is offered."""
    stopped = state in ("created", "paused", "interrupted", "failed")
    return stopped and not server.lacks_files(look.session_id)


def draw_switch(label: str, icon: str, act: Callable[..., None], *given: object) -> None:
    """Pause or Continue: one button, for an old one that is slow to go would push the others about."""
    st.button(label, icon=icon, key="switch", on_click=act, args=given)


def draw_cancel(look: Looking, server: Server) -> None:
    """Cancel, in two steps: it is for good. Asked in the visitor's state, for a redraw would close a popover."""
    if look.cancelling and st.button("Stop for good", icon=":material/stop:", type="primary", key="cancel-sure"):
        look.cancelling = False
        server.cancel(look.session_id)
        st.rerun()
    label = "Keep going" if look.cancelling else "Cancel"
    st.button(label, key="cancel", on_click=ask_to_cancel, args=(look, not look.cancelling))


def ask_to_cancel(look: Looking, asked: bool) -> None:  # noqa: FBT001 - the one argument of a button's callback
    """Ask whether to cancel, or stop asking."""
    look.cancelling = asked


def draw_words(look: Looking, server: Server, state: SessionState) -> None:
    """What the person should know: files left out or refused, an interruption, a failure."""
    remarks = list(_visitor.words(look.session_id))
    remarks += [
        f"{source.name} was refused: {source.refused}"
        for source in look.moment.bank.sources.values()
        if source.refused is not None
    ]
    if remarks:
        lines = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
        with st.container(border=True):
            st.html(f'<b>Left out; everything else went on</b><ul class="mb-list">{lines}</ul>')
    failure = server.start_failure(look.session_id)
    if failure is not None:
        st.error("The session could not go on; everything recorded is kept. Correct the cause and press Continue.")
        st.text(in_words(failure))
    if state == "interrupted":
        last = look.moment.events[-1]
        how = (
            "Its documents are not here, as in an import, so it can only be looked at."
            if server.lacks_files(look.session_id)
            else "Press Continue: it goes on from there, and no finished judgement is made twice."
        )
        st.warning(f"This session was interrupted. All {last.seq:,} recorded events are kept. {how}")
    if state == "failed":
        reason = next((event.reason for event in reversed(look.moment.events) if event.type == "status_changed"), "")
        st.error("The session failed. What is recorded is kept; Continue tries again from there.")
        st.text(in_words(reason))
    if can_go_on(look, server, state):
        draw_change(look, server, failed=state == "failed")


def draw_change(look: Looking, server: Server, *, failed: bool) -> None:
    """Before a session goes on: that another engine would judge, or that a setting is to be changed first."""
    engines = look.moment.bank.engine.values()
    _settings, words = to_go_on(engines, chosen(server))
    if words:
        st.warning(plain(words))
    if words or (failed and any(engine.provider != "offline" for engine in engines)):
        st.page_link("pages/settings.py", label="Change engine, key or address in Settings")


main()
