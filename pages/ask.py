"""The Ask page: ask the memory a question, and read the answer with citations and how the memory was searched."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components import answer, node_list, research
from components.language import recorded, say, say_n
from components.look import SessionState, draw_note, escape, heading, plain
from components.settings_form import TASK_KINDS
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.session.memory_qa import QuestionAnswer
from memory_bank.views.readable import read_answer, read_disputes
from memory_bank.views.snapshot import Moment
from pages.shared.background import failure
from pages.shared.frame import draw_status, draw_time, open_node, session_page
from pages.shared.page_paths import QUERY_GRAPH_PAGE
from pages.shared.passage_view import draw_citation
from pages.shared.questions import Question, ask_memory, embedded_engine_answers, models_note, questions
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.task_kind import CHOICES
from pages.shared.visitor_settings import tab_settings


def draw(view: ViewState, state: SessionState) -> None:
    """Draw the whole page."""
    draw_status(view, state)
    draw_time(view)
    all_questions = questions(view.session_id)
    heading(say("Ask the memory"), say("questions are kept in this tab and not added to the memory"))
    if not len(view.moment.bank.query_graph):
        draw_note(say("The memory is empty at this moment. You can ask once a document has been read."))
    else:
        draw_form(view)
        if not all_questions:
            draw_examples(view)
    if all_questions:
        newest = all_questions[0]
        st.html(f'<div class="mb-asked"><h3>{escape(newest.text)}</h3></div>')
        draw_answer(view, newest)
    if earlier := all_questions[1:]:
        heading(say("Earlier questions"), say_n("{n} question", "{n} questions", len(earlier)))
        for question in earlier:
            with st.expander(plain(question.text), key=f"question-{view.session_id}-{question.number}"):
                draw_answer(view, question)


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


def draw_answer(view: ViewState, question: Question) -> None:
    """Draw the answer to a question, or that it is being answered or failed."""
    if not question.work.done():
        words = say("Looking through the memory …")
        st.html(f'<div class="mb-empty" role="status">{escape(words)}</div>')
    elif (reason := failure(question.work)) is not None:
        st.error(say("The question could not be answered. The memory is unchanged. Correct the cause or ask again."))
        st.text(reason)
    else:
        draw_result(view, question, question.work.result())


def draw_result(view: ViewState, question: Question, asked: QuestionAnswer) -> None:
    """Draw an answer, the passage of the selected citation beside it, and below how the memory was searched."""
    key = f"{view.session_id}-{question.number}"
    citations = {str(citation.number): citation for citation in asked.answer.citations}
    citation = citations.get(question.selected_citation or "", next(iter(citations.values()), None))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if asked.understood is not None:
            draw_note(recorded(UNDERSTOOD[asked.understood]))
        answer.draw(
            read_answer(view.live.bank, asked.answer),
            read_disputes(view.live.bank, asked.answer),
            key=f"asked-{key}",
            opened=str(citation.number) if citation else None,
            on_open=lambda pressed: select_citation(question, pressed),
        )
        if not (asked.answer.affirmed or asked.answer.disputed):
            draw_note(
                say(
                    "Try other words, or say what the question is about. The nodes that were searched are listed below."
                )
            )
        aside = say("best first · the memory after event {number}", number=f"{question.at:,}")
        heading(say("Nodes searched"), aside)
        node_list.draw(
            asked.nodes,
            key=f"searched-{key}",
            on_open_node=lambda node_id: open_node(view, node_id, QUERY_GRAPH_PAGE),
        )
        if asked.research:
            research.draw(asked.research[0])
        remarks = (remark for part in asked.research[1:] for remark in part.remarks)
        research.draw_cost(asked.usage, [*asked.remarks, *remarks])
    if citation is not None:
        with right:
            draw_citation(view, citation, key=f"evidence-{key}")


def select_citation(question: Question, number: str) -> None:
    """Show a citation's passage."""
    question.selected_citation = number


session_page(draw)
