"""The page that asks the memory: a question, its answer with citations, and how the memory was searched for it."""

from __future__ import annotations

import streamlit as st

from components import answer, found, research
from components.language import recorded, say, say_n
from components.look import SessionState, escape, heading, plain
from memory_bank.asking import Asked
from memory_bank.bank.answer import Citation
from memory_bank.moment import Moment
from pages._aside import failure
from pages._choices import chosen
from pages._evidence import draw_evidence
from pages._frame import draw_status, draw_time, open_node, session_page
from pages._questions import Question, put, questions, who_answers
from pages._server import server
from pages._visitor import Looking

QUERY_GRAPH = "pages/query_graph.py"


def draw(look: Looking, state: SessionState) -> None:
    """The whole page."""
    draw_status(look, state)
    draw_time(look)
    asked = questions(look.session_id)
    heading(say("Ask the memory"), say("nothing is added to it, and the questions stay in this tab"))
    if not len(look.moment.bank.query_graph):
        words = say("The memory is empty at this moment. Once a document has been read, it can be asked.")
        st.html(f'<div class="mb-empty">{escape(words)}</div>')
    else:
        draw_form(look)
        if not asked:
            draw_examples(look)
    if asked:
        draw_question(look, asked[0])
    if asked[1:]:
        heading(say("Asked before"), say_n("{n} question", "{n} questions", len(asked) - 1))
    for question in asked[1:]:
        with st.expander(plain(question.text), key=f"question-{look.session_id}-{question.number}"):
            draw_answer(look, question)


def draw_form(look: Looking) -> None:
    """The field for a question."""
    with st.form("ask", border=False, clear_on_submit=True):
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        left.text_input(say("Your question"), key="question", placeholder=say("When was …? How long is …?"))
        right.form_submit_button(say("Ask"), type="primary", on_click=lambda: put_typed(look), width="stretch")
    if told := who_answers(look, chosen(server())):
        st.caption(plain(told))


def put_typed(look: Looking) -> None:
    """Ask what was typed, if anything was."""
    put_question(look, st.session_state.get("question", ""))


def put_question(look: Looking, text: str) -> None:
    """Ask the memory that is shown."""
    if text.strip():
        put(look, text.strip(), chosen(server()))


def draw_examples(look: Looking) -> None:
    """What may be asked, where nothing was yet."""
    words = say(
        "The answer quotes the documents, with a number for every passage. What is in dispute is shown with both "
        "sides, and what was refuted is left out and named. For example:"
    )
    st.html(f'<div class="mb-empty">{escape(words)}</div>')
    with st.container(key="examples", gap="xxsmall"):
        for number, text in enumerate(examples(look.moment), start=1):
            st.button(plain(text), key=f"example-{number}", type="tertiary", on_click=put_question, args=(look, text))


def examples(moment: Moment) -> list[str]:
    """The session's own task, what the topic with the most records is about, and an overview."""
    bank = moment.bank
    fullest = max(bank.query_graph, key=lambda node: len(bank.trees.entries(node.id)))
    topics = [say("What do the documents say about “{topic}”?", topic=word) for word in fullest.keywords[:1]]
    return list(dict.fromkeys([bank.insight_doc.task_goal, *topics, say("What are these documents about?")]))


def draw_question(look: Looking, question: Question) -> None:
    """The newest question, in full."""
    st.html(f'<div class="mb-asked"><h3>{escape(question.text)}</h3></div>')
    draw_answer(look, question)


def draw_answer(look: Looking, question: Question) -> None:
    """How a question stands: being looked up, failed, or answered."""
    if not question.work.done():
        words = say("Looking through the memory …")
        st.html(f'<div class="mb-empty" role="status">{escape(words)}</div>')
    elif (why := failure(question.work)) is not None:
        st.error(say("The question could not be answered; the memory is as it was. Ask again, or change the cause."))
        st.text(why)
    else:
        draw_asked(look, question, question.work.result())


def draw_asked(look: Looking, question: Question, asked: Asked) -> None:
    """An answer; beside it the passage of the citation that was pressed; below it how the memory was searched."""
    key = f"{look.session_id}-{question.number}"
    citations = {str(citation.number): citation for citation in asked.answer.citations}
    opened = citations.get(question.opened or "", next(iter(citations.values()), None))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if not citations:
            words = say("Ask in other words, or name what it is about. Below are the nodes that were searched.")
            st.html(
                f'<div class="mb-empty">{escape(recorded(asked.answer.text))}</div>'
                f'<div class="mb-empty">{escape(words)}</div>'
            )
        if citations or asked.answer.rejected:
            number = str(opened.number) if opened else None
            answer.draw(
                asked.answer,
                key=f"asked-{key}",
                opened=number,
                on_open=lambda pressed: open_citation(question, pressed),
            )
        aside = say("best first · the memory after event {number}", number=f"{question.at:,}")
        heading(say("Searched"), aside)
        found.draw(
            asked.nodes,
            key=f"searched-{key}",
            on_open_node=lambda node_id: open_node(look, node_id, QUERY_GRAPH),
        )
        for one in asked.research[:1]:
            research.draw(one)
        of_parts = (remark for one in asked.research[1:] for remark in one.remarks)
        research.draw_cost(asked.usage, [*asked.remarks, *of_parts])
    if opened is not None:
        with right:
            draw_cited(look, question, opened)


def open_citation(question: Question, number: str) -> None:
    """Show a citation's passage."""
    question.opened = number


def draw_cited(look: Looking, question: Question, citation: Citation) -> None:
    """The passage of the open citation."""
    heading(say("Passage {number}", number=citation.number), say("record {entry}", entry=citation.entry_id))
    span = (citation.start, citation.end)
    key = f"evidence-{look.session_id}-{question.number}"
    draw_evidence(look, citation.entry_id, span, citation.source, citation.page, key=key)


session_page(draw)
