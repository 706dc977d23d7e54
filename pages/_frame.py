"""What all pages of a session share: the session of the address, followed live; where time stands; going elsewhere.

A page gives what it draws. It is drawn in the one fragment of the page that ticks, while the session is worked on,
while a replay plays, or while something that the page asked for is being made.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from components import query_graph, status_line, time_bar
from components.language import recorded, say
from components.look import SessionState
from components.settings_form import in_words
from memory_bank.errors import CorruptLogError, SessionNotFoundError
from memory_bank.moment import Moment
from pages import _visitor
from pages._server import Activity, Server, server
from pages._turns import TURNS
from pages._user import may_open
from pages._visitor import RUN, Looking

TICK, PLAY_TICK = 1.0, 0.5
"""Seconds between two looks at a session that is being worked on, and between two moments of a replay."""
MANY = 8
"""Sessions that are worked on or wait: twice as many are looked at half as often, which leaves time to work."""
SLOWEST = 8
SESSION = "pages/session.py"

Draw = Callable[[Looking, SessionState], None]


def session_page(draw: Draw) -> None:
    """A page about the session of the address; `draw` is called with what is looked at, and how the session stands."""
    session_id = _visitor.current()
    if session_id is None:
        no_session()
        return
    query_graph.load_library()
    seconds = ticks(server(), session_id)
    st.fragment(follow, run_every=seconds)(session_id, draw, seconds)


def ticks(here: Server, session_id: str) -> float | None:
    """How often the page looks again; None where nothing is going on."""
    if not may_open(here, session_id):
        return None
    look = st.session_state.get("looking")
    if isinstance(look, Looking) and look.session_id == session_id:
        if look.playing:
            return PLAY_TICK
        if look.awaited:
            return TICK / 2
    activity = here.activity(session_id)
    if activity == "still":
        return None
    return TICK if activity == "starting" else TICK * slower(here.busy())


def slower(busy: int) -> int:
    """How many times less often pages look while so many sessions are worked on or wait: 1, 2, 4 or 8."""
    return min(1 << max((busy - 1) // MANY, 0).bit_length(), SLOWEST)


def follow(session_id: str, draw: Draw, seconds: float | None) -> None:
    """Draw the page as the session stands."""
    with TURNS.one():
        look_again(session_id, draw, seconds)


def look_again(session_id: str, draw: Draw, seconds: float | None) -> None:
    """Draw it, and have the page look more or less often where that has changed."""
    here = server()
    if not may_open(here, session_id):
        draw_not_there()
        return
    activity = here.activity(session_id)  # before the events, so that an end seen here is in them
    try:
        look = _visitor.looking(session_id, here)
        if look.live.events:
            draw_page(look, draw, activity)
        else:  # its folder is made, and its first event not written yet
            nothing_there(here, session_id, starting=activity == "starting")
    except SessionNotFoundError:  # or it was deleted in another tab while it was drawn
        nothing_there(here, session_id, starting=activity == "starting")
    except CorruptLogError as error:
        cannot_read(error)
    if seconds != ticks(here, session_id):
        st.rerun()  # the whole page: only there the ticking begins and ends


def draw_page(look: Looking, draw: Draw, activity: Activity) -> None:
    """Draw what the page shows of a session."""
    go_where_asked(look)
    if look.playing:
        look.play()
    look.awaited = [work for work in look.awaited if not work.done()]
    draw(look, state_of(look.live, activity, server().place(look.session_id)))


def state_of(moment: Moment, activity: Activity, place: int | None = None) -> SessionState:
    """How the session stands: as its log says, unless nobody runs what the log says `running`, or it only waits.

    `place` is its place in the queue, where it waits for others to give way: it can be paused and cancelled like any.
    """
    status = moment.bank.status
    if place is not None:
        return "running"
    if activity == "starting" or (activity == "running" and status == "created"):
        return "starting"
    if status == "running" and activity == "still":
        return "interrupted"
    return status


def draw_status(look: Looking, state: SessionState, *, compact: bool = True) -> None:
    """The task and how the session stands; in one line where the page is about something else."""
    moment, bank = look.live, look.live.bank
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
            tokens=bank.usage.tokens,
            cost_usd=bank.usage.cost_usd,
            doing=moment.doing if state == "running" else None,
            place=server().place(look.session_id) if state == "running" else None,
        ),
        compact=compact,
    )


def draw_time(look: Looking) -> None:
    """The slider over the session's events, with a replay."""
    event = look.moment.events[-1]
    time_bar.draw(
        time_bar.TimeBar(last=look.last, at=look.at, playing=look.playing, event=event, began=look.live.events[0].at),
        key="time",
        on_move=look.move,
        on_step=look.step,
        on_play=lambda: play_or_stop(look),
    )


def play_or_stop(look: Looking) -> None:
    """Replay from the moment that is shown, from the beginning where that is the newest; or stop."""
    look.playing = not look.playing
    if look.playing and look.at is None:
        look.move(1)


def open_node(look: Looking, node_id: str, page: str | None = None) -> None:
    """Select a node; on another page, where one is named."""
    look.node, look.passage, look.going = node_id, None, page


def go(look: Looking, page: str) -> None:
    """Go to another page of the session at the next redraw, as the callback of a button cannot."""
    look.going = page


def go_where_asked(look: Looking) -> None:
    """Leave for the page that was asked for, if one was."""
    page, look.going = look.going, None
    if page is not None:
        st.switch_page(page, query_params={RUN: look.session_id})


def no_session() -> None:
    """The tab has no session open."""
    st.html(f'<div class="mb-empty">{say("No session is open in this tab. Start one, or open one you have.")}</div>')
    with st.container(horizontal=True):
        st.page_link(SESSION, label=say("Start a session"), icon=":material/add:")
        st.page_link("pages/sessions.py", label=say("Open or import a session"))


def nothing_there(server: Server, session_id: str, *, starting: bool) -> None:
    """The address names no session: it is being prepared, could not be started, or is not there."""
    failure = server.start_failure(session_id)
    if starting:
        st.html(
            f'<div class="mb-status"><h1>{say("Starting")}</h1><div class="mb-facts">'
            f"{say('The engine is being loaded. This takes a few seconds the first time.')}</div></div>"
        )
        return
    if failure is not None:
        st.error(say("The session could not be started; nothing was kept. Correct the cause and start it again."))
        st.text(in_words(recorded(failure)))
        draw_way_out()
    else:
        draw_not_there()


def draw_not_there() -> None:
    """The address names no session that this visitor may see; nothing tells whether there is one."""
    st.warning(
        say("There is no session at this address. It may have been deleted, or a part of the address is missing.")
    )
    draw_way_out()


def cannot_read(error: CorruptLogError) -> None:
    """The session's log is damaged."""
    st.error(say("The record of this session is damaged and cannot be shown. Nothing was changed in it."))
    st.text(recorded(str(error)))
    draw_way_out()


def draw_way_out() -> None:
    """A way to the start, from an address that leads nowhere."""
    if st.button(say("Start a new session"), type="primary", key="way-out"):
        _visitor.leave()
        st.switch_page(SESSION)
