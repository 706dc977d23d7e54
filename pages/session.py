"""The Session page: start a session, watch it, and read its answer. Its address opens it again."""

from __future__ import annotations

import streamlit as st

from components import turns
from components.language import recorded, say, say_n
from components.look import SessionState, draw_error, escape, plain
from components.settings_form import replace_variables
from memory_bank.storage.transfer import export_session
from pages.shared import asked, tab_state
from pages.shared.engine_choice import resume_settings
from pages.shared.frame import STOPPED_STATES, draw_status, draw_time, lacks_files, session_page
from pages.shared.page_paths import SETTINGS_PAGE
from pages.shared.remembered import draw_follow_up, draw_recalled_and_kept, own_memory
from pages.shared.server import Server, get_server
from pages.shared.session_view import (
    draw_answer_part,
    draw_below,
    draw_columns,
    draw_reading,
    draw_understood,
    draw_verification,
)
from pages.shared.start import welcome
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings


def main() -> None:
    """Draw the start view, or the session in the address."""
    if tab_state.current_session() is None:
        welcome(get_server())
    else:
        session_page(draw_session_page)


def draw_session_page(view: ViewState, state: SessionState) -> None:
    """Draw the page of a session."""
    server = get_server()
    # Every part gets its container first: a part that appears later must not reset the others.
    top, messages, spoken, answered, verified, further = (st.container() for _ in range(6))
    remembered, reading, columns, time, below = (st.container() for _ in range(5))
    with top:
        draw_top(view, server, state)
    with messages:
        draw_messages(view, server, state)
    with spoken:
        if state == "running":
            turns.draw_speech(view.live.speaking)
    owner = own_memory(view.session_id)
    asking = state == "finished" and view.at is None
    may_ask = asking and owner is None and view.moment.bank.answer is not None and len(view.moment.bank.query_graph) > 0
    with answered:
        draw_answer_part(view, may_ask=may_ask)
    with further:
        if may_ask:
            asked.draw_newest(view)
    with remembered:
        if owner is not None:
            draw_recalled_and_kept(view, owner)
            if asking:
                draw_follow_up(view, owner)
    with reading:
        draw_reading(view, working=state == "running")
    with columns:
        draw_columns(view, working=state == "running" and view.at is None)
    with time:
        draw_time(view)
    with below:
        draw_below(view)
    with verified:  # last, because loading the networks may take time
        draw_verification(view)


def draw_top(view: ViewState, server: Server, state: SessionState) -> None:
    """Draw the status line and the controls."""
    left, right = st.columns([5, 3], vertical_alignment="top")
    with left:
        draw_status(view, state, compact=False)
        draw_understood(view, state)
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        draw_controls(view, server, state)


def draw_controls(view: ViewState, server: Server, state: SessionState) -> None:
    """Draw the buttons: pause or continue, cancel, export, new session."""
    session_id = view.session_id
    settings, _warning = resume_settings(view.live.bank.engine.values(), tab_settings(server))
    # Pause and Continue share one key: a button that disappears late would move the others.
    if state == "running":
        args = (session_id,)
        st.button(say("Pause"), icon=":material/pause:", key="switch", on_click=server.pause, args=args)
    elif state in STOPPED_STATES and not lacks_files(view):
        go_on = (session_id, settings)
        st.button(say("Continue"), icon=":material/play_arrow:", key="switch", on_click=server.resume, args=go_on)
    if state in ("running", "paused"):
        # In two steps, because it is final. Not a popover: a redraw would close it.
        if view.confirming_cancel and st.button(
            say("Stop for good"), icon=":material/stop:", type="primary", key="cancel-sure"
        ):
            view.confirming_cancel = False
            server.cancel(session_id, settings)
            st.rerun()
        label = say("Keep going") if view.confirming_cancel else say("Cancel")
        st.button(label, key="cancel", on_click=setattr, args=(view, "confirming_cancel", not view.confirming_cancel))
    events = view.live.events
    st.download_button(
        say("Export"),
        data=lambda: export_session(list(events)),
        file_name=f"session-{session_id[:8]}.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export",
        help=say("The whole session so far, as JSON"),
    )
    if st.button(
        say("New"), icon=":material/add:", key="new", help=say("Start another session; this one stays as it is")
    ):
        tab_state.close_session()
        st.rerun()


def draw_messages(view: ViewState, server: Server, state: SessionState) -> None:
    """Draw what the person should know: skipped files, an interruption, a failure, a change of engine."""
    remarks = list(tab_state.messages(view.session_id))
    remarks += [
        say("{file} was refused: {reason}", file=source.name, reason=recorded(source.refused))
        for source in view.live.bank.sources.values()
        if source.refused is not None
    ]
    if remarks:
        lines = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
        with st.container(border=True):
            st.html(f'<b>{say("Skipped. The other files were read.")}</b><ul class="mb-remarks">{lines}</ul>')
    failure = server.start_failure(view.session_id)
    if failure is not None:
        draw_error(
            say("The session could not continue. Everything recorded is kept. Correct the cause and press Continue."),
            replace_variables(recorded(failure)),
        )
    if state == "interrupted":
        last = view.live.events[-1]
        next_step = (
            say("Its document files are missing, as after an import without files, so it can only be viewed.")
            if lacks_files(view)
            else say("Press Continue to go on from there. Finished judgements are not repeated.")
        )
        kept = say_n(
            "This session was interrupted. Its {n} recorded event is kept.",
            "This session was interrupted. All {n} recorded events are kept.",
            last.seq,
        )
        st.warning(say("{said} {more}", said=kept, more=next_step))
    if state == "failed":
        reason = next((event.reason for event in reversed(view.live.events) if event.type == "status_changed"), "")
        draw_error(
            say("The session failed. Everything recorded is kept. Press Continue to try again from there."),
            replace_variables(recorded(reason)),
        )
    if state in STOPPED_STATES and not lacks_files(view):
        draw_engine_note(view, server, failed=state == "failed")


def draw_engine_note(view: ViewState, server: Server, *, failed: bool) -> None:
    """Before a session continues: say that another engine would be used, and link to the settings if useful."""
    engines = view.live.bank.engine.values()
    _settings, warning = resume_settings(engines, tab_settings(server))
    if warning:
        st.warning(plain(warning))
    if warning or (failed and any(engine.provider != "offline" for engine in engines)):
        st.page_link(SETTINGS_PAGE, label=say("Change engine, key or address in Settings"))


main()
