"""BM25 index of documents that can be added, changed and removed.

The scores equal those of `rank_bm25.BM25Okapi` over the tokens of the current documents, whatever was added or
removed before. What BM25Okapi computes from the whole corpus is kept here as running sums, so that adding, changing
or removing a document costs time in proportion to that document only.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.search.row_table import RowTable

# BM25Okapi's own defaults.
_K1 = 1.5
_B = 0.75
_EPSILON = 0.25


class _Postings:
    """The documents that hold one term, in parallel columns: row, count, and place in the document's `postings`."""

    __slots__ = ("counts", "places", "rows", "term")

    def __init__(self, term: str) -> None:
        self.term = term
        self.rows = array("i")
        self.counts = array("i")
        self.places = array("i")


class _Document:
    """The postings of a document's terms, and the document's position in each."""

    __slots__ = ("positions", "postings")

    def __init__(self) -> None:
        self.postings: list[_Postings] = []
        self.positions = array("i")


class KeywordIndex:
    """An inverted index with BM25 scores. Not safe for use from several threads at once."""

    def __init__(self) -> None:
        self._table = RowTable()
        self._documents: list[_Document] = []
        self._lengths = array("i")
        self._total_length = 0
        self._postings: dict[str, _Postings] = {}
        self._terms_with_frequency = array("i", [0])  # by document frequency; the entry of 0 is meaningless
        self._average_idf: float | None = None

    @property
    def ids(self) -> Sequence[str]:
        """The ids in the order of `scores`."""
        return self._table.ids

    def __len__(self) -> int:
        return len(self._table)

    def row(self, document_id: str) -> int | None:
        """Return a document's position in `scores`, or None if it is not in the index."""
        return self._table.get(document_id)

    def set(self, document_id: str, tokens: Sequence[str]) -> None:
        """Add a document, or replace the tokens of one in the index."""
        row = self._table.get(document_id)
        if row is None:
            row = self._table.add(document_id)
            self._documents.append(_Document())
            self._lengths.append(0)
        else:
            self._clear(row)
        self._fill(row, tokens)

    def remove(self, document_id: str) -> None:
        """Remove a document; the last row moves into its place. `KeyError` if it is not in the index."""
        row, last = self._table.remove(document_id)
        self._clear(row)
        document = self._documents.pop()
        length = self._lengths.pop()
        if row != last:
            self._documents[row] = document
            self._lengths[row] = length
            for postings, position in zip(document.postings, document.positions, strict=True):
                postings.rows[position] = row

    def scores(self, tokens: Iterable[str]) -> NDArray[np.float64]:
        """Return every document's BM25 score for the query tokens: float64 of shape (n,), in the order of `ids`.

        A repeated query term counts each time. As in BM25Okapi, a term that more than half of the documents hold
        has a quarter of the average weight, which can be negative when there are only a few documents.
        """
        scores = np.zeros(len(self))
        if not self._total_length:
            return scores
        lengths = np.frombuffer(self._lengths, dtype=np.intc)
        saturation = lengths * (_K1 * _B * len(self) / self._total_length)
        saturation += _K1 * (1 - _B)
        for term, query_count in Counter(tokens).items():
            postings = self._postings.get(term)
            if postings is not None:
                rows = np.frombuffer(postings.rows, dtype=np.intc)
                counts = np.frombuffer(postings.counts, dtype=np.intc)
                weight = query_count * self._idf(len(rows)) * (_K1 + 1)
                scores[rows] += weight * counts / (counts + saturation[rows])
        return scores

    def matching(self, tokens: Iterable[str]) -> NDArray[np.bool_]:
        """Return which documents hold at least one of the tokens: bool of shape (n,), in the order of `ids`."""
        matching = np.zeros(len(self), dtype=bool)
        for term in tokens:
            postings = self._postings.get(term)
            if postings is not None:
                matching[np.frombuffer(postings.rows, dtype=np.intc)] = True
        return matching

    def _fill(self, row: int, tokens: Sequence[str]) -> None:
        document, histogram = self._documents[row], self._terms_with_frequency
        for place, (term, count) in enumerate(Counter(tokens).items()):
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = _Postings(term)
            frequency = len(postings.rows)
            document.postings.append(postings)
            document.positions.append(frequency)
            postings.rows.append(row)
            postings.counts.append(count)
            postings.places.append(place)
            if frequency + 1 == len(histogram):
                histogram.append(0)
            histogram[frequency] -= 1
            histogram[frequency + 1] += 1
        self._lengths[row] = len(tokens)
        self._total_length += len(tokens)
        self._average_idf = None

    def _clear(self, row: int) -> None:
        document = self._documents[row]
        for postings, position in zip(document.postings, document.positions, strict=True):
            self._unlink(postings, position)
        self._documents[row] = _Document()
        self._total_length -= self._lengths[row]
        self._lengths[row] = 0
        self._average_idf = None

    def _unlink(self, postings: _Postings, position: int) -> None:
        """Remove a posting: the term's last posting takes its place, and the position in that document is updated."""
        row, count, place = postings.rows.pop(), postings.counts.pop(), postings.places.pop()
        if position < len(postings.rows):
            postings.rows[position] = row
            postings.counts[position] = count
            postings.places[position] = place
            self._documents[row].positions[place] = position
        if not postings.rows:
            del self._postings[postings.term]
        self._terms_with_frequency[len(postings.rows) + 1] -= 1
        self._terms_with_frequency[len(postings.rows)] += 1

    def _idf(self, frequency: int) -> float:
        """Return BM25Okapi's idf of a term that `frequency` documents hold, including its floor."""
        idf = math.log(len(self) - frequency + 0.5) - math.log(frequency + 0.5)
        return idf if idf >= 0 else _EPSILON * self._mean_idf()

    def _mean_idf(self) -> float:
        """Return the vocabulary's average idf without the floor; terms of equal frequency are summed together."""
        if self._average_idf is None:
            terms = np.frombuffer(self._terms_with_frequency, dtype=np.intc)[1:]
            frequencies = np.flatnonzero(terms) + 1
            terms = terms[frequencies - 1]
            idf = np.log(len(self) - frequencies + 0.5) - np.log(frequencies + 0.5)
            # fsum: its result does not depend on the order of the terms, which depends on the history of changes
            self._average_idf = math.fsum((terms * idf).tolist()) / len(self._postings)
        return self._average_idf
