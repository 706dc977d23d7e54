"""How the embedded engine understood the task, with a choice of the other kinds."""

from __future__ import annotations

import streamlit as st

from components.language import recorded, say
from components.look import SessionState, escape
from components.settings_form import TASK_KINDS
from memory_bank.bank.settings import Settings
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from pages.shared.decision_form import reason_blocked
from pages.shared.engine_choice import resume_settings
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings

CHOICES = tuple(kind for kind in TaskKind if kind is not TaskKind.BEYOND)
"""What a person can say that a task is."""


def draw(view: ViewState, state: SessionState) -> None:
    """Draw in one line how the task was understood; another choice has it answered anew. Nothing for a model's."""
    understood = view.live.bank.understood
    if understood is None:
        return
    blocked = reason_blocked(view, state)
    settings, _warning = resume_settings(view.live.bank.engine.values(), tab_settings(get_server()))
    key = f"kind-{view.session_id}-{understood.seq}"
    with st.container(horizontal=True, vertical_alignment="center", key="understood"):
        st.html(f'<span class="mb-quiet">{escape(recorded(UNDERSTOOD[understood.kind]))}</span>', width="content")
        st.selectbox(
            say("What the task asks for"),
            [kind for kind in CHOICES if kind is not understood.kind],
            index=None,
            format_func=lambda kind: say(TASK_KINDS[kind]),
            placeholder=say("Answer it as …"),
            key=key,
            label_visibility="collapsed",
            disabled=blocked is not None,
            on_change=_correct,
            args=(view.session_id, key, settings),
            width=240,
        )


def _correct(session_id: str, key: str, settings: Settings) -> None:
    if (kind := st.session_state[key]) is not None:  # None when the choice was cleared
        get_server().correct_kind(session_id, kind, settings)
