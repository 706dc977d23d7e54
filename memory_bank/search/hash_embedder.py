"""Embed texts without a model, for tests and for replays that need no meaning."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory_bank.text.tokens import tokenize, words

HASH_MODEL = "hash"


class HashEmbedder:
    """Hashed bags of words: texts with many common words get similar vectors, synonyms do not.

    Used only if chosen by name. A text without words has the zero vector. Texts are read whole.
    """

    def __init__(self, dimension: int = 256) -> None:
        self.name, self.dimension, self.max_tokens = HASH_MODEL, dimension, sys.maxsize

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension), of length one or zero."""
        vectors = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            for token, count in Counter(tokenize(text)).items():
                hashed = _hash(token)
                sign = 1 if hashed & 1 else -1
                vectors[row, (hashed >> 1) % self.dimension] += sign * count**0.5
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def count_tokens(self, text: str) -> int:
        """Count the words of a text."""
        return len(words(text))


@lru_cache(maxsize=65_536)
def _hash(token: str) -> int:
    return int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "big")
