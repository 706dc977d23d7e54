"""Detect the language of a text from letter frequencies: deterministic, and without a download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_bank.text.parallel import loaded_once

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE = 20_000
_MIN_LETTERS = 20
"""Fewer letters allow no guess. A Chinese, Japanese or Korean character counts as three letters."""
_FIRST_CJK = 0x2E80
_CHINESE_DIALECTS = ("wuu", "yue")
"""Text that the library takes for Wu or Cantonese is mostly standard Chinese with a name in it."""
_NO_LANGUAGE = ("zxx", "und")
"""The library's codes for program code and for numbers."""
_LEAST_ENGLISH = 0.002
"""Probability of English from which a text may be English. A text without letters has .007. Of questions and tasks
2,273 of 2,273 English ones of the corpus reach it, 1,205 of 1,205 of public data, 15 of 290 German, 7 of 100 French."""


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language of most of the text, such as "en" or "zh"; `None` if unclear.

    A long text is judged by its beginning and its middle, so that a foreign preface does not decide.
    """
    middle = max(_SAMPLE, len(text) // 2)
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    if sum(3 if ord(letter) >= _FIRST_CJK else 1 for letter in sample if letter.isalpha()) < _MIN_LETTERS:
        return None
    code = str(_identifier().classify(sample)[0])
    if code in _CHINESE_DIALECTS:
        return "zh"
    return None if code in _NO_LANGUAGE else code


def may_be_english(text: str) -> bool:
    """Whether a text may be English, however short; also where it gives no indication, as a table of figures does."""
    return float(dict(_identifier().rank(text))["en"]) >= _LEAST_ENGLISH


@loaded_once
def _identifier() -> LanguageIdentifier:
    """The library's model, with probabilities."""
    from py3langid.langid import (  # noqa: PLC0415 - it loads NumPy, which a process that reads one file does not need
        MODEL_FILE,
        LanguageIdentifier,
    )

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
