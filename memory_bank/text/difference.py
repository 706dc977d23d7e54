"""Compare two texts: in which words they differ, and whether one is a copy, by the word trigrams that they share."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache

from memory_bank.text.tokens import words
from memory_bank.text.values.dates import find_dates

_NGRAM = 3
_LONG_STATEMENT, _LONG_TEXT = 10, 40
"""In words."""
_COPY_SHARE, _COPY_SHARE_LONG_TEXT = 0.8, 0.5
"""Shares of common trigrams from which a text is a copy; in a long text more of it may have been changed."""
Piece = tuple[str, bool]
"""A part of a text, and whether it differs from the other text."""

_WORD = re.compile(r"\s+|\d+(?:[.,:]\d+)*|[^\W\d_\u3040-\u9fff]+|\w|[^\w\s]")
"""Matches a whole number or time of day, a whole word, or a single Chinese or Japanese character."""
_SENTENCE = re.compile(r"\s+|\S[^\n.!?。！？]*[.!?。！？]*")
_MAX_PARTS, _MAX_PAIRS = 1_500, 5_000
"""Parts of both texts together, and pairs of equal parts. The running time grows faster than either number."""


def difference(first: str, second: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces; the joined pieces are the text. White space alone never counts as different.

    Long texts are compared by sentences; if there are too many of these, or too many equal ones, as wholes.
    """
    for pattern in (_WORD, _SENTENCE):
        a, b = _parts(first, pattern), _parts(second, pattern)
        counts = Counter(b)
        pairs = sum(number * counts[part] for part, number in Counter(a).items() if not part.isspace())
        if len(a) + len(b) <= _MAX_PARTS and pairs <= _MAX_PAIRS:
            return _diff(a, b)
    return _diff([first], [second])


def _parts(text: str, pattern: re.Pattern[str]) -> list[str]:
    """A text in parts: what the pattern matches, but each date as one, so that "1 October" differs as a whole."""
    parts: list[str] = []
    end = 0
    for date in sorted(find_dates(text), key=lambda date: date.start) if pattern is _WORD else ():
        parts += [*pattern.findall(text[end : date.start]), text[date.start : date.end]]
        end = date.end
    return parts + pattern.findall(text[end:])


def _diff(a: list[str], b: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Split off the common prefix, then match the rest; no match starts at white space."""
    prefix = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    left, right = [_piece(a[:prefix], differs=False)], [_piece(b[:prefix], differs=False)]
    a, b = a[prefix:], b[prefix:]
    for kind, a0, a1, b0, b1 in SequenceMatcher(str.isspace, a, b, autojunk=False).get_opcodes():
        left.append(_piece(a[a0:a1], differs=kind != "equal"))
        right.append(_piece(b[b0:b1], differs=kind != "equal"))
    return tuple(piece for piece in left if piece[0]), tuple(piece for piece in right if piece[0])


def _piece(parts: list[str], *, differs: bool) -> Piece:
    text = "".join(parts)
    return text, differs and not text.isspace()


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
