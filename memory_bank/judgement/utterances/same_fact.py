"""Detect repeated facts: texts of the same or nearly the same words or meaning, with equal figures and names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize, words

SAME_WORDS = 0.8
"""Share of common words (intersection over union) from which two texts are the same."""
SAME_MEANING = 0.9
"""Cosine from which two texts are the same."""
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
_FIGURE = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred"
    r"|thousand|million|first|second|third)\b|[一二三四五六七八九十百千万亿两]",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot)\b|n['’]t\b|[不没无非未]", re.IGNORECASE)


class KnownFacts:
    """Texts that are known already; English ones are compared by meaning too."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._texts = [text for text in texts if text.strip()]
        self._embedder = embedder
        self._vectors = embedder.embed(self._texts) if self._texts else None

    def holds(self, text: str) -> bool:
        """Whether a text repeats a known one."""
        if any(same_words(text, known) for known in self._texts):
            return True
        if self._vectors is None or not text.isascii():
            return False
        similar = self._vectors @ self._embedder.embed([text])[0] >= SAME_MEANING
        return any(_same_values(text, known) for known, near in zip(self._texts, similar, strict=True) if near)


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ at most in a few words, none of them a figure, a name or a negation."""
    if words(one) == words(other):
        return one.strip() == other.strip() or bool(words(one))
    left, right = set(tokenize(one)), set(tokenize(other))
    shared = len(left & right) / max(len(left | right), 1)
    return shared >= SAME_WORDS and _same_values(one, other)


def _same_values(one: str, other: str) -> bool:
    same_negation = bool(_NEGATION.search(one)) == bool(_NEGATION.search(other))
    return same_negation and _figures(one) == _figures(other) and set(_NAME.findall(one)) == set(_NAME.findall(other))


def _figures(text: str) -> set[str]:
    return {figure.replace(",", "").lower() for figure in _FIGURE.findall(text)}
