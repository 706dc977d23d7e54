"""Looks for a language model on this computer when the person asks for it, and uses one for this visitor's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import streamlit as st
from streamlit import config

from components.language import mark_for_translation, recorded, say
from components.look import BLUE, GREEN, VERMILION, StateStyle, draw_note, escape, heading, mark, plain
from components.settings_form import PRESETS, label_of, replace_variables
from memory_bank.app.local_servers import PORTS, LocalServer, billions_of_parameters
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import Settings
from pages.shared import visitor_settings
from pages.shared.background import draw_until_done
from pages.shared.server import ConnectionTest, Server

FOUND, TESTS = "local models found", "local models tested"
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"})
_TEST_STATES = {
    None: StateStyle(mark_for_translation("testing"), "○", BLUE),
    True: StateStyle(mark_for_translation("works"), "✓", GREEN),
    False: StateStyle(mark_for_translation("does not work"), "✕", VERMILION),
}
SMALL_BELOW = 4.0
"""Billions of parameters below which a model was seen to plan wrongly and to miss contradictions (docs/models.md)."""
_SMALL = mark_for_translation(
    "A small model. One of 1.5 billion parameters missed contradictions and planned wrongly when it was tried: “Fast” "
    "leaves both to the embedded engine."
)
_LARGER = mark_for_translation(
    "Models of this size have not been measured with this program yet: try “Balanced” and compare."
)
_UNKNOWN = mark_for_translation("Its name does not tell its size. Below 4 billion parameters choose “Fast”.")


def may_look(settings: Settings, listens_on: str | None, headers: Mapping[str, str]) -> bool:
    """Whether this visitor may have the server look at its own computer.

    By default only a visitor who sits at it, as far as can be told: the server listens on this computer only, the
    browser asked for this computer, and no proxy says that it passed the request on.
    """
    if settings.find_local_models != "auto":
        return settings.find_local_models == "yes"
    sent = {name.lower(): value for name, value in headers.items()}
    host = sent.get("host", "").lower()
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return listens_on in _HERE and name in _HERE and _FORWARDED.isdisjoint(sent)


def draw_local_models(server: Server) -> None:
    """Draw the button and, once it was pressed, what was found. Nothing is asked before."""
    if not may_look(server.settings, config.get_option("server.address"), st.context.headers):
        return
    if st.button(
        say("Look for a model on this computer"),
        key="look-for-model",
        icon=":material/search:",
        help=plain(say("Asks {programs} on this computer only, without a key.", programs=", ".join(PORTS))),
    ):
        st.session_state[FOUND], st.session_state[TESTS] = server.look_for_models(), ()
    found: Future[tuple[LocalServer, ...]] | None = st.session_state.get(FOUND)
    if found is None:
        return
    tests: Sequence[ConnectionTest] = st.session_state.get(TESTS, ())
    works: list[Future[Any]] = [found, *(test.outcome for test in tests)]
    draw_until_done(works, lambda: _draw_progress(server, found, tests))


def draw_tests(tests: Sequence[ConnectionTest]) -> None:
    """Draw the results of testing the connection to model servers."""
    heading(say("Connection"), say("the settings are saved"))
    lines = ""
    for test in tests:
        works, message = test.result()
        style, told = _TEST_STATES[works], replace_variables(recorded(message)) or test.name
        lines += f"<li>{mark(style)}<b>{escape(style.word)}</b>: {escape(told)}</li>"
    st.html(f'<ul class="mb-list" role="status">{lines}</ul>')


def _draw_progress(server: Server, found: Future[tuple[LocalServer, ...]], tests: Sequence[ConnectionTest]) -> None:
    """Draw what is known."""
    if not found.done():
        draw_note(say("Looking …"))
        return
    with st.container(border=True):
        _draw_found(server, found.result())
        if tests:
            draw_tests(tests)


def _draw_found(server: Server, servers: Sequence[LocalServer]) -> None:
    heading(say("Models on this computer"), say("for the sessions of this tab"))
    for locked in (each for each in servers if each.needs_key):
        st.text(
            say(
                "{program} at {address} wants a key: type address and key on the page Settings.",
                program=locked.program,
                address=locked.base_url,
            )
        )
    choices = [(each, model) for each in servers for model in each.models]
    if not choices:
        if not servers:
            ports = ", ".join(f"{program} ({port})" for program, port in PORTS.items())
            st.text(say("None of {programs} answers. Start one and look again.", programs=ports))
        return
    number = st.selectbox(
        say("Model"),
        range(len(choices)),
        format_func=lambda index: say(
            "{model} at {host}",
            model=choices[index][1],
            host=f"{choices[index][0].program}, {choices[index][0].base_url}",
        ),
        key="local-model",
    )
    chosen, model = choices[number]
    size = billions_of_parameters(model)
    is_small = size is not None and size < SMALL_BELOW
    st.caption(plain(say(_UNKNOWN if size is None else _SMALL if is_small else _LARGER)))
    preset = st.radio(
        say("What it does"),
        list(PRESETS),
        index=0 if is_small else 1,
        format_func=lambda name: say(PRESETS[name]),
        key=f"local-preset {model}",
    )
    if st.button(say("Use and test this model"), key="use-local-model", type="primary"):
        _use(server, chosen, model, preset)


def _use(server: Server, chosen: LocalServer, model: str, preset: str) -> None:
    """Use a model for this visitor's sessions, and test it."""
    try:
        visitor_settings.use(
            server,
            {
                ("llm_provider",): "local",
                ("llm_preset",): preset,
                ("local", "base_url"): chosen.base_url,
                ("local", "model"): model,
            },
        )
        st.session_state[TESTS] = server.test_connections(visitor_settings.tab_settings(server))
    except SettingsError as error:
        st.error(
            plain(say("{setting} must be {allowed}", setting=label_of(error.variable), allowed=recorded(error.allowed)))
        )
        return
    st.rerun()
