"""Draw a question to a session's memory: its answer with citations, and how the memory was searched."""

from __future__ import annotations

import streamlit as st

from components import answer, node_list, research
from components.language import recorded, say
from components.look import draw_note, escape, heading
from memory_bank.bank.task_kind import UNDERSTOOD
from memory_bank.session.memory_qa import QuestionAnswer
from memory_bank.views.readable import read_answer, read_conflicts
from pages.shared.background import failure
from pages.shared.frame import open_node
from pages.shared.page_paths import QUERY_GRAPH_PAGE
from pages.shared.passage_view import draw_citation
from pages.shared.questions import Question
from pages.shared.tab_state import ViewState


def draw_heading(question: Question) -> None:
    """Draw what was asked."""
    st.html(f'<div class="mb-asked"><h3>{escape(question.text)}</h3></div>')


def draw(view: ViewState, question: Question, *, searched: bool = True) -> None:
    """Draw the answer to a question, or that it is being answered or failed; with `searched` how it was found."""
    if not question.work.done():
        if question.work not in view.pending:  # asked before a reload
            view.pending.append(question.work)
        words = say("Looking through the memory …")
        st.html(f'<div class="mb-empty" role="status">{escape(words)}</div>')
    elif (reason := failure(question.work)) is not None:
        st.error(say("The question could not be answered. The memory is unchanged. Correct the cause or ask again."))
        st.text(reason)
    else:
        _draw_result(view, question, question.work.result(), searched=searched)


def _draw_result(view: ViewState, question: Question, asked: QuestionAnswer, *, searched: bool) -> None:
    """Draw an answer, the passage of the selected citation beside it, and below how the memory was searched."""
    key = f"{view.session_id}-{question.number}"
    citations = {str(citation.number): citation for citation in asked.answer.citations}
    citation = citations.get(question.selected_citation or "", next(iter(citations.values()), None))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if asked.question != question.text:
            draw_note(say("Read as: {question}", question=asked.question))
        if asked.understood is not None:
            draw_note(recorded(UNDERSTOOD[asked.understood]))
        answer.draw(
            read_answer(view.live.bank, asked.answer),
            read_conflicts(view.live.bank, asked.answer),
            key=f"asked-{key}",
            opened=str(citation.number) if citation else None,
            on_open=lambda pressed: _select_citation(question, pressed),
        )
        if not (asked.answer.affirmed or asked.answer.disputed):
            draw_note(say("Try other words, or say what the question is about."))
        if searched:
            _draw_searched(view, question, asked, key=f"searched-{key}")
        remarks = (remark for part in asked.research[1:] for remark in part.remarks)
        research.draw_cost(asked.usage, [*asked.remarks, *remarks])
    if citation is not None:
        with right:
            draw_citation(view, citation, key=f"evidence-{key}")


def _draw_searched(view: ViewState, question: Question, asked: QuestionAnswer, *, key: str) -> None:
    """Draw the nodes that were searched, and the rounds of the research."""
    aside = say("best first · the memory after event {number}", number=f"{question.at:,}")
    heading(say("Nodes searched"), aside)
    node_list.draw(asked.nodes, key=key, on_open_node=lambda node_id: open_node(view, node_id, QUERY_GRAPH_PAGE))
    if asked.research:
        research.draw(asked.research[0])


def _select_citation(question: Question, number: str) -> None:
    """Show a citation's passage."""
    question.selected_citation = number
