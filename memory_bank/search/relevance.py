"""Score the relevance of texts to questions: by meaning, and by the words they share, rarer words counting more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.agent import prompt_language
from memory_bank.search.embedding import MULTILINGUAL_MODEL, Embedder
from memory_bank.text.tokens import tokenize


class Relevance:
    """Relevance to given questions. Each text is analysed once; asking about it again costs little."""

    def __init__(self, asked: Sequence[str], embedder: Embedder) -> None:
        self._question_words = {question: frozenset(tokenize(question)) for question in asked}
        self._embedder = embedder
        self._by_words_alone = cannot_be_embedded(" ".join(asked), embedder)
        self.words = frozenset(word for words in self._question_words.values() for word in words)
        self._analysed: dict[str, tuple[float, frozenset[str]]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The relevance of each text to the questions, from 0 to 1, shape (len(texts),).

        The mean of the cosine with the most similar question and of the largest weighted share of a question's words.
        """
        self._analyse([text for text in dict.fromkeys(texts) if text not in self._analysed])
        similarities = np.array([self._analysed[text][0] for text in texts])
        words = [self.words_of(text) for text in texts]
        wanted = self._question_words.values()
        shared: NDArray[np.float64] = np.max([_shares(question_words, words) for question_words in wanted], axis=0)
        return shared if self._by_words_alone else (similarities + shared) / 2

    def words_of(self, text: str) -> frozenset[str]:
        """The words of a text that was passed to `of` before."""
        return self._analysed[text][1]

    def _analyse(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        similarities = np.zeros(len(texts))
        if not self._by_words_alone:
            questions = self._embedder.embed(list(self._question_words))
            similarities = np.clip((self._embedder.embed(texts) @ questions.T).max(axis=1), 0.0, 1.0)
        words = (frozenset(tokenize(text)) for text in texts)
        self._analysed |= dict(zip(texts, zip(map(float, similarities), words, strict=True), strict=True))


def cannot_be_embedded(text: str, embedder: Embedder) -> bool:
    """Whether a text is Chinese and the model is not: an English one gives all Chinese texts similar vectors."""
    return prompt_language(text) == "zh" and embedder.name != MULTILINGUAL_MODEL


def weighted_overlap(asked: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """The share of the question's words that each text holds, from 0 to 1, shape (len(texts),).

    A word weighs more the fewer of the texts hold it.
    """
    return _shares(set(tokenize(asked)), [set(tokenize(text)) for text in texts])


def _shares(wanted: Set[str], texts: Sequence[Set[str]]) -> NDArray[np.float64]:
    shared = [sorted(wanted & words) for words in texts]
    frequency = Counter(word for words in shared for word in words)
    weight = {word: float(np.log(1 + len(texts) / max(frequency[word], 1))) for word in sorted(wanted)}
    total = sum(weight.values()) or 1.0
    return np.array([sum(weight[word] for word in words) / total for words in shared])
