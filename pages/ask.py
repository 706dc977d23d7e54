"""The Ask page: ask the memory a question, and read the answer with citations and how the memory was searched."""

from __future__ import annotations

import streamlit as st

from components.language import say, say_n
from components.look import SessionState, draw_note, heading, plain
from memory_bank.views.snapshot import Moment
from pages.shared import asked
from pages.shared.frame import draw_status, draw_time, session_page
from pages.shared.questions import questions
from pages.shared.tab_state import ViewState


def draw_ask_page(view: ViewState, state: SessionState) -> None:
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
        asked.draw_form(view, "ask", say("Your question"), say("When was …? How long is …?"), with_kind=True)
        if not all_questions:
            draw_note(
                say(
                    "The answer quotes the documents, with a number for every passage. Disputed statements are shown "
                    "with both sides. Refuted statements are left out and listed. For example:"
                )
            )
            with st.container(key="examples", gap="xxsmall"):
                for number, text in enumerate(example_questions(view.moment), start=1):
                    pressed = (view, text)
                    st.button(
                        plain(text),
                        key=f"example-{number}",
                        type="tertiary",
                        on_click=asked.submit_question,
                        args=pressed,
                    )
    if all_questions:
        newest = all_questions[0]
        asked.draw_heading(newest)
        asked.draw_question(view, newest)
    if earlier := all_questions[1:]:
        heading(say("Earlier questions"), say_n("{n} question", "{n} questions", len(earlier)))
        for question in earlier:
            with st.expander(plain(question.text), key=f"question-{view.session_id}-{question.number}"):
                asked.draw_question(view, question)


def example_questions(moment: Moment) -> list[str]:
    """Example questions: the session's task, one about the node with the most records, and one for an overview."""
    bank = moment.bank
    largest = max(bank.query_graph, key=lambda node: len(bank.trees.entries(node.id)))
    topics = [say("What do the documents say about “{topic}”?", topic=word) for word in largest.keywords[:1]]
    return list(dict.fromkeys([bank.insight_doc.task_goal, *topics, say("What are these documents about?")]))


session_page(draw_ask_page)
