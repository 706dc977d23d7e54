"""The Session page: start a session, watch it, read its answer. Its address brings it back."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components import speech
from components.language import recorded, say, say_n
from components.look import SessionState, escape, plain
from components.settings_form import in_words
from memory_bank.bank.transfer import export_session
from memory_bank.settings import Settings
from pages import _follow_up, _recalled, _visitor
from pages._choices import chosen
from pages._engines import to_go_on
from pages._frame import draw_status, draw_time, session_page
from pages._server import Server, server
from pages._start import welcome
from pages._view import draw_answer, draw_below, draw_columns, draw_reading, draw_verified
from pages._visitor import Looking


def main() -> None:
    """The start, or the session that the address names."""
    if _visitor.current() is None:
        welcome(server())
    else:
        session_page(draw)


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    here = server()
    # Every part has its own place from the beginning: one that comes later must not make the others start anew.
    top, said, spoken, answered, verified = (st.container() for _ in range(5))
    remembered, reading, columns, time, below = (st.container() for _ in range(5))
    with top:
        draw_top(look, here, state)
    with said:
        draw_words(look, here, state)
    with spoken:
        if state == "running":
            speech.draw(look.live.speaking)
    with answered:
        draw_answer(look)
    with remembered:
        draw_remembered(look, state)
    with reading:
        draw_reading(look, working=state == "running")
    with columns:
        draw_columns(look, working=state == "running" and look.at is None)
    with time:
        draw_time(look)
    with below:
        draw_below(look)
    with verified:  # last, for the networks may have to be loaded first
        draw_verified(look)


def draw_remembered(look: Looking, state: SessionState) -> None:
    """For its owner: what long-term memory had for the session and got from it, and the conversation's next task."""
    owner = _recalled.own(look.session_id)
    if owner is not None:
        _recalled.draw(look, owner)
        if state == "finished" and look.at is None:
            _follow_up.draw(look, owner)


def draw_top(look: Looking, server: Server, state: SessionState) -> None:
    """Status line and controls."""
    left, right = st.columns([5, 3], vertical_alignment="top")
    with left:
        draw_status(look, state, compact=False)
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        draw_controls(look, server, state)


def draw_controls(look: Looking, server: Server, state: SessionState) -> None:
    """What can be done with the session as it stands."""
    session_id = look.session_id
    settings, _words = to_go_on(look.live.bank.engine.values(), chosen(server))
    if state == "running":
        draw_switch(say("Pause"), ":material/pause:", server.pause, session_id)
    elif can_go_on(look, server, state):
        draw_switch(say("Continue"), ":material/play_arrow:", server.proceed, session_id, settings)
    if state in ("running", "paused"):
        draw_cancel(look, server, settings)
    events = look.live.events
    st.download_button(
        say("Export"),
        data=lambda: export_session(list(events)),
        file_name=f"session-{session_id[:8]}.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        key="export",
        help=say("The whole session as JSON, as it stands now"),
    )
    if st.button(
        say("New"), icon=":material/add:", key="new", help=say("Start another session; this one stays as it is")
    ):
        _visitor.leave()
        st.rerun()


def can_go_on(look: Looking, server: Server, state: SessionState) -> bool:
    """Whether Continue is offered."""
    stopped = state in ("created", "paused", "interrupted", "failed")
    return stopped and not server.lacks_files(look.session_id, look.live.bank.sources.values())


def draw_switch(label: str, icon: str, act: Callable[..., None], *given: object) -> None:
    """Pause or Continue: one button, for an old one that is slow to go would push the others about."""
    st.button(label, icon=icon, key="switch", on_click=act, args=given)


def draw_cancel(look: Looking, server: Server, settings: Settings) -> None:
    """Cancel, in two steps: it is for good. Asked in the visitor's state, for a redraw would close a popover."""
    if look.cancelling and st.button(say("Stop for good"), icon=":material/stop:", type="primary", key="cancel-sure"):
        look.cancelling = False
        server.cancel(look.session_id, settings)
        st.rerun()
    label = say("Keep going") if look.cancelling else say("Cancel")
    st.button(label, key="cancel", on_click=ask_to_cancel, args=(look, not look.cancelling))


def ask_to_cancel(look: Looking, asked: bool) -> None:  # noqa: FBT001 - the one argument of a button's callback
    """Ask whether to cancel, or stop asking."""
    look.cancelling = asked


def draw_words(look: Looking, server: Server, state: SessionState) -> None:
    """What the person should know: files left out or refused, an interruption, a failure."""
    remarks = list(_visitor.words(look.session_id))
    remarks += [
        say("{file} was refused: {reason}", file=source.name, reason=recorded(source.refused))
        for source in look.live.bank.sources.values()
        if source.refused is not None
    ]
    if remarks:
        lines = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
        with st.container(border=True):
            st.html(f'<b>{say("Left out; everything else went on")}</b><ul class="mb-list">{lines}</ul>')
    failure = server.start_failure(look.session_id)
    if failure is not None:
        st.error(say("The session could not go on; everything recorded is kept. Correct the cause and press Continue."))
        st.text(in_words(recorded(failure)))
    if state == "interrupted":
        last = look.live.events[-1]
        how = (
            say("Its documents are not here, as in an import, so it can only be looked at.")
            if server.lacks_files(look.session_id, look.live.bank.sources.values())
            else say("Press Continue: it goes on from there, and no finished judgement is made twice.")
        )
        kept = say_n(
            "This session was interrupted. Its {n} recorded event is kept.",
            "This session was interrupted. All {n} recorded events are kept.",
            last.seq,
        )
        st.warning(say("{said} {more}", said=kept, more=how))
    if state == "failed":
        reason = next((event.reason for event in reversed(look.live.events) if event.type == "status_changed"), "")
        st.error(say("The session failed. What is recorded is kept; Continue tries again from there."))
        st.text(in_words(recorded(reason)))
    if can_go_on(look, server, state):
        draw_change(look, server, failed=state == "failed")


def draw_change(look: Looking, server: Server, *, failed: bool) -> None:
    """Before a session goes on: that another engine would judge, or that a setting is to be changed first."""
    engines = look.live.bank.engine.values()
    _settings, words = to_go_on(engines, chosen(server))
    if words:
        st.warning(plain(words))
    if words or (failed and any(engine.provider != "offline" for engine in engines)):
        st.page_link("pages/settings.py", label=say("Change engine, key or address in Settings"))


main()
