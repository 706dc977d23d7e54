"""The box under a session's answer that asks its memory a further question, and the newest question with its answer."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import plain
from pages.shared import asked
from pages.shared.page_paths import ASK_PAGE
from pages.shared.questions import ask_memory, models_note, questions
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings


def draw_form(view: ViewState) -> None:
    """Draw the box, and which models will answer."""
    with st.form("further", border=False, clear_on_submit=True):
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        left.text_input(say("Ask a further question"), key="further-question", placeholder=say("about these documents"))
        right.form_submit_button(say("Ask"), key="further-go", on_click=lambda: _ask_typed(view), width="stretch")
    if note := models_note(view, tab_settings(get_server())):
        st.caption(plain(note))


def _ask_typed(view: ViewState) -> None:
    text = " ".join(str(st.session_state.get("further-question", "")).split())
    if text:
        ask_memory(view, text, tab_settings(get_server()))


def draw_newest(view: ViewState) -> None:
    """Draw the newest question with its answer, and the way to all of them."""
    all_questions = questions(view.session_id)
    if all_questions:
        asked.draw_heading(all_questions[0])
        asked.draw(view, all_questions[0], searched=False)
        st.page_link(ASK_PAGE, label=say("All questions, and how the memory was searched"))
