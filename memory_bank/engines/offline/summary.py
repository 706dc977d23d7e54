"""Extractive summaries: the sentences most central to a text that do not repeat each other.

Centrality is the LexRank idea (Erkan and Radev 2004) by degree: how similar a sentence is to the others, over
weighted words. Diversity is maximal marginal relevance (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span
from memory_bank.modules.tokens import tokenize

DIVERSITY = 0.5
CLAIM_BONUS = 0.15
MOST_SENTENCES = 120
SHORT = 60
"""Characters up to which a line without figure and full stop is taken for a heading."""


def summarise(text: str, characters: int, favoured: Collection[int] = ()) -> str:
    """Sentences of `text`, in its order, of at most `characters` in all (one sentence may exceed it alone).

    `favoured` are start offsets of sentences that state something checkable.
    """
    spans = [span for span in sentences(text) if not says_little(span.of(text))] or sentences(text)
    once: dict[str, Span] = {}
    for span in spans:
        once.setdefault(_flat(span.of(text)), span)
    if sum(len(line) + 1 for line in once) <= characters:
        return "\n".join(once)
    written = list(once)[:MOST_SENTENCES]
    bonus = np.array([CLAIM_BONUS if once[line].start in favoured else 0.0 for line in written])
    chosen: list[int] = []
    room = characters
    for index in _by_relevance(written, bonus):
        if len(written[index]) + 1 <= room or not chosen:
            chosen.append(index)
            room -= len(written[index]) + 1
    return "\n".join(written[index] for index in sorted(chosen))


def central_sentence(text: str) -> str:
    """The most central sentence; the text itself when it has only one."""
    spans = [span for span in sentences(text) if not says_little(span.of(text))][:MOST_SENTENCES]
    if not spans:
        return _flat(text)
    written = [_flat(span.of(text)) for span in spans]
    return written[most_central(written)]


def most_central(written: Sequence[str]) -> int:
    """Which of some sentences is most like all the others; earlier ones first where it is even."""
    return int(np.argmax(_centrality(_similarity(written[:MOST_SENTENCES]))))


def _by_relevance(written: Sequence[str], bonus: NDArray[np.float64]) -> list[int]:
    """Every sentence, the most central first, each put back by its likeness to those before it."""
    similarity = _similarity(written)
    relevance = _centrality(similarity) + bonus
    repeated = np.zeros(len(written))
    order: list[int] = []
    waiting = np.ones(len(written), dtype=bool)
    for _ in written:
        scores = np.where(waiting, relevance - DIVERSITY * repeated, -np.inf)
        best = int(np.argmax(scores))
        order.append(best)
        waiting[best] = False
        repeated = np.maximum(repeated, similarity[best])
    return order


def _similarity(written: Sequence[str]) -> NDArray[np.float64]:
    """Cosine between sentences over words weighted by how few of the sentences have them."""
    counts = [Counter(tokenize(sentence)) for sentence in written]
    frequency = Counter(word for count in counts for word in count)
    column = {word: index for index, word in enumerate(frequency)}
    matrix = np.zeros((len(written), max(len(column), 1)))
    for row, count in enumerate(counts):
        for word, times in count.items():
            matrix[row, column[word]] = times * np.log(1 + len(written) / frequency[word])
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = matrix / np.where(norms == 0, 1, norms)
    found: NDArray[np.float64] = matrix @ matrix.T
    return found


def _centrality(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean likeness to the other sentences, with a small preference for earlier ones to settle ties."""
    count = len(similarity)
    if count == 1:
        return np.ones(1)
    mean: NDArray[np.float64] = (similarity.sum(axis=1) - similarity.diagonal()) / (count - 1)
    return mean / max(float(mean.max()), 1e-9) + np.linspace(0.05, 0.0, count)


def is_heading(sentence: str) -> bool:
    """Whether it is a Markdown heading: it names a topic and says nothing of it."""
    return sentence.startswith("#")


def says_little(sentence: str) -> bool:
    """Whether it is a heading, with a mark of its own or by being short, without a figure and without an end."""
    short = len(sentence) <= SHORT and not re.search(r"\d|[.!?。！？…”\"]$", sentence)
    return is_heading(sentence) or short


def _flat(text: str) -> str:
    return " ".join(text.split())
