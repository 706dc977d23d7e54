"""Whether one text is a copy of another: by the runs of words that they share."""

from __future__ import annotations

from functools import lru_cache

from memory_bank.modules.tokens import words

_RUN = 3
_LONG, _COPIED = 40, 0.5
_COPIED_SHORT = 0.8
_LONG_STATEMENT = 10


def copied(first: str, second: str) -> bool:
    """Whether one text is mostly a copy of the other, cropped, reformatted or with a word changed.

    That a text of one short sentence stands in a longer one says nothing.
    """
    fewer, more = sorted((len(words(first)), len(words(second))))
    if fewer < _LONG_STATEMENT < more:
        return False
    return _shared(first, second) >= (_COPIED if fewer >= _LONG else _COPIED_SHORT)


def same_words(first: str, second: str) -> bool:
    """Whether two statements, too long to come about twice, are nearly word for word the same."""
    fewer = min(len(words(first)), len(words(second)))
    return fewer >= _LONG_STATEMENT and _shared(first, second) >= _COPIED_SHORT


def _shared(first: str, second: str) -> float:
    """The share of the shorter text's runs of words that the other one has too (0…1)."""
    a, b = _runs(first), _runs(second)
    return len(a & b) / max(1, min(len(a), len(b)))


@lru_cache(maxsize=64)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    said = words(text)
    return frozenset(tuple(said[at : at + _RUN]) for at in range(max(1, len(said) - _RUN + 1)))
