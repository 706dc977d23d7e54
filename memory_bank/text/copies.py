"""Detect copied text by the word trigrams that two texts share."""

from __future__ import annotations

from functools import lru_cache

from memory_bank.text.tokens import words

_NGRAM = 3
_LONG_STATEMENT, _LONG_TEXT = 10, 40
"""In words."""
_COPY_SHARE, _COPY_SHARE_LONG_TEXT = 0.8, 0.5
"""Shares of common trigrams from which a text is a copy; in a long text more of it may have been changed."""


def is_copy(first: str, second: str) -> bool:
    """Whether one text is mostly a copy of the other, cropped, reformatted or with a word changed.

    A short sentence that is part of a longer text is not a copy.
    """
    shorter, longer = sorted((len(words(first)), len(words(second))))
    if shorter < _LONG_STATEMENT < longer:
        return False
    a, b = _ngrams(first), _ngrams(second)
    shared = len(a & b) / max(1, min(len(a), len(b)))  # of the shorter text's trigrams
    return shared >= (_COPY_SHARE_LONG_TEXT if shorter >= _LONG_TEXT else _COPY_SHARE)


@lru_cache(maxsize=64)
def _ngrams(text: str) -> frozenset[tuple[str, ...]]:
    """The trigrams of a text; of a text of fewer words, all its words."""
    all_words = words(text)
    return frozenset(tuple(all_words[start : start + _NGRAM]) for start in range(max(1, len(all_words) - _NGRAM + 1)))
