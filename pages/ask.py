"""The Ask page: ask the memory a question, and read the answer with citations and how the memory was searched."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components.language import say, say_n
from components.look import SessionState, draw_note, heading, plain
from components.settings_form import TASK_KINDS
from memory_bank.bank.task_kind import TaskKind
from memory_bank.views.snapshot import Moment
from pages.shared import asked
from pages.shared.frame import draw_status, draw_time, session_page
from pages.shared.questions import ask_memory, embedded_engine_answers, models_note, questions
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.task_kind import CHOICES
from pages.shared.visitor_settings import tab_settings


def draw(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    draw_time(view)
    all_questions = questions(view.session_id)
    heading(
        say("Ask the memory"), say("questions are kept for this tab while the server runs, and not added to the memory")
    )
    if not len(view.moment.bank.query_graph):
        draw_note(say("The memory is empty at this moment. You can ask once a document has been read."))
    else:
        draw_form(view)
        if not all_questions:
            draw_examples(view)
    if all_questions:
        newest = all_questions[0]
        asked.draw_heading(newest)
        asked.draw(view, newest)
    if earlier := all_questions[1:]:
        heading(say("Earlier questions"), say_n("{n} question", "{n} questions", len(earlier)))
        for question in earlier:
            with st.expander(plain(question.text), key=f"question-{view.session_id}-{question.number}"):
                asked.draw(view, question)


def draw_form(view: ViewState) -> None:
    """Draw the field for a question, and which models will answer it."""
    with st.form("ask", border=False, clear_on_submit=True):
        left, middle, right = st.columns([5, 2, 1], vertical_alignment="bottom")
        left.text_input(say("Your question"), key="question", placeholder=say("When was …? How long is …?"))
        if embedded_engine_answers(view, tab_settings(get_server())):
            kinds = ("auto", *CHOICES)
            middle.selectbox(say("What it asks for"), kinds, format_func=lambda kind: say(TASK_KINDS[kind]), key="kind")
        right.form_submit_button(say("Ask"), type="primary", on_click=lambda: ask_typed(view), width="stretch")
    if note := models_note(view, tab_settings(get_server())):
        st.caption(plain(note))


def ask_typed(view: ViewState) -> None:
    """Ask the question in the field."""
    ask_question(view, st.session_state.get("question", ""), st.session_state.get("kind", "auto"))


def ask_question(view: ViewState, text: str, kind: Literal["auto"] | TaskKind = "auto") -> None:
    """Ask the memory at the moment shown; do nothing if the text is blank. `kind` is what the question asks for."""
    if not text.strip():
        return
    settings = tab_settings(get_server())
    if kind != "auto":
        settings = settings.model_copy(update={"task_kind": kind})
    ask_memory(view, text.strip(), settings)


def draw_examples(view: ViewState) -> None:
    """Draw example questions."""
    draw_note(
        say(
            "The answer quotes the documents, with a number for every passage. Disputed statements are shown "
            "with both sides. Refuted statements are left out and listed. For example:"
        )
    )
    with st.container(key="examples", gap="xxsmall"):
        for number, text in enumerate(examples(view.moment), start=1):
            st.button(plain(text), key=f"example-{number}", type="tertiary", on_click=ask_question, args=(view, text))


def examples(moment: Moment) -> list[str]:
    """Example questions: the session's task, one about the node with the most records, and one for an overview."""
    bank = moment.bank
    largest = max(bank.query_graph, key=lambda node: len(bank.trees.entries(node.id)))
    topics = [say("What do the documents say about “{topic}”?", topic=word) for word in largest.keywords[:1]]
    return list(dict.fromkeys([bank.insight_doc.task_goal, *topics, say("What are these documents about?")]))


session_page(draw)
