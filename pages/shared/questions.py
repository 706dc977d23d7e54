"""The questions that a tab has asked a session's memory, and the work of answering them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import streamlit as st

from components.language import listed, say
from memory_bank.agents.react import REACT
from memory_bank.agents.research import RESEARCH
from memory_bank.app.connection import model_servers
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import Settings
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.session.memory_qa import QuestionAnswer, ask
from memory_bank.session.session import Parts
from pages.shared.background import run_in_background
from pages.shared.engine_choice import models_unavailable, resume_settings
from pages.shared.tab_state import ViewState


@dataclass
class Question:
    """A question to the memory after event `at`, and the work of answering it.

    `number` counts the questions from 1. `selected_citation` is the number of the citation whose passage is shown.
    """

    number: int
    text: str
    at: int
    work: Future[QuestionAnswer]
    selected_citation: str | None = None


def questions(session_id: str) -> list[Question]:
    """The questions that this tab has asked about a session, newest first."""
    asked: list[Question] = st.session_state.setdefault(f"questions to {session_id}", [])
    return asked


def ask_memory(view: ViewState, text: str, settings: Settings) -> None:
    """Ask the memory at the moment shown. A copy of the bank answers, because the session may go on meanwhile."""
    events, allowed = tuple(view.moment.events), _allowed_settings(view, settings)
    work = run_in_background(lambda: _answer(events, text, allowed))
    asked = questions(view.session_id)
    asked.insert(0, Question(len(asked) + 1, text, len(events), work))
    view.pending.append(work)


def models_note(view: ViewState, settings: Settings) -> str:
    """Say which models answer and where the question is sent; empty if nothing is sent."""
    try:
        servers = model_servers(_allowed_settings(view, settings))
    except SettingsError as error:
        return models_unavailable(error)
    answering = [server for server in servers if {REACT, RESEARCH} & set(server.agents)]
    if not answering:
        return ""
    return say(
        "This asks {models}. The question and the pages that are found are sent to {hosts}.",
        models=listed(dict.fromkeys(server.endpoint.model_name for server in answering)),
        hosts=listed(dict.fromkeys(server.host for server in answering)),
    )


def embedded_engine_answers(view: ViewState, settings: Settings) -> bool:
    """Whether the embedded engine answers, which goes by the kind of question."""
    return _allowed_settings(view, settings).provider(REACT) == "offline"


def _allowed_settings(view: ViewState, settings: Settings) -> Settings:
    """The settings to answer with. A session of the embedded engine is sent nowhere, as when it is resumed."""
    return resume_settings(view.moment.bank.engine.values(), settings)[0]


def _answer(events: Sequence[Event], text: str, settings: Settings) -> QuestionAnswer:
    parts = Parts.asking(settings_as_recorded(settings, next(iter(events), None)))
    return ask(Bank.replay(events), parts, text, settings.task_kind)
