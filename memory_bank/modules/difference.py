"""Two texts side by side: in which words they differ."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

Piece = tuple[str, bool]
"""A stretch of a text, and whether the other text lacks it."""

_WORD = re.compile(r"\s+|\d+(?:[.,]\d+)*|[^\W\d_\u3040-\u9fff]+|\w|[^\w\s]")
"""A number whole, a word whole, a character of Chinese or Japanese by itself."""
_SENTENCE = re.compile(r"\s+|\S[^\n.!?。！？]*[.!?。！？]*")
_MOST_PARTS, _MOST_PAIRS = 1_500, 5_000
"""Of both texts together, and how often a part of one is a part of the other: the work grows faster than either."""


def difference(first: str, second: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces, which joined are the text. White space alone never counts as different.

    Long texts are compared by sentences, and where these are too many or too much alike, as wholes.
    """
    for part in (_WORD, _SENTENCE):
        a, b = part.findall(first), part.findall(second)
        if _comparable(a, b):
            return _compared(a, b)
    return _compared([first], [second])


def _comparable(a: list[str], b: list[str]) -> bool:
    counts = Counter(b)
    pairs = sum(number * counts[part] for part, number in Counter(a).items() if not part.isspace())
    return len(a) + len(b) <= _MOST_PARTS and pairs <= _MOST_PAIRS


def _compared(a: list[str], b: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """By what both begin with, then by what else they share; white space leads to nothing that they share."""
    same = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    left, right = [_piece(a[:same], differs=False)], [_piece(b[:same], differs=False)]
    a, b = a[same:], b[same:]
    for kind, a0, a1, b0, b1 in SequenceMatcher(str.isspace, a, b, autojunk=False).get_opcodes():
        left.append(_piece(a[a0:a1], differs=kind != "equal"))
        right.append(_piece(b[b0:b1], differs=kind != "equal"))
    return tuple(piece for piece in left if piece[0]), tuple(piece for piece in right if piece[0])


def _piece(parts: list[str], *, differs: bool) -> Piece:
    text = "".join(parts)
    return text, differs and not text.isspace()
