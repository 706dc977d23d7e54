"""BM25 index of documents that can be added, changed and removed.

The scores equal those of `rank_bm25.BM25Okapi` over the tokens of the current documents, whatever was added or
removed before. What BM25Okapi computes from the whole corpus is kept here up to date, so that adding, changing or
removing a document costs time in proportion to that document only.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

# BM25Okapi's own defaults.
_K1 = 1.5
_B = 0.75
_EPSILON = 0.25


class KeywordIndex:
    """An inverted index with BM25 scores; documents have rows, 0 to n - 1. Not safe for several threads at once."""

    def __init__(self) -> None:
        self._terms: list[tuple[str, ...]] = []  # of each document
        self._lengths = array("i")
        self._postings: defaultdict[str, dict[int, int]] = defaultdict(dict)  # how often each row holds a term
        self._terms_with_frequency: Counter[int] = Counter()  # by the number of documents that hold them
        self._average_idf: float | None = None

    def __len__(self) -> int:
        return len(self._terms)

    def set(self, row: int, tokens: Sequence[str]) -> None:
        """Replace the tokens of a document; the row after the last is a new one."""
        if row == len(self):
            self._terms.append(())
            self._lengths.append(0)
        self._clear(row)
        counts = Counter(tokens)
        for term, count in counts.items():
            postings = self._postings[term]
            self._note_frequency(len(postings), len(postings) + 1)
            postings[row] = count
        self._terms[row], self._lengths[row] = tuple(counts), len(tokens)

    def remove(self, row: int) -> None:
        """Remove a document; the last one moves into its row."""
        self._clear(row)
        terms, length = self._terms.pop(), self._lengths.pop()
        if row != len(self):
            for term in terms:
                self._postings[term][row] = self._postings[term].pop(len(self))
            self._terms[row], self._lengths[row] = terms, length

    def scores(self, tokens: Iterable[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Every document's BM25 score for the query tokens, and whether it holds any of them; each of shape (n,).

        A repeated query term counts each time. As in BM25Okapi, a term that more than half of the documents hold
        has a quarter of the average weight, which can be negative when there are only a few documents.
        """
        scores, matching = np.zeros(len(self)), np.zeros(len(self), dtype=bool)
        lengths = np.frombuffer(self._lengths, dtype=np.intc)
        saturation = lengths * (_K1 * _B * len(self) / max(lengths.sum(), 1))
        saturation += _K1 * (1 - _B)
        for term, query_count in Counter(tokens).items():
            if term in self._postings:
                postings = self._postings[term]
                rows = np.fromiter(postings.keys(), np.intp, len(postings))
                counts = np.fromiter(postings.values(), np.intp, len(postings))
                weight = query_count * self._idf(len(rows)) * (_K1 + 1)
                scores[rows] += weight * counts / (counts + saturation[rows])
                matching[rows] = True
        return scores, matching

    def _clear(self, row: int) -> None:
        for term in self._terms[row]:
            postings = self._postings[term]
            self._note_frequency(len(postings), len(postings) - 1)
            del postings[row]
            if not postings:
                del self._postings[term]
        self._terms[row], self._lengths[row] = (), 0
        self._average_idf = None

    def _note_frequency(self, before: int, after: int) -> None:
        self._terms_with_frequency[before] -= 1
        self._terms_with_frequency[after] += 1

    def _idf(self, frequency: int) -> float:
        """Return BM25Okapi's idf of a term that `frequency` documents hold, including its floor."""
        idf = self._plain_idf(frequency)
        return idf if idf >= 0 else _EPSILON * self._mean_idf()

    def _plain_idf(self, frequency: int) -> float:
        return math.log(len(self) - frequency + 0.5) - math.log(frequency + 0.5)

    def _mean_idf(self) -> float:
        """Return the vocabulary's average idf without the floor; terms of equal frequency are summed together."""
        if self._average_idf is None:
            # fsum: its result does not depend on the order of the terms, which depends on the history of changes
            idf_sums = (
                terms * self._plain_idf(held) for held, terms in self._terms_with_frequency.items() if held and terms
            )
            self._average_idf = math.fsum(idf_sums) / len(self._postings)
        return self._average_idf
