"""The Settings page: language, engines, model servers and keys, for this visitor's tab only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from components import language, settings_form
from components.language import mark_for_translation, recorded, say
from components.look import draw_error, draw_title, heading
from components.settings_form import FIELDS, SECRETS, SettingName, SettingValue, draw_settings_form, label_of
from memory_bank.agents.research import RESEARCH
from memory_bank.app.connection import shown_address
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.client.endpoint import PROVIDERS
from memory_bank.views.i18n import LANGUAGES
from pages.shared import visitor_settings
from pages.shared.background import draw_until_done
from pages.shared.local_models import draw_local_models, draw_tests
from pages.shared.server import ConnectionTest, Server, get_server

MESSAGE, TESTS, LANGUAGE = "settings message", "connection tests", "language chosen"
DEFAULTS = Settings.model_construct()


def main() -> None:
    """Draw the language choice, the form with the results of saving it, and the current settings."""
    server = get_server()
    choices = visitor_settings.choices(server)
    about = say(
        "For the sessions that you start or continue in this tab. What you type is kept until the tab is closed or "
        "reloaded. Keys are never shown, logged or exported."
    )
    draw_title(say("Settings"), about)
    languages = list(LANGUAGES)
    st.radio(
        say("Language of the page"),
        languages,
        languages.index(language.language()),
        format_func=LANGUAGES.__getitem__,
        horizontal=True,
        key=LANGUAGE,
        on_change=lambda: language.set_language(st.session_state[LANGUAGE]),  # at once
    )
    form_input = draw_settings_form(
        {name: value for name, value in choices.values.items() if name not in SECRETS},
        lambda name: placeholder_for(server.settings, choices, name),
        choices.version,
        expand_agents=any(name[0] in AGENTS for name in choices.values),
    )
    if form_input is not None:
        save_form(server, *form_input)
    if message := st.session_state.pop(MESSAGE, None):
        st.success(message)
    tests: Sequence[ConnectionTest] = st.session_state.get(TESTS, ())
    if tests:
        draw_until_done([test.outcome for test in tests], lambda: draw_tests(tests))
    draw_local_models(server)
    heading(say("Current settings and where they come from"), say("this tab’s settings override the environment"))
    settings_form.draw_origins(origins(server.settings, choices))
    if choices.values and st.button(say("Reset to the environment’s settings"), key="reset"):
        visitor_settings.reset(server)
        redraw_with_outcome(say("Reset to the environment’s settings. Your keys were deleted."))


def save_form(server: Server, values: Mapping[SettingName, SettingValue | None], test: bool) -> None:  # noqa: FBT001 - of the form
    """Save the form's values and test the connections if requested; or say what is invalid."""
    try:
        visitor_settings.save(server, values)
        tests = server.test_connections(visitor_settings.tab_settings(server)) if test else ()
    except SettingsError as error:
        # by its name on the page; what was typed stays in the fields, unrepeated
        st.session_state[TESTS] = ()
        draw_error(
            say("Nothing was saved. What you typed is still here: correct it and save again."),
            say("{setting} must be {allowed}", setting=label_of(error.variable), allowed=recorded(error.allowed)),
        )
        return
    if test and not tests:
        redraw_with_outcome(say("Saved. The embedded engine is used, so there is no connection to test."))
    redraw_with_outcome("" if tests else say("Saved for this tab."), tests)


def redraw_with_outcome(message: str, tests: Sequence[ConnectionTest] = ()) -> None:
    """Rerun the page with a message."""
    st.session_state[MESSAGE] = message
    st.session_state[TESTS] = tests
    st.rerun()


def origins(environment: Settings, choices: visitor_settings.Choices) -> dict[SettingName, tuple[str, bool]]:
    """The settings that the tab or the environment changes from their defaults, in the form's order."""
    changed = {}
    for name in FIELDS:
        value = visitor_settings.value_of(environment, name)
        if name in choices.values:
            changed[name] = (shown(name, choices.values[name]), True)
        elif value != visitor_settings.value_of(DEFAULTS, name):
            changed[name] = (shown(name, value), False)
    return changed


def shown(name: SettingName, value: object) -> str:
    """A setting's value as it may be displayed: secrets and passwords hidden."""
    field = FIELDS[name]
    if field.kind == "secret":
        return say("set, not shown") if value else say("none")
    if field.kind == "choice":
        return field.choices[str(value or "")]
    if name[-1] == "base_url" and value:
        return shown_address(str(value))
    return say("none") if value is None else str(value)


def placeholder_for(environment: Settings, choices: visitor_settings.Choices, name: SettingName) -> str:
    """The placeholder of a field: the value that holds if it is left empty."""
    value = visitor_settings.value_of(environment, name)
    if name in SECRETS:
        if name in choices.values:
            return say("set in this tab")
        return say("set in the environment") if value else say("none")
    group, field = name if len(name) == 2 else ("", name[0])
    if group == RESEARCH and field in ("model", "window"):
        value = getattr(environment.agent(group), field)  # ReAct's value if research has none of its own
    if field in ("base_url", "model") and group in PROVIDERS:
        default = getattr(PROVIDERS[group], field) or say("name of a model")
        return shown_address(value) if value and field == "base_url" else value or default
    if value is None:
        return say(EMPTY[field]) if field in EMPTY else ""
    return str(value)


EMPTY = {
    "max_total_tokens": mark_for_translation("no limit"),
    "max_cost_usd": mark_for_translation("no limit"),
    "temperature": mark_for_translation("depends on the task"),
    "top_p": mark_for_translation("depends on the task"),
    "model": mark_for_translation("same as its engine"),
}


main()
