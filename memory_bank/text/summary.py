"""Extractive summaries: the most central sentences of a text that do not repeat each other.

Centrality is degree centrality as in LexRank (Erkan and Radev 2004): the similarity of a sentence to the others, over
weighted words. Diversity is maximal marginal relevance (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.text.sentences import sentences
from memory_bank.text.span import Span
from memory_bank.text.tokens import tokenize

DIVERSITY = 0.5
CLAIM_BONUS = 0.15
MOST_SENTENCES = 120
SHORT = 60
"""A line of at most this many characters, without a digit and a final full stop, counts as a heading."""


def summarise(text: str, characters: int, favoured: Collection[int] = ()) -> str:
    """Sentences of `text`, in order, with at most `characters` in total; a single sentence may exceed it.

    `favoured` are the start offsets of sentences that contain a checkable claim.
    """
    spans = [span for span in sentences(text) if not is_probably_heading(span.of(text))] or sentences(text)
    span_of_line: dict[str, Span] = {}  # repeated sentences once
    for span in spans:
        span_of_line.setdefault(_flat(span.of(text)), span)
    if sum(len(line) + 1 for line in span_of_line) <= characters:
        return "\n".join(span_of_line)
    lines = list(span_of_line)[:MOST_SENTENCES]
    bonus = np.array([CLAIM_BONUS if span_of_line[line].start in favoured else 0.0 for line in lines])
    chosen: list[int] = []
    room = characters
    for index in _by_relevance(lines, bonus):
        if len(lines[index]) + 1 <= room or not chosen:
            chosen.append(index)
            room -= len(lines[index]) + 1
    return "\n".join(lines[index] for index in sorted(chosen))


def central_sentence(text: str) -> str:
    """The most central sentence; the text itself if it has only headings."""
    stated = (span.of(text) for span in sentences(text))
    lines = [_flat(sentence) for sentence in stated if not is_probably_heading(sentence)][:MOST_SENTENCES]
    return lines[int(np.argmax(_centrality(_similarity(lines))))] if lines else _flat(text)


def _by_relevance(lines: Sequence[str], bonus: NDArray[np.float64]) -> list[int]:
    """The indices of all sentences, most central first; similarity to an earlier choice lowers the rank."""
    similarity = _similarity(lines)
    relevance = _centrality(similarity) + bonus
    repeated = np.zeros(len(lines))
    order: list[int] = []
    for _ in lines:
        scores = relevance - DIVERSITY * repeated
        scores[order] = -np.inf
        order.append(int(np.argmax(scores)))
        repeated = np.maximum(repeated, similarity[order[-1]])
    return order


def _similarity(lines: Sequence[str]) -> NDArray[np.float64]:
    """Cosine similarity of all pairs of sentences, over words weighted by inverse sentence frequency."""
    counts = [Counter(tokenize(line)) for line in lines]
    frequency = Counter(word for count in counts for word in count)
    column = {word: index for index, word in enumerate(frequency)}
    matrix = np.zeros((len(lines), max(len(column), 1)))
    for row, count in enumerate(counts):
        for word, times in count.items():
            matrix[row, column[word]] = times * np.log(1 + len(lines) / frequency[word])
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = matrix / np.where(norms == 0, 1, norms)
    cosines: NDArray[np.float64] = matrix @ matrix.T
    return cosines


def _centrality(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean similarity to the other sentences, with a small bonus for earlier ones to break ties."""
    count = len(similarity)
    if count == 1:
        return np.ones(1)
    mean: NDArray[np.float64] = (similarity.sum(axis=1) - similarity.diagonal()) / (count - 1)
    return mean / max(float(mean.max()), 1e-9) + np.linspace(0.05, 0.0, count)


def is_markdown_heading(sentence: str) -> bool:
    """Whether a sentence is a Markdown heading, which names a topic but states nothing."""
    return sentence.startswith("#")


def is_probably_heading(sentence: str) -> bool:
    """Whether a line is a heading: marked as one, or short, without a digit and without an end mark."""
    short = len(sentence) <= SHORT and not re.search(r"\d|[.!?。！？…”\"]$", sentence)
    return is_markdown_heading(sentence) or short


def _flat(text: str) -> str:
    return " ".join(text.split())
