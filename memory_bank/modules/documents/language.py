"""The language of a text, by the frequencies of its letters: the same each time, and without a download."""

from __future__ import annotations

_SAMPLE = 20_000
_LEAST = 20
"""Letters below which a guess is none; a sign of Chinese, Japanese or Korean says as much as three."""
_DENSE = 0x2E80
_CHINESE = ("wuu", "yue")
"""What the library takes for the speech of Shanghai or Canton is mostly written Chinese with a name in it."""
_NONE = ("zxx", "und")
"""What the library says of code and of figures."""


def language_of(text: str) -> str | None:
    """Give the ISO 639-1 code of the language that most of the text is in, such as "en" or "zh"; `None` if unclear.

    A long text is judged by its beginning and its middle, so that a foreign preface does not decide.
    """
    import py3langid  # noqa: PLC0415 - it brings NumPy, for which a process that reads one file has no need

    middle = max(_SAMPLE, len(text) // 2)
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    if sum(3 if ord(letter) >= _DENSE else 1 for letter in sample if letter.isalpha()) < _LEAST:
        return None
    code = str(py3langid.classify(sample)[0])
    if code in _CHINESE:
        return "zh"
    return None if code in _NONE else code
