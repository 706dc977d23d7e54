"""The words of the page in the visitor's language: chosen on the Settings page, before that the browser's."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from memory_bank.event_words import describe
from memory_bank.events import Event
from memory_bank.words import LANGUAGES, Language, Words, later, words

__all__ = ["choose", "language", "later", "listed", "recorded", "say", "say_n", "told", "visitor_words"]

_KEY = "language"


def language() -> Language:
    """The visitor's language."""
    chosen = st.session_state.get(_KEY)
    if chosen is None:
        chosen = (st.context.locale or "").partition("-")[0].lower()
    return next((known for known in LANGUAGES if known == chosen), "en")


def choose(chosen: Language) -> None:
    """Speak a language from now on, in this tab."""
    st.session_state[_KEY] = chosen


def visitor_words() -> Words:
    """All texts in the visitor's language, for what is not part of the page."""
    return words(language())


def say(text: str, /, **values: object) -> str:
    """A text of the page. `text` is English, with named placeholders; values are filled in as they are."""
    return visitor_words().say(text, **values)


def say_n(one: str, many: str, n: int, /, **values: object) -> str:
    """A text that depends on a number, which it shows as `{n}`."""
    return visitor_words().say_n(one, many, n, **values)


def listed(items: Iterable[str]) -> str:
    """Things one after another: `a.md and b.md`."""
    return visitor_words().listed(items)


def recorded(text: str) -> str:
    """A text of the log, which is in English, as the visitor reads it."""
    return visitor_words().recorded(text)


def told(event: Event) -> str:
    """An event in one line, as the visitor reads it. Plain text with content in it."""
    return describe(event, visitor_words())
