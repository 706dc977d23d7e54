"""Ask a session's memory, and draw the answer beside its passages and how the memory was searched."""

from __future__ import annotations

from functools import partial
from typing import Literal

import streamlit as st

from components.answer import blocks, draw_cost, draw_research
from components.language import recorded, say
from components.linked_text import Segment, draw_linked_text, item, node_link
from components.look import draw_error, draw_note, escape, heading, plain
from components.settings_form import CHOICES, TASK_KINDS
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.session.answer_lines import answer_statements
from memory_bank.session.memory_qa import QuestionAnswer
from memory_bank.views.readable import read_answer, read_conflicts
from pages.shared.background import failure
from pages.shared.conflict_view import open_link
from pages.shared.page_paths import ASK_PAGE
from pages.shared.passage_view import draw_citation
from pages.shared.questions import Question, ask_memory, embedded_engine_answers, models_note, questions
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings


def draw_form(view: ViewState, name: str, label: str, placeholder: str, *, with_kind: bool) -> None:
    """Draw the field for a question, and which models will answer. `with_kind`: what it asks for can be chosen."""
    settings = tab_settings(get_server())
    field = "question" if with_kind else f"{name}-question"
    with st.form(name, border=False, clear_on_submit=True):
        left, *middle, right = st.columns([5, 2, 1] if with_kind else [6, 1], vertical_alignment="bottom")
        left.text_input(label, key=field, placeholder=placeholder)
        if middle and embedded_engine_answers(view, settings):
            kinds = ("auto", *CHOICES)
            middle[0].selectbox(
                say("What it asks for"), kinds, format_func=lambda kind: say(TASK_KINDS[kind]), key="kind"
            )
        right.form_submit_button(
            say("Ask"),
            key=None if with_kind else f"{name}-go",
            type="primary" if with_kind else "secondary",
            on_click=lambda: submit_question(
                view, st.session_state.get(field, ""), st.session_state.get("kind", "auto") if with_kind else "auto"
            ),
            width="stretch",
        )
    if note := models_note(view, settings):
        st.caption(plain(note))


def submit_question(view: ViewState, text: str, kind: Literal["auto"] | TaskKind = "auto") -> None:
    """Ask the memory at the moment shown; do nothing if the text is blank. `kind` is what the question asks for."""
    if question := " ".join(text.split()):
        settings = tab_settings(get_server())
        view.citation = None  # an open passage could push the new answer off the screen
        ask_memory(view, question, settings if kind == "auto" else settings.model_copy(update={"task_kind": kind}))


def draw_newest(view: ViewState) -> None:
    """Draw the newest question with its answer, and the way to all of them."""
    if all_questions := questions(view.session_id):
        draw_heading(all_questions[0])
        draw_question(view, all_questions[0], searched=False)
        st.page_link(ASK_PAGE, label=say("All questions, and how the memory was searched"))


def draw_heading(question: Question) -> None:
    """Draw what was asked."""
    st.html(f'<div class="mb-asked"><h3>{escape(question.text)}</h3></div>')


def draw_question(view: ViewState, question: Question, *, searched: bool = True) -> None:
    """Draw the answer to a question, or that it is being answered or failed; with `searched` how it was found."""
    if not question.work.done():
        if question.work not in view.pending:  # asked before a reload
            view.pending.append(question.work)
        draw_note(say("Looking through the memory …"), live=True)
    elif (reason := failure(question.work)) is not None:
        draw_error(
            say("The question could not be answered. The memory is unchanged. Correct the cause or ask again."), reason
        )
    else:
        _draw_result(view, question, question.work.result(), searched=searched)


def draw_cited_answer(
    bank: Bank, shown: Answer, opened: ViewState | Question, *, key: str, open_first: bool = True
) -> Citation | None:
    """Draw an answer; the citation whose passage is shown: the one pressed, before that the first with `open_first`."""
    citations = {str(citation.number): citation for citation in shown.citations}
    first = next(iter(citations.values()), None) if open_first else None
    citation = citations.get(opened.citation or "", first)
    draw_linked_text(
        list(blocks(read_answer(bank, shown), read_conflicts(bank, shown))),
        key=key,
        pressed=str(citation.number) if citation else None,
        on_press=lambda pressed: setattr(opened, "citation", pressed),
    )
    return citation


def _draw_result(view: ViewState, question: Question, asked: QuestionAnswer, *, searched: bool) -> None:
    """Draw an answer, the passage of the selected citation beside it, and below how the memory was searched."""
    key = f"{view.session_id}-{question.number}"
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if asked.question != question.text:
            draw_note(say("Read as: {question}", question=asked.question))
        if asked.understood is not None and not asked.is_refusal:
            draw_note(recorded(UNDERSTOOD[asked.understood]))
        citation = draw_cited_answer(view.live.bank, asked.answer, question, key=f"asked-{key}")
        # It may quote documents against each other alone. The nearest passages, which are a list, say nothing.
        lines = answer_statements(asked.answer)
        quotes = any(line.founded and line.citations and not line.item for line in lines)
        if not (asked.answer.affirmed or asked.answer.disputed or quotes or asked.is_refusal):
            draw_note(say("Try other words, or say what the question is about."))
        if searched:
            aside = say("best first · the memory after event {number}", number=f"{question.at:,}")
            heading(say("Nodes searched"), aside)
            draw_linked_text(
                [item(node_link(node.id), Segment(f" {node.context}")) for node in asked.nodes],
                key=f"searched-{key}",
                pressed=None,
                on_press=partial(open_link, view),
            )
            if asked.research:
                draw_research(asked.research[0])
        remarks = (remark for part in asked.research[1:] for remark in part.remarks)
        draw_cost(asked.usage, [*asked.remarks, *remarks])
    if citation is not None:
        with right:
            draw_citation(view, citation, key=f"evidence-{key}")
