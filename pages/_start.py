"""The start: what this is, the form, and the demo."""

from __future__ import annotations

import streamlit as st

from components import start_form
from components.language import language, say
from components.look import plain
from memory_bank.connection import embedded
from memory_bank.demo import load_demo
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import new_record_id
from pages import _visitor
from pages._begun import Begun, begun
from pages._choices import chosen
from pages._engines import Offered, offered
from pages._server import NewSession, Server
from pages._user import current_user, draw_login
from pages._visitor import RUN

PROJECT = "project remembered for"

# Seconds the demo waits after an event of a type: the engine alone would be done before one has looked.
DEMO_SECONDS = {
    "source_read": 0.5,
    "node_created": 0.8,
    "edge_created": 0.4,
    "conflict_opened": 2.0,
    "plan_updated": 1.0,
    "conflict_decided": 1.5,
    "nodes_merged": 2.5,
}


def welcome(server: Server) -> None:
    """What this is, the form, and the demo."""
    last = begun()
    left, right = st.columns([3, 2], gap="large")
    with left:
        choice = offered(chosen(server))
        draw_welcome(choice)
        user = current_user()
        filled = start_form.draw(choice.offers, None if user is None else st.session_state.get(PROJECT, ""))
        if filled is not None:
            start(server, last, filled, choice)
    with right, st.container(border=True, key="demo-card"):
        draw_demo()
        if st.button(say("Try the demo"), key="demo"):
            demo = load_demo(language())
            new = NewSession(
                demo.task, demo.documents, demo.sources, pace=lambda event: DEMO_SECONDS.get(event.type, 0.0)
            )
            go(last.once(server, new, embedded(server.settings)))
    with right:
        st.page_link("pages/sessions.py", label=say("Open or import a session"))
        st.page_link("pages/settings.py", label=say("Use a language model"))
        if user is None:
            st.caption(say("Log in to have things remembered across sessions, if you want that."))
            draw_login()


def draw_demo() -> None:
    """What the demo shows."""
    tells = (
        say("one gives the wrong year for a dam, and a reference settles it: two nodes become one;"),
        say("published sources differ on the river’s length: that stays in dispute, and the answer says so;"),
        say("kilometres and miles, “eleven” and 11 only look like conflicts: no alarm."),
    )
    takes = say("The demo takes half a minute, slowed down so that you can watch, on the embedded engine.")
    story = say("{said} {more}", said=takes, more=say("Two documents about the Nile disagree:"))
    st.html(
        f'<div class="mb-welcome"><div class="mb-heading"><h2>{say("New here?")}</h2></div><p>{story}</p>'
        f'<ol class="mb-steps">{"".join(f"<li>{one}</li>" for one in tells)}</ol></div>'
    )


def draw_welcome(choice: Offered) -> None:
    """What this is; where the models are that could judge; why they cannot, if so."""
    what = say(
        "It reads them into a memory you can look into, checks what contradicts, and answers with a citation for every "
        "statement."
    )
    where = (
        say("It runs on this computer: no key is needed and nothing is sent anywhere.")
        if len(choice.offers) == 1
        else say("Choose below who judges, and whether anything is sent for that.")
    )
    said = say("{said} {more}", said=what, more=where)
    st.html(f'<div class="mb-welcome"><h1>{say("Give it documents and a task")}</h1><p>{said}</p></div>')
    if choice.missing:
        st.warning(plain(choice.missing))


def start(server: Server, last: Begun, filled: start_form.Filled, choice: Offered) -> None:
    """Start a session from the form, or say why not."""
    if filled.error is not None:
        st.error(filled.error)
        for remark in filled.remarks:
            st.text(remark)
        return
    new = NewSession(filled.task, filled.documents, filled.sources, owner=owner_of(filled))
    session_id = last.once(server, new, choice.settings[filled.engine])
    _visitor.leave_word(session_id, filled.remarks)
    go(session_id)


def owner_of(filled: start_form.Filled) -> Owner | None:
    """For whom the session is to remember, in a new conversation; None for nobody. The tab keeps the project's name."""
    user = current_user()
    if not filled.remember or user is None:
        return None
    st.session_state[PROJECT] = filled.project
    return Owner(user=user, project=filled.project or None, conversation_id=new_record_id())


def go(session_id: str) -> None:
    """Show a session under its own address."""
    _visitor.remember(session_id)
    st.query_params[RUN] = session_id
    st.rerun()
