"""Validate the settings before anything starts: report all errors at once, and name what is misspelt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import AGENTS, NOT_SHOWN, Settings, load_settings
from memory_bank.engines.client.endpoint import endpoint_of, is_address
from memory_bank.search.embedding import EMBEDDED_MODELS, load_embedder
from memory_bank.session.observability import ENDPOINTS
from memory_bank.text.wording import Wording

_MIN_SIMILARITY = 0.87
"""Similarity from which a name counts as misspelt. At 0.86, TMPDIR, a name of every system, is taken for TEMP_DIR."""
_ADDRESS = Wording("an address that begins with http:// or https://")
_FOLDER = "a folder in which this account can write"


class Variable(NamedTuple):
    """A setting under its name in the environment. `text` is its value as it may be shown, without secrets."""

    name: str
    text: str
    is_set: bool


def checked_settings(*, visitors: bool = False, **overrides: Any) -> Settings:  # noqa: ANN401 - whatever a field accepts
    """Load the settings and check values, folders and model servers. Raises `SettingsError` with all errors together.

    With `visitors=True` keys and models of servers may be missing: visitors can type them into the page.
    """
    try:
        settings = load_settings(**overrides)
    except SettingsError as error:
        valid = _without_invalid(error, overrides)
        raise SettingsError.together([*error.all, *(_environment_errors(valid) if valid else ())]) from error
    if errors := [*_environment_errors(settings), *(() if visitors else _server_errors(settings))]:
        raise SettingsError.together(errors)
    return settings


def _without_invalid(error: SettingsError, overrides: dict[str, Any]) -> Settings | None:
    """The settings with defaults in place of the invalid values; None if that does not load either."""
    invalid = [f"{each.variable.lower()}_" for each in error.all]  # a group's begin with its name
    defaults = {
        name: field.default
        for name, field in Settings.model_fields.items()
        if any(variable.startswith(f"{name}_") for variable in invalid)
    }
    try:
        return load_settings(**defaults | overrides)
    except SettingsError:
        return None


def _environment_errors(settings: Settings) -> Iterator[SettingsError]:
    """Folders that are not writable, an embedding model that cannot be loaded, an invalid address for spans."""
    for variable, folder in _folders(settings):
        if not _is_writable(folder):
            yield SettingsError(variable, str(folder), _FOLDER)
    if settings.embedding_model not in EMBEDDED_MODELS:
        try:
            load_embedder(settings.embedding_model)
        except SettingsError as error:
            yield error
    for variable in ENDPOINTS:
        address = os.environ.get(variable, "")
        if address and not (address.startswith(("http://", "https://")) and is_address(address)):
            yield SettingsError(variable, NOT_SHOWN, _ADDRESS)


def _folders(settings: Settings) -> Iterator[tuple[str, Path]]:
    """The folders that must be writable, each with the name of its setting."""
    yield "STORAGE_DIR", settings.storage_dir
    if settings.temp_dir is not None:
        yield "TEMP_DIR", settings.temp_dir
    for variable, uri in (("VECTOR_URI", settings.vector_uri), ("LONG_TERM_URI", settings.long_term_uri)):
        if uri is not None and uri.endswith(".db") and "://" not in uri:
            yield variable, Path(uri).parent


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder. For a missing folder, its nearest existing parent is checked."""
    try:
        existing = next((path for path in (folder, *folder.parents) if _exists(path)), folder)
        return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    except OSError:  # a name that is too long, or a parent folder without permission
        return False


def _exists(path: Path) -> bool:
    """Whether a path exists; a broken link does. Raises `OSError` if that cannot be determined."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _server_errors(settings: Settings) -> Iterator[SettingsError]:
    """What is missing to reach the models that the agents use, one error for each setting."""
    errors: dict[str, SettingsError] = {}
    for agent in AGENTS:
        try:
            if settings.provider(agent) != "offline":
                endpoint_of(settings, agent)
        except SettingsError as error:
            errors[error.variable] = error
    yield from errors.values()


def error_lines(error: SettingsError) -> Iterator[str]:
    """One line for each error, then for each misspelt name that may be the cause."""
    yield from map(str, error.all)
    yield from misspelt()


def asked_of_visitors(settings: Settings) -> Iterator[str]:
    """One line for each setting that is missing, which visitors can type into the page."""
    for missing in _server_errors(settings):
        yield f"{missing}; until then each visitor has to type it into Settings"


def misspelt() -> Iterator[str]:
    """Variables whose names are close to that of a setting, and tracing variables that have no effect in `.env`."""
    known = [variable.name for variable in variables(Settings.model_construct())]
    in_file: dict[str, str | None] = {}
    with suppress(OSError, UnicodeDecodeError):  # loading the settings reports these
        in_file = dotenv_values(".env")
    for name in sorted({*os.environ, *in_file}):
        close = get_close_matches(name.upper(), known, 1, _MIN_SIMILARITY)
        if close and close[0] != name.upper():
            yield f"{name} is no setting; did you mean {close[0]}?"
        if name in ENDPOINTS and name not in os.environ:
            yield f"{name} has no effect in .env: set it in the environment"


def variables(group: BaseModel, prefix: str = "") -> Iterator[Variable]:
    """Every setting with its current value, without secrets."""
    for name, field in type(group).model_fields.items():
        value = getattr(group, name)
        if isinstance(value, BaseModel):
            yield from variables(value, f"{name}_")
            continue
        has_secret = not field.repr and not {"@", "?"}.isdisjoint(str(value))  # an address with a password or a token
        hidden = isinstance(value, SecretStr) or has_secret
        text = "" if value is None else NOT_SHOWN if hidden else str(value)
        yield Variable(f"{prefix}{name}".upper(), text, name in group.model_fields_set)
