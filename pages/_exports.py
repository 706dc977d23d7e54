"""A session as a file: JSON to import, an HTML report to send, the graph for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.language import say, visitor_words
from memory_bank.bank.bank import Bank
from memory_bank.bank.transfer import export_session
from memory_bank.events import Event
from memory_bank.exports import graphml, html_report
from memory_bank.session_store import SessionStore
from memory_bank.verifying import read_again
from memory_bank.words import Words


def report(events: Sequence[Event], words: Words) -> str:
    """The HTML report, with the answer read again."""
    return html_report.report(events, words, read_again(Bank.replay(events), events[0]))


def draw_exports(events: Callable[[], Sequence[Event]], session_id: str, store: SessionStore) -> None:
    """Draw a button for each form. The file is made when it is pressed, of the `events` as they are then.

    The documents and images are those of the `store`.
    """
    words = visitor_words()  # not in a file's making: that is done where there is no visitor

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
    draw(say("HTML report"), "html", "text/html", lambda: report(list(events()), words))
    draw(say("GraphML"), "graphml", "application/xml", lambda: graphml.graphml(Bank.replay(events())))
