"""Translate the texts of the interface. The English text is the key; `locale/*.po` holds the translations.

What documents, models and people say is content and is never translated. Texts recorded in the log are always English,
so that a session reads the same everywhere; `Words.recorded` translates them when they are shown, by the templates in
`recorded_words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory_bank.views.recorded_words import PARTS, SHAPES, TEXTS

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}

LOCALE = Path(__file__).parent / "locale"
PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MAX_LENGTH, _MAX_DEPTH = 8_000, 6
"""Most characters and most levels of nesting of a recorded text of ours. Anything beyond is content, not translated."""


class Translator:
    """The interface texts in one language; a text without a translation stays English."""

    def __init__(self, language: Language) -> None:
        self.language = language
        path = LOCALE / f"{language}.po"
        self._translations = translations(load_catalogue(path)) if path.is_file() else {}

    def say(self, text: str, /, **values: object) -> str:
        """Translate a text and fill its placeholders."""
        translation = self._translations.get(text, (text,))[0]
        return translation.format(**values) if values else translation

    def say_n(self, singular: str, plural: str, n: int, /, **values: object) -> str:
        """Translate a text in the form for the number `n`; both forms may show it as `{n}`."""
        forms = self._translations.get(singular, (singular, plural))
        return forms[0 if n == 1 else -1].format(n=f"{n:,}", **values)

    def listed(self, items: Iterable[str]) -> str:
        """Join items as `a.md, b.md and c.md`; an empty text for no items."""
        *most, last = (*items,) or ("",)
        return self.say("{things} and {last}", things=", ".join(most), last=last) if most else last

    def recorded(self, text: str) -> str:
        """Translate a text recorded in the log. A text that matches no template, or is too long, stays as it is."""
        return self._recorded(text, TEXTS) if len(text) <= _MAX_LENGTH else text

    def _recorded(self, text: str, templates: tuple[str, ...], depth: int = 0) -> str:
        for template, pattern in _patterns(templates) if self._translations and depth < _MAX_DEPTH else ():
            match = pattern.fullmatch(text)
            if match is not None and template in self._translations:
                parts = {
                    name: self._recorded(part, PARTS.get(name, ()), depth + 1)
                    for name, part in match.groupdict().items()
                }
                return self._translations[template][0].format(**parts)
        return text


def mark_for_translation(text: str) -> str:
    """Mark a text for translation without translating it yet; `Words.say` does that where it is shown.

    For tables that are made when a module is loaded.
    """
    return text


@cache
def translator(language: Language) -> Translator:
    """The interface texts in a language, loaded once."""
    return Translator(language)


ENGLISH = translator("en")


def load_catalogue(path: Path) -> Catalog:
    """Read a catalogue file (`.po`)."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - slow to import, and English needs none

    with path.open("rb") as file:
        return read_po(file)


def translations(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """The translation of each text, singular form first; texts not translated yet are left out."""
    result = {}
    for message in catalogue:
        source = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if source and forms and all(forms):
            result[source] = forms
    return result


@cache
def _patterns(templates: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    """The templates with a pattern that matches their texts; templates with more fixed text come first."""
    most_specific_first = sorted(templates, key=lambda template: -len(PLACEHOLDER.sub("", template)))
    return [(template, _pattern(template)) for template in most_specific_first]


def _pattern(template: str) -> re.Pattern[str]:
    """A pattern with a group for each placeholder.

    A group ends at the first occurrence of the text after it (atomic groups), so that long texts are matched quickly.
    """
    opening, *rest = PLACEHOLDER.split(template)
    pattern = re.escape(opening)
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    for place, (name, following) in enumerate(pairs, start=1):
        last = place == len(pairs)
        shape = SHAPES.get(name, ".*" if last else ".+?")
        group = f"(?P<{name}>{shape}){re.escape(following)}"
        pattern += group if last else f"(?>{group})"
    return re.compile(pattern, re.DOTALL)
