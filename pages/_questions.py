"""The questions that a tab has asked a session's memory, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import streamlit as st

from components.language import listed, say
from memory_bank.agents.react import REACT
from memory_bank.agents.research import RESEARCH
from memory_bank.asking import Asked, ask
from memory_bank.bank.bank import Bank
from memory_bank.connection import model_servers
from memory_bank.embedding_choice import as_begun
from memory_bank.errors import SettingsError
from memory_bank.events import Event
from memory_bank.session import Parts
from memory_bank.settings import Settings
from pages._aside import aside
from pages._engines import missing, to_go_on
from pages._visitor import Looking


@dataclass
class Question:
    """A question to the memory after event `at`, and its answer once it is there.

    `number` counts the questions from 1. `opened` is the citation whose passage is shown.
    """

    number: int
    text: str
    at: int
    work: Future[Asked]
    opened: str | None = None


def questions(session_id: str) -> list[Question]:
    """What this tab has asked of a session."""
    asked: list[Question] = st.session_state.setdefault(f"questions to {session_id}", [])
    return asked


def put(look: Looking, text: str, settings: Settings) -> None:
    """Ask the memory that is shown. It is answered from a bank of its own, for the session may go on meanwhile."""
    events, allowed = tuple(look.moment.events), _allowed(look, settings)
    work = aside(lambda: _answered(events, text, allowed))
    asked = questions(look.session_id)
    asked.insert(0, Question(len(asked) + 1, text, len(events), work))
    look.awaited.append(work)


def who_answers(look: Looking, settings: Settings) -> str:
    """Which models are asked, and where what they read is sent; empty where nothing is."""
    try:
        servers = [one for one in model_servers(_allowed(look, settings)) if {REACT, RESEARCH} & set(one.agents)]
    except SettingsError as error:
        return missing(error)
    if not servers:
        return ""
    return say(
        "This asks {models}. The question and the pages that are found are sent to {hosts}.",
        models=listed(dict.fromkeys(one.endpoint.model_name for one in servers)),
        hosts=listed(dict.fromkeys(one.host for one in servers)),
    )


def _allowed(look: Looking, settings: Settings) -> Settings:
    """The settings with which a session may be asked: what was read on this computer alone is sent nowhere."""
    return to_go_on(look.moment.bank.engine.values(), settings)[0]


def _answered(events: Sequence[Event], text: str, settings: Settings) -> Asked:
    parts = Parts.asking(as_begun(settings, next(iter(events), None)))
    return ask(Bank.replay(events), parts.embedder, text, parts.researcher(), parts.framework)
