"""The questions that a tab has asked a session's memory, newest first."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

import streamlit as st

from memory_bank.asking import Asked, ask
from memory_bank.bank.bank import Bank
from memory_bank.modules.embedding import load_embedder
from memory_bank.settings import Settings
from pages._aside import aside
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
    events = tuple(look.moment.events)
    embedder = partial(load_embedder, settings.embedding_model, settings.embedding_cache)
    work = aside(lambda: ask(Bank.replay(events), embedder(), text))
    asked = questions(look.session_id)
    asked.insert(0, Question(len(asked) + 1, text, len(events), work))
    look.awaited.append(work)
