"""Detect the language of a text from letter frequencies: deterministic, and without a download."""

from __future__ import annotations

_SAMPLE = 20_000
_MIN_LETTERS = 20
"""Fewer letters allow no guess. A Chinese, Japanese or Korean character counts as three letters."""
_FIRST_CJK = 0x2E80
_CHINESE_DIALECTS = ("wuu", "yue")
"""Text that the library takes for Wu or Cantonese is mostly standard Chinese with a name in it."""
_NO_LANGUAGE = ("zxx", "und")
"""The library's codes for program code and for numbers."""


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language of most of the text, such as "en" or "zh"; `None` if unclear.

    A long text is judged by its beginning and its middle, so that a foreign preface does not decide.
    """
    import py3langid  # noqa: PLC0415 - it loads NumPy, which a process that reads one file does not need

    middle = max(_SAMPLE, len(text) // 2)
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    if sum(3 if ord(letter) >= _FIRST_CJK else 1 for letter in sample if letter.isalpha()) < _MIN_LETTERS:
        return None
    code = str(py3langid.classify(sample)[0])
    if code in _CHINESE_DIALECTS:
        return "zh"
    return None if code in _NO_LANGUAGE else code
