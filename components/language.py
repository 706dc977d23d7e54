"""Texts of the page in the visitor's language: the one set on the Settings page, otherwise the browser's."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from memory_bank.bank.events import Event
from memory_bank.text.wording import mark_for_translation
from memory_bank.views.event_formatting import describe
from memory_bank.views.i18n import LANGUAGES, Language, Translator, translator

__all__ = ["mark_for_translation"]  # what is passed on, beside its own

_KEY = "language"


def language() -> Language:
    """The visitor's language."""
    chosen = st.session_state.get(_KEY)
    if chosen is None:
        chosen = (st.context.locale or "").partition("-")[0].lower()
    return next((known for known in LANGUAGES if known == chosen), "en")


def set_language(chosen: Language) -> None:
    """Set the language of this tab."""
    st.session_state[_KEY] = chosen


def visitor_words() -> Translator:
    """All texts in the visitor's language, for output outside the page, such as exports."""
    return translator(language())


def say(text: str, /, **values: object) -> str:
    """Translate a text of the page. `text` is English with named placeholders; values are filled in unchanged."""
    return visitor_words().say(text, **values)


def say_n(singular: str, plural: str, n: int, /, **values: object) -> str:
    """Translate a text that depends on a number, shown as `{n}`."""
    return visitor_words().say_n(singular, plural, n, **values)


def listed(items: Iterable[str]) -> str:
    """Join items: `a.md and b.md`."""
    return visitor_words().listed(items)


def recorded(text: str) -> str:
    """Translate a text of the log, where all texts are in English."""
    return visitor_words().recorded(text)


def describe_event(event: Event) -> str:
    """Describe an event in one line. Plain text that contains content: escape it in markup."""
    return describe(event, visitor_words())
