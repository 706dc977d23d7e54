"""The frame of all pages about a session: load it, refresh the page, draw status and time bar, switch pages.

A page passes its `draw` function. It is drawn in the one fragment of the page that refreshes by itself: while the
session runs, while a replay plays, or while background work for the page is under way.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components import query_graph, time_bar
from components.language import recorded, say
from components.look import SessionState, draw_error, draw_note
from components.settings_form import replace_variables
from components.status_line import draw_status_line
from components.time_bar import draw_time_bar
from memory_bank.bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.bank.events import Status
from pages.shared import tab_state
from pages.shared.page_paths import SESSION_PAGE, SESSIONS_PAGE
from pages.shared.render_limiter import RENDER_SLOTS
from pages.shared.server import Activity, Server, get_server
from pages.shared.tab_state import SESSION_PARAMETER, ViewState
from pages.shared.user import may_open

TICK, PLAY_TICK = 1.0, 0.5
"""Seconds between two refreshes of a page while its session runs, and while a replay plays."""
SESSIONS_PER_SLOWDOWN = 8
"""Each time the number of running and queued sessions doubles beyond this, pages refresh half as often."""
MAX_SLOWDOWN = 8
STOPPED_STATES: tuple[SessionState, ...] = ("created", "paused", "interrupted", "failed")
"""States of a session that has stopped before its end and can go on."""

Draw = Callable[[ViewState, SessionState], None]


def session_page(draw: Draw) -> None:
    """Draw a page about the session in the address. `draw` gets the visitor's view and the session's state."""
    session_id = tab_state.current_session()
    if session_id is None:
        draw_note(say("No session is open in this tab. Start one, or open an existing one."))
        with st.container(horizontal=True):
            st.page_link(SESSION_PAGE, label=say("Start a session"), icon=":material/add:")
            st.page_link(SESSIONS_PAGE, label=say("Open or import a session"))
        return
    query_graph.load_library()
    seconds = refresh_interval(get_server(), session_id)
    st.fragment(refresh, run_every=seconds)(session_id, draw, seconds)


def refresh_interval(server: Server, session_id: str) -> float | None:
    """Seconds between two refreshes of the page; None if nothing is going on."""
    if not may_open(server, session_id):
        return None
    view = st.session_state.get("view")
    if isinstance(view, ViewState) and view.session_id == session_id:
        if view.playing:
            return PLAY_TICK
        if view.pending:
            return TICK / 2
    activity = server.activity(session_id)
    if activity == "idle":
        return None
    return TICK if activity == "starting" else TICK * slowdown(server.runner.busy())


def slowdown(busy: int) -> int:
    """How many times less often pages refresh while this many sessions are running or queued: 1, 2, 4 or 8."""
    return min(1 << max((busy - 1) // SESSIONS_PER_SLOWDOWN, 0).bit_length(), MAX_SLOWDOWN)


def refresh(session_id: str, draw: Draw, seconds: float | None) -> None:
    """Draw the page as the session is now. `seconds` is the current refresh interval; if it must change, rerun."""
    with RENDER_SLOTS.hold():
        server = get_server()
        if not may_open(server, session_id):
            draw_not_found()
            return
        activity = server.activity(session_id)  # before the events, so that an end seen here is in them
        try:
            view = tab_state.current_view(session_id, server)
            if view.live.events:
                draw_page(view, draw, activity)
            else:  # its folder exists, but its first event is not written yet
                draw_without_events(server, session_id, starting=activity == "starting")
        except SessionNotFoundError:  # or it was deleted in another tab while it was drawn
            draw_without_events(server, session_id, starting=activity == "starting")
        except CorruptLogError as error:
            draw_error(
                say("The log of this session is damaged and cannot be shown. Nothing in it was changed."), str(error)
            )
            draw_start_button()
        if seconds != refresh_interval(server, session_id):
            st.rerun()  # the whole page: only a full run starts or stops the refreshing


def draw_page(view: ViewState, draw: Draw, activity: Activity) -> None:
    """Draw the page of a session that has events, or switch to the page that was requested."""
    page, view.next_page = view.next_page, None
    if page is not None:
        st.switch_page(page, query_params={SESSION_PARAMETER: view.session_id})
    if view.playing:
        view.play()
    view.pending = [work for work in view.pending if not work.done()]
    draw(view, state_of_session(view.live.bank.status, activity, get_server().runner.place(view.session_id)))


def state_of_session(status: Status, activity: Activity, place: int | None = None) -> SessionState:
    """The session's state to show: the status in its log, corrected by what this process is doing.

    A session that the log calls `running` but nobody runs is interrupted. `place` is its position in the queue: a
    queued session counts as running, because it can be paused and cancelled too.
    """
    if place is not None:
        return "running"
    if activity == "starting" or (activity == "running" and status == "created"):
        return "starting"
    return "interrupted" if status == "running" and activity == "idle" else status


def draw_status(view: ViewState, state: SessionState, *, compact: bool = True) -> None:
    """Draw the task and the session's state. `compact`: in one line, for pages about something else."""
    position = get_server().runner.place(view.session_id) if state == "running" else None
    draw_status_line(view.live, state, queue_position=position, compact=compact)


def draw_time(view: ViewState) -> None:
    """Draw the time slider over the session's events, with the replay buttons."""
    event = view.moment.events[-1]
    draw_time_bar(
        time_bar.TimeBar(
            last=view.last_seq, at=view.at, playing=view.playing, event=event, began=view.live.events[0].at
        ),
        key="time",
        on_move=view.move,
        on_step=view.step,
        on_play=lambda: toggle_replay(view),
    )


def toggle_replay(view: ViewState) -> None:
    """Start the replay at the moment shown, or at the beginning if that is the newest moment; or stop it."""
    view.playing = not view.playing
    if view.playing and view.at is None:
        view.move(1)


def open_node(view: ViewState, node_id: str, page: str | None = None) -> None:
    """Select a node, and switch to `page` if one is given."""
    view.node, view.passage, view.next_page = node_id, None, page


def lacks_files(view: ViewState) -> bool:
    """Whether document files of the session are missing, as after an import without files, so that it cannot go on."""
    return get_server().lacks_files(view.session_id, view.live.bank.sources.values())


def go_to_page(view: ViewState, page: str) -> None:
    """Switch to another page of the session at the next redraw. The callback of a button cannot switch itself."""
    view.next_page = page


def draw_without_events(server: Server, session_id: str, *, starting: bool) -> None:
    """Draw the page of a session without events: it is starting, could not be started, or does not exist."""
    failure = server.start_failure(session_id)
    if starting:
        st.html(
            f'<div class="mb-status"><h1>{say("Starting")}</h1><div class="mb-facts">'
            f"{say('The engine is being loaded. This takes a few seconds the first time.')}</div></div>"
        )
        return
    if failure is not None:
        draw_error(
            say("The session could not be started. Nothing was kept. Correct the cause and start it again."),
            replace_variables(recorded(failure)),
        )
        draw_start_button()
    else:
        draw_not_found()


def draw_not_found() -> None:
    """Say that there is no session at this address, also if there is one that the visitor may not see."""
    st.warning(
        say("There is no session at this address. It may have been deleted, or a part of the address is missing.")
    )
    draw_start_button()


def draw_start_button() -> None:
    """Draw a button that starts a new session."""
    if st.button(say("Start a new session"), type="primary", key="way-out"):
        tab_state.close_session()
        st.switch_page(SESSION_PAGE)
