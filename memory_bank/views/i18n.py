"""Translate the texts of the interface. The English text is the key; `locale/*.po` holds the translations.

What documents, models and people say is content and is never translated. Texts of ours in the log are English, each
with its template and values (`Wording`), from which `Translator.recorded` says them in another language.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory_bank.text.wording import Wording, filled, format_list

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}

LOCALE = Path(__file__).parent / "locale"


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
        return self.recorded(format_list(items))

    def recorded(self, text: str) -> str:
        """Translate a text that the package wrote into the log. What anybody else wrote stays as it is."""
        if not isinstance(text, Wording):
            return text
        template = self._translations.get(text.template, (text.template,))[0]
        return filled(template, {name: self.recorded(value) for name, value in text.values.items()})

    def money(self, usd: float | None) -> str:
        """Format an amount in US dollars; below ten cents with four digits."""
        if usd is None:
            return self.say("cost unknown")
        return f"{usd:.4f} $" if 0 < usd < 0.1 else f"{usd:.2f} $"

    def source_label(self, source: str, page: int | None) -> str:
        """Format where a passage is: `brochure.pdf, p. 2`."""
        return source if page is None else self.say("{source}, p. {page}", source=source, page=page)


@cache
def translator(language: Language) -> Translator:
    """The interface texts in a language, loaded once."""
    return Translator(language)


ENGLISH = translator("en")


def size(number: int) -> str:
    """Format a number of bytes: `48 kB`."""
    if number < 1_000:
        return f"{number} B"
    amount, units = number / 1_000, ["kB", "MB", "GB"]
    while amount >= 1_000 and len(units) > 1:
        amount, units = amount / 1_000, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 10 else f"{amount:,.0f} {units[0]}"


def load_catalogue(path: Path) -> Catalog:
    """Read a catalogue file (`.po`)."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - slow to import, and English needs none

    with path.open("rb") as file:
        return read_po(file)


def translations(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """The translation of each text, singular form first; texts not translated yet are left out.

    A plural is a key too, for what was `counted`.
    """
    result: dict[str, tuple[str, ...]] = {}
    for message in catalogue:
        sources = (message.id,) if isinstance(message.id, str) else message.id
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if sources[0] and forms and all(forms):
            result |= {sources[-1]: forms[-1:], sources[0]: forms}
    return result
