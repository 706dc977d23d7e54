"""Download buttons for a session: JSON to import, an HTML report, and the graph for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.language import say, visitor_words
from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event
from memory_bank.session.answer_check import verify_session_answer
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session
from memory_bank.views.exports import graphml, html_report


def draw_exports(events: Callable[[], Sequence[Event]], session_id: str, store: SessionStore) -> None:
    """Draw a button for each format. The file is made when the button is pressed, from the `events` at that time.

    Documents and images come from the `store`.
    """
    words = visitor_words()  # here, because files are made in a thread without a visitor

    def report() -> str:
        now = list(events())
        return html_report.report(now, words, verify_session_answer(Bank.replay(now)))

    def draw(label: str, kind: str, mime: str, make: Callable[[], str]) -> None:
        st.download_button(
            label,
            data=make,
            file_name=f"session-{session_id[:8]}.{kind}",
            mime=mime,
            on_click="ignore",
            type="tertiary",
            key=f"{kind}-{session_id}",
            help=say("Export: {form}", form=label),
        )

    draw(say("JSON"), "json", "application/json", lambda: export_session(list(events())))
    draw(
        say("JSON with files"),
        "files.json",
        "application/json",
        lambda: export_session(list(events()), files=store.find(session_id)),
    )
    draw(say("HTML report"), "html", "text/html", report)
    draw(say("GraphML"), "graphml", "application/xml", lambda: graphml.graphml(Bank.replay(events())))
