"""The Settings page: the language, who judges, where that is, and with which key. For this visitor's tab only."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from pydantic import SecretStr

from components import connection_tests, language, settings_form
from components.connection_tests import Tried
from components.language import later, recorded, say
from components.look import escape, heading
from components.settings_form import FIELDS, SECRETS, Name, Origin, in_words, label_of
from memory_bank.agents.research import RESEARCH
from memory_bank.connection import shown_address
from memory_bank.engines.llm.endpoint import PROVIDERS
from memory_bank.errors import SettingsError
from memory_bank.settings import AGENTS, Settings
from memory_bank.words import LANGUAGES
from pages import _choices
from pages._server import Attempt, Server, server

# A comment, not a docstring: Streamlit may write a page's bare strings onto the page.
# Seconds between two looks at a server that is being tried.
TICK = 0.5
SAID, TESTS, LANGUAGE = "settings said", "connection tests", "language chosen"
DEFAULTS = Settings.model_construct()


def main() -> None:
    """The language, the form and what came of it, and what is set."""
    here = server()
    kept = _choices.choices(here)
    title, about = (
        say("Settings"),
        say(
            "For the sessions that you start or continue in this tab. What you type is kept until the tab is closed or "
            "reloaded. Keys are never shown, logged or exported."
        ),
    )
    st.html(f'<div class="mb-welcome"><h1>{escape(title)}</h1><p>{escape(about)}</p></div>')
    draw_language()
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
    draw_origins(here, kept)


def draw_language() -> None:
    """The language of the page, each by its own name. It takes effect at once."""
    known = list(LANGUAGES)
    st.radio(
        say("Language of the page"),
        known,
        known.index(language.language()),
        format_func=LANGUAGES.__getitem__,
        horizontal=True,
        key=LANGUAGE,
        on_change=lambda: language.choose(st.session_state[LANGUAGE]),
    )


def save(here: Server, filled: settings_form.Filled) -> None:
    """Keep what the form says, and try the servers if that was asked for; or say what is wrong."""
    try:
        _choices.save(here, filled.values)
        attempts = here.try_servers(_choices.chosen(here)) if filled.test else ()
    except SettingsError as error:
        refuse(error)
        return
    if filled.test and not attempts:
        leave(say("Saved. The embedded engine judges; there is no connection to test."))
    leave("" if attempts else say("Saved for this tab."), attempts)


def leave(said: str, attempts: Sequence[Attempt] = ()) -> None:
    """Draw the page anew, with a word."""
    st.session_state[SAID] = said
    st.session_state[TESTS] = attempts
    st.rerun()


def refuse(error: SettingsError) -> None:
    """What cannot be saved, by the name it has on the page. What was typed stays in the fields, and is not repeated."""
    st.session_state[TESTS] = ()
    st.error(say("Nothing was saved. What you typed is still here: correct it and save again."))
    st.text(say("{setting} must be {allowed}", setting=label_of(error.variable), allowed=recorded(error.allowed)))


def follow(attempts: Sequence[Attempt], *, waiting: bool) -> None:
    """How the servers that are tried answer. The one part of the page that ticks, while one has not answered."""
    if waiting and all(attempt.outcome.done() for attempt in attempts):
        st.rerun()  # the whole page: only there the ticking ends
    results = ((attempt.name, *attempt.result()) for attempt in attempts)
    connection_tests.draw([Tried(name, works, in_words(recorded(said))) for name, works, said in results])


def draw_origins(here: Server, kept: _choices.Choices) -> None:
    """What is set, where, and the way back."""
    heading(say("What is set, and where"), say("what this tab sets comes before the environment"))
    settings_form.draw_origins(origins(here.settings, kept))
    if kept.given and st.button(say("Back to the environment’s settings"), key="reset"):
        _choices.reset(here)
        leave(say("Back to the environment’s settings; your keys are forgotten."))


def origins(environment: Settings, kept: _choices.Choices) -> list[Origin]:
    """The settings that the tab or the environment has changed, in the form's order."""
    found = []
    for name in FIELDS:
        value = _choices.value_of(environment, name)
        if name in kept.given:
            found.append(Origin(name, shown(name, kept.given[name]), in_tab=True))
        elif value != _choices.value_of(DEFAULTS, name):
            found.append(Origin(name, shown(name, value), in_tab=False))
    return found


def shown(name: Name, value: object) -> str:
    """A setting's value as anybody may see it."""
    field = FIELDS[name]
    if field.kind == "secret":
        return say("set, and not shown") if value and _text(value) else say("none")
    if field.kind == "choice":
        return field.choices[str(value or "")]
    if name[-1] == "base_url" and value:
        return shown_address(str(value))
    return say("none") if value is None else str(value)


def otherwise(environment: Settings, kept: _choices.Choices, name: Name) -> str:
    """What holds where a field is left empty."""
    value = _choices.value_of(environment, name)
    if name in SECRETS:
        return say("kept for this tab") if name in kept.given else _key_state(value)
    group, field = name if len(name) == 2 else ("", name[0])
    if group == RESEARCH and field in ("model", "window"):
        value = getattr(environment.agent(group), field)  # ReAct's where it has none of its own
    if field in ("base_url", "model") and group in PROVIDERS:
        default = getattr(PROVIDERS[group], field) or say("name of a model")
        return shown_address(value) if value and field == "base_url" else value or default
    if value is None:
        return say(EMPTY[field]) if field in EMPTY else ""
    return str(value)


EMPTY = {
    "max_total_tokens": later("no limit"),
    "max_cost_usd": later("no limit"),
    "temperature": later("by its task"),
    "top_p": later("by its task"),
    "model": later("as its engine’s"),
}


def _key_state(key: SecretStr | None) -> str:
    return say("set in the environment") if key is not None and _text(key) else say("none")


def _text(key: object) -> str:
    return key.get_secret_value() if isinstance(key, SecretStr) else str(key)


main()
