"""What is set, looked at before anything begins: all that is wrong, at once, and what was perhaps not meant."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr

from memory_bank.engines.llm.endpoint import endpoint_of, is_address
from memory_bank.errors import SettingsError
from memory_bank.modules.embedding import EMBEDDED_MODELS, load_embedder
from memory_bank.observability import ENDPOINTS
from memory_bank.settings import AGENTS, NOT_SHOWN, PROVIDERS, Settings, load_settings

LARGEST_UPLOAD_MB = 50
"""What the page takes as one file: `maxUploadSize` in `.streamlit/config.toml`."""
LEAST_FREE_MB = 500
_CLOSE = 0.87
"""Likeness of names. At 0.86, TMPDIR, which every system knows, is TEMP_DIR."""
_ADDRESS = "an address that begins with http:// or https://"
_FOLDER = "a folder in which this account can write"


class Variable(NamedTuple):
    """A setting by the name it has in the environment; `text` is what may be shown of its value."""

    name: str
    text: str
    is_set: bool


def checked_settings(*, visitors: bool = False, **given: Any) -> Settings:  # noqa: ANN401 - whatever a field accepts
    """Settings that can be worked with: their values, places and servers fit. `SettingsError` has what does not.

    With `visitors`, who can type keys and models into the page, those of servers may be missing.
    """
    try:
        settings = load_settings(**given)
    except SettingsError as error:
        rest = _rest(error, given)
        raise SettingsError.together([*error.all, *(_surroundings(rest) if rest else ())]) from error
    if wrong := [*_surroundings(settings), *(() if visitors else _servers(settings))]:
        raise SettingsError.together(wrong)
    return settings


def _rest(error: SettingsError, given: dict[str, Any]) -> Settings | None:
    """The settings as they would be without the wrong ones; None where that cannot be told."""
    wrong = [one.variable.lower() for one in error.all]
    fields = {name: field for name, field in Settings.model_fields.items() if any(_part(name, one) for one in wrong)}
    try:
        return load_settings(**given, **{name: field.default for name, field in fields.items() if name not in given})
    except SettingsError:
        return None


def _part(field: str, variable: str) -> bool:
    return variable == field or (field in (*AGENTS, *PROVIDERS) and variable.startswith(f"{field}_"))


def _surroundings(settings: Settings) -> Iterator[SettingsError]:
    """Places where nothing can be written, a model that is not there, and a collector of spans that cannot be."""
    for variable, folder in _folders(settings):
        if not _can_be_written(folder):
            yield SettingsError(variable, str(folder), _FOLDER)
    yield from _embedding(settings)
    for variable in ENDPOINTS:
        address = os.environ.get(variable, "")
        if address and not (address.startswith(("http://", "https://")) and is_address(address)):
            yield SettingsError(variable, NOT_SHOWN, _ADDRESS)


def _folders(settings: Settings) -> Iterator[tuple[str, Path]]:
    """The folders in which something is to be written, by the setting that names each."""
    yield "STORAGE_DIR", settings.storage_dir
    if settings.temp_dir is not None:
        yield "TEMP_DIR", settings.temp_dir
    if settings.embedding_cache is not None:
        yield "EMBEDDING_CACHE", settings.embedding_cache.parent
    for variable, uri in (("VECTOR_URI", settings.vector_uri), ("LONG_TERM_URI", settings.long_term_uri)):
        if uri is not None and uri.endswith(".db") and "://" not in uri:
            yield variable, Path(uri).parent


def _embedding(settings: Settings) -> Iterator[SettingsError]:
    """A model that is not on this machine, and a cache that is no file. Our own models are there."""
    cache = settings.embedding_cache
    if cache is not None and cache.is_dir():
        yield SettingsError("EMBEDDING_CACHE", str(cache), "a file that can be written, or none")
    elif settings.embedding_model not in EMBEDDED_MODELS:
        try:
            load_embedder(settings.embedding_model, cache)
        except SettingsError as error:
            yield error


def _can_be_written(folder: Path) -> bool:
    """Whether files can be made in a folder, or in the one that is there of those above it."""
    try:
        there = next((one for one in (folder, *folder.parents) if _is_there(one)), folder)
        return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    except OSError:  # a name that is too long, a folder that lets nobody in
        return False


def _is_there(path: Path) -> bool:
    """Whether a path leads to something, be it a link to nowhere. `OSError` where that cannot be told."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _servers(settings: Settings) -> Iterator[SettingsError]:
    """What is missing for the models that the agents ask, each once."""
    found: dict[str, SettingsError] = {}
    for agent in AGENTS:
        try:
            if settings.provider(agent) != "offline":
                endpoint_of(settings, agent)
        except SettingsError as error:
            found[error.variable] = error
    yield from found.values()


def faults(error: SettingsError) -> Iterator[str]:
    """All that is wrong in a line for each, and the names that may be the reason."""
    yield from map(str, error.all)
    yield from _misspelt()


def doubts(settings: Settings, *, visitors: bool = False) -> Iterator[str]:
    """What works but was perhaps not meant, or will not work for long: a line for each. `visitors` as above."""
    yield from _misspelt()
    if visitors:
        yield from (
            f"{missing}; until then each visitor has to type it into Settings" for missing in _servers(settings)
        )
    else:
        yield from _models_not_asked(settings)
    yield from _judged_here(settings)
    folders = (settings.storage_dir, *settings.storage_dir.absolute().parents)
    there = next(folder for folder in folders if os.path.exists(folder))  # noqa: PTH110 - `Path.exists` may raise
    free = shutil.disk_usage(there).free // 1_000_000
    if free < LEAST_FREE_MB:
        yield f"the disk of STORAGE_DIR has room for {free} MB; runs end when it is full: make room"
    if settings.sessions_max_mb is not None and settings.sessions_max_mb < LARGEST_UPLOAD_MB:
        yield (
            f"SESSIONS_MAX_MB is {settings.sessions_max_mb}, and one file may have {LARGEST_UPLOAD_MB} MB: "
            "a session that holds it is removed within the hour in which nobody uses it"
        )


def _misspelt() -> Iterator[str]:
    """Names that are no setting and nearly one; those of other programs are let be."""
    known = [variable.name for variable in variables(Settings.model_construct())]
    in_file: dict[str, str | None] = {}
    with suppress(OSError, UnicodeDecodeError):  # which the settings themselves are refused for
        in_file = dotenv_values(".env")
    for name in sorted({*os.environ, *in_file}):
        close = get_close_matches(name.upper(), known, 1, _CLOSE)
        if close and close[0] != name.upper():
            yield f"{name} is no setting; did you mean {close[0]}?"
        if name in ENDPOINTS and name not in os.environ:
            yield f"{name} has no effect in .env: set it in the environment"


def _models_not_asked(settings: Settings) -> Iterator[str]:
    """Keys and models of providers that no agent asks."""
    asked = {settings.provider(agent) for agent in AGENTS}
    for name in PROVIDERS:
        own = sorted(field for field, value in getattr(settings, name) if value is not None)
        if own and name not in asked:
            variables = ", ".join(f"{name}_{field}".upper() for field in own)
            yield f"{variables}: no agent asks {name} (LLM_PROVIDER is {settings.llm_provider})"


def _judged_here(settings: Settings) -> Iterator[str]:
    """Models for agents whose work the embedded engine does."""
    for agent in AGENTS:
        model = f"{agent.upper()}_MODEL"
        if getattr(settings, agent).model is not None and settings.provider(agent) == "offline":
            yield f"{model}: the embedded engine judges there; set {agent.upper()}_PROVIDER or LLM_PROVIDER"


def variables(settings: Settings) -> Iterator[Variable]:
    """Every setting as it is, nothing secret in it."""
    yield from _of(settings, "")


def _of(group: BaseModel, prefix: str) -> Iterator[Variable]:
    for name, field in type(group).model_fields.items():
        value = getattr(group, name)
        if isinstance(value, BaseModel):
            yield from _of(value, f"{name}_")
            continue
        secret = not field.repr and not {"@", "?"}.isdisjoint(str(value))  # an address with a password or a token
        hidden = isinstance(value, SecretStr) or secret
        text = "" if value is None else NOT_SHOWN if hidden else str(value)
        yield Variable(f"{prefix}{name}".upper(), text, name in group.model_fields_set)
