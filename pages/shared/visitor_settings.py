"""The settings of one visitor's tab: those of the environment, overridden by what the person set on the page.

They are stored only in the visitor's tab: not in the environment, which all visitors share, nor in a cache, the log or
an export. Keys are stored as secrets, which no message shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import streamlit as st
from pydantic import SecretStr

from components.settings_form import SECRETS, SettingName, SettingValue
from memory_bank.app.connection import model_servers
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import PROVIDERS, Settings, load_settings
from memory_bank.text.wording import Wording
from pages.shared.server import Server

_KEY = "choices"


@dataclass(frozen=True)
class Choices:
    """The values a person set in this tab, and the resulting settings. `version` counts the changes."""

    settings: Settings
    values: Mapping[SettingName, SettingValue | SecretStr | None]
    version: int = 0


def choices(server: Server) -> Choices:
    """The values set in this tab; none at first."""
    stored = st.session_state.get(_KEY)
    return stored if isinstance(stored, Choices) else Choices(server.settings, {})


def tab_settings(server: Server) -> Settings:
    """The settings for the sessions that this visitor starts or continues."""
    return choices(server).settings


def save(server: Server, form_values: Mapping[SettingName, SettingValue | None]) -> None:
    """Store the values of the form, and keep keys set before. On `SettingsError` nothing changes."""
    before = choices(server)
    values = {name: value for name, value in before.values.items() if name in SECRETS}
    for name, value in form_values.items():
        if value is None:
            continue
        setting = SecretStr(str(value)) if name in SECRETS else None if value == "" else value
        if setting != value_of(server.settings, name):
            values[name] = setting
    settings = load_settings(**_nested(server.settings, values))
    try:
        model_servers(settings)
    except SettingsError as error:
        raise _explain_missing_key(error, server.settings) from error
    st.session_state[_KEY] = Choices(settings, values, before.version + 1)


def use(server: Server, changes: Mapping[SettingName, SettingValue]) -> None:
    """Change some values and keep the others. On `SettingsError` nothing changes."""
    kept: dict[SettingName, SettingValue | None] = {}
    for name, value in choices(server).values.items():
        if name not in SECRETS and not isinstance(value, SecretStr):
            kept[name] = "" if value is None else value
    save(server, {**kept, **changes})


def reset(server: Server) -> None:
    """Discard all values set in this tab, keys included."""
    st.session_state[_KEY] = Choices(server.settings, {}, choices(server).version + 1)


def value_of(settings: Settings, name: SettingName) -> Any:  # noqa: ANN401 - whatever the field holds
    """The value of a setting."""
    return attrgetter(".".join(name))(settings)


def _explain_missing_key(error: SettingsError, environment: Settings) -> SettingsError:
    """Explain a missing key if the environment has one: that key is not sent to an address set in the tab."""
    provider = error.variable.removesuffix("_API_KEY").lower()
    if provider not in PROVIDERS or value_of(environment, (provider, "api_key")) is None:
        return error
    allowed = Wording("typed too: the environment’s key is not sent to an address typed here")
    return SettingsError(error.variable, "", allowed)


def _nested(environment: Settings, values: Mapping[SettingName, SettingValue | SecretStr | None]) -> dict[str, Any]:
    """The values as `load_settings` takes them.

    A key of the environment belongs to the server set there. It is not sent to an address that a visitor typed.
    """
    nested: dict[str, Any] = {}
    for name, value in values.items():
        if len(name) == 1:
            nested[name[0]] = value
        else:
            nested.setdefault(name[0], {})[name[1]] = value
    for provider in PROVIDERS:
        group = nested.get(provider, {})
        if "base_url" in group and value_of(environment, (provider, "api_key")) is not None:
            group.setdefault("api_key", SecretStr(""))
    return nested
