"""What is said to people, in their language. The English text is the key; `locale/*.po` has the translations.

What documents, models and people say is content and is never translated. Texts that the log has recorded are English
for ever, so that a session reads the same everywhere; `Words.recorded` says them in another language when they are
shown (`recorded_words`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from memory_bank.recorded_words import PARTS, SHAPES, TEXTS

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}

LOCALE = Path(__file__).parent / "locale"
PLACEHOLDER = re.compile(r"\{(\w+)\}")
_LONGEST, _DEEPEST = 8_000, 6
"""Characters of a text of ours, and how many texts within each other it can be: more is somebody else's."""


class Words:
    """Texts in one language. What has no translation is said in English."""

    def __init__(self, language: Language) -> None:
        self.language = language
        path = LOCALE / f"{language}.po"
        self._said = translations(load_catalogue(path)) if path.is_file() else {}

    def say(self, text: str, /, **values: object) -> str:
        """A text with its placeholders filled."""
        said = self._said.get(text, (text,))[0]
        return said.format(**values) if values else said

    def say_n(self, one: str, many: str, n: int, /, **values: object) -> str:
        """The text for a number, which both forms may show as `{n}`."""
        forms = self._said.get(one, (one, many))
        return forms[0 if n == 1 else -1].format(n=f"{n:,}", **values)

    def listed(self, items: Iterable[str]) -> str:
        """Things one after another: `a.md, b.md and c.md`; nothing of none."""
        *most, last = (*items,) or ("",)
        return self.say("{things} and {last}", things=", ".join(most), last=last) if most else last

    def recorded(self, text: str) -> str:
        """A text of the log in this language; as it stands there where it is none of ours, or longer than ours are."""
        return self._recorded(text, TEXTS) if len(text) <= _LONGEST else text

    def _recorded(self, text: str, among: tuple[str, ...], depth: int = 0) -> str:
        for source, pattern in _patterns(among) if self._said and depth < _DEEPEST else ():
            found = pattern.fullmatch(text)
            if found is not None and source in self._said:
                parts = {
                    name: self._recorded(held, PARTS.get(name, ()), depth + 1)
                    for name, held in found.groupdict().items()
                }
                return self._said[source][0].format(**parts)
        return text


def later(text: str) -> str:
    """Marks a text that is said where it is shown, as in a table made before anybody reads it."""
    return text


@cache
def words(language: Language) -> Words:
    """The texts in a language."""
    return Words(language)


ENGLISH = words("en")


def load_catalogue(path: Path) -> Catalog:
    """The translations of a language."""
    with path.open("rb") as file:
        return read_po(file)


def translations(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """What each text is in the language, singular first; without those not translated yet."""
    found = {}
    for message in catalogue:
        source = message.id if isinstance(message.id, str) else message.id[0]
        said = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if source and said and all(said):
            found[source] = said
    return found


@cache
def _patterns(templates: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    """What texts made from templates look like; templates that say more by themselves come first."""
    wordiest = sorted(templates, key=lambda template: -len(PLACEHOLDER.sub("", template)))
    return [(template, _pattern(template)) for template in wordiest]


def _pattern(template: str) -> re.Pattern[str]:
    """A group for each placeholder, which ends where what follows it first comes: so long texts are quick to check."""
    opening, *rest = PLACEHOLDER.split(template)
    made = re.escape(opening)
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    for place, (name, following) in enumerate(pairs, start=1):
        last = place == len(pairs)
        shape = SHAPES.get(name, ".*" if last else ".+?")
        group = f"(?P<{name}>{shape}){re.escape(following)}"
        made += group if last else f"(?>{group})"
    return re.compile(made, re.DOTALL)
