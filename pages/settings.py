"""The Settings page: who judges, where that is, and with which key. For this visitor's own sessions only."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from pydantic import SecretStr

from components import connection_tests, settings_form
from components.connection_tests import Tried
from components.settings_form import SECRETS, Name, in_words, label_of
from memory_bank.connection import shown_address
from memory_bank.engines.llm.endpoint import PROVIDERS
from memory_bank.errors import SettingsError
from memory_bank.settings import AGENTS, Settings
from pages import _choices
from pages._entry import require_app
from pages._server import Attempt, Server, server

# A comment, not a docstring: Streamlit may write a page's bare strings onto the page.
# Seconds between two looks at a server that is being tried.
TICK = 0.5
SAID, TESTS = "settings said", "connection tests"


def main() -> None:
    """The form, and what came of it."""
    here = server()
    kept = _choices.choices(here)
    st.html(
        '<div class="mb-welcome"><h1>Settings</h1><p>For the sessions that you start or continue in this tab. What you '
        "type is kept until the tab is closed or reloaded. Keys are never shown, logged or exported.</p></div>"
    )
    filled = settings_form.draw(
        {name: value for name, value in kept.given.items() if name not in SECRETS},
        lambda name: otherwise(here.settings, kept, name),
        kept.version,
        own_agents=any(name[0] in AGENTS for name in kept.given),
    )
    if filled is not None:
        save(here, filled)
    if said := st.session_state.pop(SAID, None):
        st.success(said)
    attempts: Sequence[Attempt] = st.session_state.get(TESTS, ())
    if attempts:
        waiting = any(not attempt.outcome.done() for attempt in attempts)
        st.fragment(follow, run_every=TICK if waiting else None)(attempts, waiting=waiting)
    if kept.given and st.button("Back to the environment’s settings", key="reset"):
        _choices.reset(here)
        leave("Back to the environment’s settings; your keys are forgotten.")


def save(here: Server, filled: settings_form.Filled) -> None:
    """Keep what the form says, and try the servers if that was asked for; or say what is wrong."""
    try:
        _choices.save(here, filled.values)
        attempts = here.try_servers(_choices.chosen(here)) if filled.test else ()
    except SettingsError as error:
        refuse(error)
        return
    if filled.test and not attempts:
        leave("Saved. The embedded engine judges; there is no connection to test.")
    leave("" if attempts else "Saved for this tab.", attempts)


def leave(said: str, attempts: Sequence[Attempt] = ()) -> None:
    """Draw the page anew, with a word."""
    st.session_state[SAID] = said
    st.session_state[TESTS] = attempts
    st.rerun()


def refuse(error: SettingsError) -> None:
    """What cannot be saved, by the name it has on the page. What was typed stays in the fields, and is not repeated."""
    st.session_state[TESTS] = ()
    st.error("Nothing was saved. What you typed is still here: correct it and save again.")
    st.text(f"{label_of(error.variable)} must be {error.allowed}")


def follow(attempts: Sequence[Attempt], *, waiting: bool) -> None:
    """How the servers that are tried answer. The one part of the page that ticks, while one has not answered."""
    if waiting and all(attempt.outcome.done() for attempt in attempts):
        st.rerun()  # the whole page: only there the ticking ends
    results = ((attempt.name, *attempt.result()) for attempt in attempts)
    connection_tests.draw([Tried(name, works, in_words(said)) for name, works, said in results])


def otherwise(environment: Settings, kept: _choices.Choices, name: Name) -> str:
    """What holds where a field is left empty."""
    value = _choices.value_of(environment, name)
    if name in SECRETS:
        return "kept for this tab" if name in kept.given else _key_state(value)
    group, field = name if len(name) == 2 else ("", name[0])
    if field in ("base_url", "model") and group in PROVIDERS:
        default = getattr(PROVIDERS[group], field) or "name of a model"
        return shown_address(value) if value and field == "base_url" else value or default
    if value is None:
        return EMPTY.get(field, "")
    return str(value)


EMPTY = {
    "max_total_tokens": "no limit",
    "max_cost_usd": "no limit",
    "temperature": "by its task",
    "top_p": "by its task",
    "model": "as its engine’s",
}


def _key_state(key: SecretStr | None) -> str:
    return "set in the environment" if key is not None and key.get_secret_value() else "none"


require_app("pages/settings.py")
main()
