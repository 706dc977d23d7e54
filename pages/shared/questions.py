"""The questions that a tab has asked a session's memory, and the work of answering them.

They outlive a reload: the server keeps them under a key that only the tab's own storage in the browser knows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from secrets import token_hex

import streamlit as st

from components.language import listed, say
from memory_bank.agents.react import REACT
from memory_bank.agents.remember import PastTask
from memory_bank.agents.research import RESEARCH
from memory_bank.app.connection import model_servers
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import Settings
from memory_bank.judgement.coreference.question import standing_alone
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.session.memory_qa import QuestionAnswer, ask
from memory_bank.session.session import Parts
from pages.shared.background import run_in_background
from pages.shared.engine_choice import models_unavailable, resume_settings
from pages.shared.tab_state import ViewState

KEY = "key of the tab's questions"
"""Where the session state holds it."""
_MAX_TABS = 200
"""Tabs whose questions are kept; those of the tab that asked longest ago are dropped first."""
_BySession = dict[str, list["Question"]]


@dataclass
class Question:
    """A question to the memory after event `at`, and the work of answering it.

    `number` counts the questions from 1. `citation` is the number of the citation whose passage is shown.
    """

    number: int
    text: str
    at: int
    work: Future[QuestionAnswer]
    citation: str | None = None


def questions(session_id: str) -> Sequence[Question]:
    """The questions that this tab has asked about a session, newest first."""
    return _tabs().get(st.session_state.get(KEY, ""), {}).get(session_id, [])


def tab_keys() -> list[str]:
    """The key of the tab's questions, for its storage in the browser; none before the first question."""
    return [key] if (key := st.session_state.get(KEY, "")) in _tabs() else []


def restore(keys: Iterable[str]) -> None:
    """Find the questions from before a reload. The keys come from the browser; those of nothing are ignored."""
    for key in keys:
        if key in _tabs():
            st.session_state.setdefault(KEY, key)


def forget_questions(session_id: str) -> None:
    """Drop all questions about a session that is deleted."""
    for by_session in list(_tabs().values()):
        by_session.pop(session_id, None)


def _asked_here(session_id: str) -> list[Question]:
    """The list of this tab's questions about a session, to which one can be added."""
    tabs, key = _tabs(), st.session_state.setdefault(KEY, token_hex(16))
    by_session = tabs.setdefault(key, {})
    tabs.move_to_end(key)
    while len(tabs) > _MAX_TABS:
        tabs.popitem(last=False)
    return by_session.setdefault(session_id, [])


@st.cache_resource(show_spinner=False)
def _tabs() -> OrderedDict[str, _BySession]:
    """The questions of all tabs of this server, by the key of the tab."""
    return OrderedDict()


def ask_memory(view: ViewState, text: str, settings: Settings) -> None:
    """Ask the memory at the moment shown. A copy of the bank answers, because the session may go on meanwhile.

    A question that does not stand alone ("And when was it built?") is read after the session's task and the questions
    before it.
    """
    events, allowed = tuple(view.moment.events), _allowed_settings(view, settings)
    asked = _asked_here(view.session_id)
    before = [question.work for question in reversed(asked)]
    work = run_in_background(lambda: _answer(events, text, allowed, before))
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


def _answer(
    events: Sequence[Event], text: str, settings: Settings, before: Iterable[Future[QuestionAnswer]]
) -> QuestionAnswer:
    bank = Bank.replay(events)
    parts = Parts.asking(settings_as_recorded(settings, bank.settings))
    # the session's task and the questions answered since, oldest first
    talk = [PastTask(asked=bank.insight_doc.task_goal, found=bank.answer.affirmed if bank.answer else "")]
    answered = (work.result() for work in before if work.done() and work.exception() is None)
    talk += [PastTask(asked=each.question, found=each.answer.affirmed) for each in answered]
    question = standing_alone(text, talk)
    return ask(bank, parts, question, settings.task_kind)
