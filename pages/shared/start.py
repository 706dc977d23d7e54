"""The start view of the Session page: a welcome text, the form, and the examples."""

from __future__ import annotations

import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st

from components import start_form
from components.language import language, recorded, say
from components.look import draw_title, plain
from components.start_form import draw_start_form
from memory_bank.agents.react import REACT
from memory_bank.app.connection import offline_settings
from memory_bank.app.demo import Demo, load_demo, load_dispute
from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.settings import Settings
from memory_bank.documents import source_reader
from memory_bank.judgement.reader import kind_besides_beyond
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import new_record_id
from memory_bank.storage.session_store import clean_name
from pages.shared import tab_state
from pages.shared.engine_choice import EngineOffers, engine_offers
from pages.shared.local_models import draw_local_models
from pages.shared.page_paths import SESSIONS_PAGE, SETTINGS_PAGE
from pages.shared.server import NewSession, Server
from pages.shared.tab_state import SESSION_PARAMETER
from pages.shared.user import current_user, draw_login
from pages.shared.visitor_settings import tab_settings

PROJECT = "project remembered for"
ASKED, KEPT = "form asked about", "form left for another page"

# Seconds to wait in the demo after an event of each type. Without a pause it would end before anybody has seen it.
DEMO_SECONDS = {
    "source_read": 0.5,
    "node_created": 0.8,
    "edge_created": 0.4,
    "conflict_opened": 2.0,
    "plan_updated": 1.0,
    "conflict_decided": 1.5,
    "nodes_merged": 2.5,
}

_PICTURES = Path(__file__).parent / "pictures"
REPEAT_SECONDS = 2.0
"""A request that repeats the last one within this time counts as a second press."""


@dataclass
class SessionStarter:
    """The last session that a tab started. Streamlit may rerun a page's script before the first run has ended."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_request: object = None
    _session_id: str = ""
    _started_at: float = 0.0

    def start(self, server: Server, new: NewSession, settings: Settings) -> str:
        """Start a session and return its id; for a repeated request, the id of the session already started."""
        user = None if new.owner is None else (new.owner.user, new.owner.project)
        request = (new.task, hash((new.documents, new.sources)), user, settings)
        with self._lock:
            if self._last_request != request or time.monotonic() - self._started_at > REPEAT_SECONDS:
                self._session_id = server.start(new, settings)
                self._last_request, self._started_at = request, time.monotonic()
            return self._session_id


def session_starter() -> SessionStarter:
    """The tab's starter. Get it before a button is drawn: after a press Streamlit may end the script at any access."""
    starter: SessionStarter = st.session_state.setdefault("session starter", SessionStarter())
    return starter


def welcome(server: Server) -> None:
    """Draw the start view, and start a session if one was requested."""
    starter = session_starter()
    engines = engine_offers(tab_settings(server))
    draw_welcome(engines)
    left, right = st.columns([3, 2], gap="large")
    with left:
        user = current_user()
        project = None if user is None else st.session_state.get(PROJECT, "")
        if ASKED in st.session_state and "task" not in st.session_state:  # the person was on another page
            st.session_state[KEPT] = st.session_state.pop(ASKED)
        start_input = draw_start_form(engines.offers, project, st.session_state.get(KEPT))
        if start_input is not None:
            st.session_state.pop(ASKED, None)
            start_session(server, starter, start_input, engines)
        if ASKED in st.session_state:
            draw_beyond(server, starter, st.session_state[ASKED], engines)
        draw_local_models(server)
    with right:
        with st.container(key="offered"):
            draw_examples(server, starter)
        takes = say(
            "An example takes half a minute. It runs on the embedded engine, slowed down so that you can watch."
        )
        st.html(f'<p class="mb-quiet">{takes}</p>')
        st.page_link(SESSIONS_PAGE, label=say("Open or import a session"))
        st.page_link(SETTINGS_PAGE, label=say("Use a language model"))
        if user is None:
            st.caption(say("Log in to keep facts between sessions."))
            draw_login()


def draw_examples(server: Server, starter: SessionStarter) -> None:
    """Draw the example sessions, each with a picture and a button, and start the one that is pressed."""
    st.html(f'<div class="mb-heading"><h2>{say("New here? Try an example")}</h2></div>')
    theme = "dark" if st.context.theme.type == "dark" else "light"
    for example in examples(language()):
        with st.container(border=True, key=f"{example.key}-card"):
            left, text = st.columns([2, 3], vertical_alignment="center")
            # a part of the answer as `make screenshots` took it; the text beside it says what it shows
            data = b64encode((_PICTURES / f"{example.picture}-{theme}.webp").read_bytes()).decode()
            left.html(f'<img class="mb-example" alt="" src="data:image/webp;base64,{data}">')
            outcome = f'<span class="mb-outcome">{escape(example.outcome)}</span>'
            text.html(f"<b>{escape(example.heading)}</b><br>{outcome}")
            if text.button(example.button, key=example.key):
                demo = example.load()
                new = NewSession(
                    demo.task, demo.documents, demo.sources, pace=lambda event: DEMO_SECONDS.get(event.type, 0.0)
                )
                open_session(starter.start(server, new, offline_settings(server.settings)))


@dataclass(frozen=True)
class Example:
    """An example session: its texts, the name of a picture of its answer, and the function that loads its content."""

    key: str
    heading: str
    outcome: str
    button: str
    picture: str
    load: Callable[[], Demo]


def examples(page_language: str) -> tuple[Example, ...]:
    """The examples for a page in this language: a settled conflict, an open dispute, and one in the other language."""
    in_english = Example(
        "demo-en",
        say("In English"),
        say("The same conflict, with English documents and an English answer."),
        say("Try it in English"),
        "demo-en",
        partial(load_demo, "en"),
    )
    in_chinese = Example(
        "demo-zh",
        say("In Chinese"),
        say("The same conflict, with Chinese documents and a Chinese answer."),
        say("Try it in Chinese"),
        "demo-zh",
        partial(load_demo, "zh"),
    )
    return (
        Example(
            "demo",
            say("A settled conflict"),
            say("Two documents give different years for a dam. A register settles it, and two nodes become one."),
            say("Try the demo"),
            f"demo-{page_language}",
            partial(load_demo, page_language),
        ),
        Example(
            "demo-dispute",
            say("An open dispute"),
            say("Published sources differ on the length of the Nile. The answer gives both, and who says which."),
            say("Try the dispute"),
            f"dispute-{page_language}",
            partial(load_dispute, page_language),
        ),
        in_english if page_language == "zh" else in_chinese,
    )


def draw_welcome(engines: EngineOffers) -> None:
    """Draw what the application does, where it runs, and why the models cannot be used, if so."""
    what = say(
        "It reads them into a memory you can inspect, checks contradictions, and answers with a citation for "
        "every statement."
    )
    where = (
        say(
            "It runs on this computer: no key is needed and nothing is sent anywhere. Without a language model it "
            "quotes and computes, and misses many contradictions of ordinary prose."
        )
        if len(engines.offers) == 1
        else say("Choose below which engine judges, and whether anything is sent to it.")
    )
    text = say("{said} {more}", said=what, more=where)
    draw_title(say("Give it documents and a task"), text)
    if engines.models_unavailable:
        st.warning(plain(engines.models_unavailable))


def start_session(
    server: Server, starter: SessionStarter, start_input: start_form.StartInput, engines: EngineOffers
) -> None:
    """Start a session from the form, or say why it cannot be started."""
    if start_input.error is not None:
        st.error(start_input.error)
        for remark in start_input.remarks:
            st.text(remark)
        return
    if refused := refused_files(start_input):
        st.error(say("None of the files can be used, so nothing was started. Choose others, or remove them."))
        for error in refused:
            st.text(say("{file} was refused: {reason}", file=clean_name(error.name), reason=recorded(error.reason)))
        return
    settings = engines.offers[start_input.engine].settings
    if settings.provider(REACT) == "offline" and settings.task_kind == "auto" and kind_besides_beyond(start_input.task):
        st.session_state[ASKED] = start_input
        return
    start_and_open(server, starter, start_input, settings)


def start_and_open(
    server: Server, starter: SessionStarter, start_input: start_form.StartInput, settings: Settings
) -> None:
    """Start a session from the form and open it."""
    owner, user = None, current_user()
    if start_input.remember and user is not None:  # in a new conversation
        st.session_state[PROJECT] = start_input.project  # for the next form
        owner = Owner(user=user, project=start_input.project or None, conversation_id=new_record_id())
    new = NewSession(start_input.task, start_input.documents, start_input.sources, owner=owner)
    session_id = starter.start(server, new, settings)
    st.session_state.pop(KEPT, None)
    st.session_state.pop(ASKED, None)
    tab_state.set_messages(session_id, start_input.remarks)
    open_session(session_id)


def refused_files(start_input: start_form.StartInput) -> list[UnreadableDocumentError]:
    """Why none of the files can be read; empty if one can."""
    files = (*start_input.documents, *start_input.sources)
    with st.spinner(say("Looking at the files …")), tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, str(number)) for number in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(file.data)
        return source_reader.refusals([(path, file.name) for path, file in zip(paths, files, strict=True)])


def draw_beyond(
    server: Server, starter: SessionStarter, start_input: start_form.StartInput, engines: EngineOffers
) -> None:
    """Say before the run that the embedded engine cannot do this, and ask what to do."""
    refusal = say("The embedded engine quotes and computes; it does not write.")
    st.warning(say("{said} {more}", said=refusal, more=say("For an essay, a judgement or advice choose a model.")))
    with st.container(horizontal=True):
        last = engines.offers[-1]
        if last.settings.provider(REACT) != "offline":
            label = say("Run with {model}", model=last.name)
            if st.button(plain(label), type="primary", key="run-with-model"):
                start_and_open(server, starter, start_input, last.settings)
        elif st.button(say("Choose a model"), type="primary", key="choose-model"):
            st.switch_page(SETTINGS_PAGE)
        if st.button(say("Run anyway"), key="run-anyway"):
            kind = kind_besides_beyond(start_input.task) or "auto"
            settings = engines.offers[start_input.engine].settings.model_copy(update={"task_kind": kind})
            start_and_open(server, starter, start_input, settings)


def open_session(session_id: str) -> None:
    """Open a session: put it on the tab's list, write its id into the address and rerun the page."""
    tab_state.remember(session_id)
    st.query_params[SESSION_PARAMETER] = session_id
    st.rerun()
