"""How far each of many texts bears on what is asked: by meaning, and by the rarer words that it shares with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.agent import language_of
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize


class Relevance:
    """Relevance to some questions. Texts that are asked about again cost nothing: of each, what is needed is kept."""

    def __init__(self, asked: Sequence[str], embedder: Embedder) -> None:
        self._asked = {question: frozenset(tokenize(question)) for question in asked}
        self._embedder = embedder
        self._chinese = language_of(" ".join(asked)) == "zh"
        self.words = frozenset(word for words in self._asked.values() for word in words)
        self._known: dict[str, tuple[float, frozenset[str]]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Of each text how far it bears on one of the questions, from 0 to 1, shape (len(texts),).

        The mean of the cosine with the question that it is likest to, and of the largest share of rarer words.
        """
        self._learn([text for text in dict.fromkeys(texts) if text not in self._known])
        likeness = np.array([self._known[text][0] for text in texts])
        words = [self.words_of(text) for text in texts]
        shared: NDArray[np.float64] = np.max([_shares(wanted, words) for wanted in self._asked.values()], axis=0)
        return shared if self._chinese else (likeness + shared) / 2  # to an English model all Chinese is alike

    def words_of(self, text: str) -> frozenset[str]:
        """The words of a text that `of` was asked about."""
        return self._known[text][1]

    def _learn(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        likeness = np.zeros(len(texts))
        if not self._chinese:
            asked = self._embedder.embed(list(self._asked))
            likeness = np.clip((self._embedder.embed(texts) @ asked.T).max(axis=1), 0.0, 1.0)
        words = (frozenset(tokenize(text)) for text in texts)
        self._known |= dict(zip(texts, zip(map(float, likeness), words, strict=True), strict=True))


def shares(asked: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Of each text the share of what is asked that its words are, from 0 to 1, shape (len(texts),).

    A word weighs more the fewer of the texts have it.
    """
    return _shares(set(tokenize(asked)), [set(tokenize(text)) for text in texts])


def _shares(wanted: Set[str], texts: Sequence[Set[str]]) -> NDArray[np.float64]:
    held = [sorted(wanted & words) for words in texts]
    frequency = Counter(word for words in held for word in words)
    weight = {word: float(np.log(1 + len(texts) / max(frequency[word], 1))) for word in sorted(wanted)}
    total = sum(weight.values()) or 1.0
    return np.array([sum(weight[word] for word in words) / total for words in held])
