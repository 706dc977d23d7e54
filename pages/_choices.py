"""The settings of one visitor's tab: those of the environment, with what the person chose on the page on top.

They live in the visitor's own state and nowhere else: not in the environment, which all visitors share, not in a
cache, the log or the export. Keys are kept as secrets, which no message shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import SecretStr

from components.language import later
from components.settings_form import SECRETS, Name, Value
from memory_bank.connection import model_servers
from memory_bank.errors import SettingsError
from memory_bank.settings import PROVIDERS, Settings, load_settings
from pages._server import Server

_KEY = "choices"


@dataclass(frozen=True)
class Choices:
    """What a person chose, by the setting's name, and the settings that this makes. `version` counts the changes."""

    settings: Settings
    given: Mapping[Name, Value | SecretStr | None]
    version: int = 0


def choices(server: Server) -> Choices:
    """The visitor's choices; none at first."""
    kept = st.session_state.get(_KEY)
    return kept if isinstance(kept, Choices) else Choices(server.settings, {})


def chosen(server: Server) -> Settings:
    """The settings for the sessions that this visitor starts or continues."""
    return choices(server).settings


def save(server: Server, typed: Mapping[Name, Value | None]) -> None:
    """Keep what was typed, and keys typed before. `SettingsError` if it cannot be; then nothing changes."""
    before = choices(server)
    given = {name: value for name, value in before.given.items() if name in SECRETS}
    for name, value in typed.items():
        if value is None:
            continue
        chosen = SecretStr(str(value)) if name in SECRETS else None if value == "" else value
        if chosen != value_of(server.settings, name):
            given[name] = chosen
    settings = load_settings(**_nested(server.settings, given))
    try:
        model_servers(settings)
    except SettingsError as error:
        raise _explained(error, server.settings) from error
    st.session_state[_KEY] = Choices(settings, given, before.version + 1)


def reset(server: Server) -> None:
    """Forget everything that was chosen, keys included."""
    st.session_state[_KEY] = Choices(server.settings, {}, choices(server).version + 1)


def value_of(settings: Settings, name: Name) -> Any:  # noqa: ANN401 - whatever the field holds
    """The value of a setting."""
    found: Any = settings
    for part in name:
        found = getattr(found, part)
    return found


def _explained(error: SettingsError, environment: Settings) -> SettingsError:
    """A key that is missing, although the environment has one."""
    provider = error.variable.removesuffix("_API_KEY").lower()
    if provider not in PROVIDERS or value_of(environment, (provider, "api_key")) is None:
        return error
    allowed = later("typed too: the environment’s key is not sent to an address typed here")
    return SettingsError(error.variable, "", allowed)


def _nested(environment: Settings, given: Mapping[Name, Value | SecretStr | None]) -> dict[str, Any]:
    """The choices as `load_settings` takes them.

    A key of the environment belongs to the server that is set there: it is not sent to an address that a visitor typed.
    """
    nested: dict[str, Any] = {}
    for name, value in given.items():
        if len(name) == 1:
            nested[name[0]] = value
        else:
            nested.setdefault(name[0], {})[name[1]] = value
    for provider in PROVIDERS:
        group = nested.get(provider, {})
        if "base_url" in group and value_of(environment, (provider, "api_key")) is not None:
            group.setdefault("api_key", SecretStr(""))
    return nested
