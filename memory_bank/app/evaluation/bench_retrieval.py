"""`bench`, part `retrieval`: the retrieval index against references of the same run.

The nodes are synthetic: 80 pseudo-words each, drawn by Zipf's law from a vocabulary, and random unit vectors of 384
numbers. No model is loaded, since the vectors are given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from memory_bank.app.evaluation.figures import Figure, Pairs, growth, near, time_alternating, traced_memory, unit
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.keyword_index import KeywordIndex
from memory_bank.search.retrieval import NodeText, RetrievalIndex
from memory_bank.text.tokens import tokenize

_DIMENSION = 384
_VOCABULARY = 20_000
_WORDS_IN_NODE = 80
_WORDS_IN_QUERY = 12
_BUILDS, _ROUNDS, _QUERIES = 5, 7, 50


@dataclass(frozen=True)
class _Corpus:
    """Node texts and vectors, and a query for each node made of words of its text and a vector near its own."""

    texts: list[str]
    vectors: NDArray[np.float32]
    queries: list[str]
    query_vectors: NDArray[np.float32]

    def describe(self, node_id: str) -> NodeText:
        number = int(node_id)
        return NodeText(self.texts[number], self.vectors[number])


def retrieval_figures(scale: float = 1.0) -> list[Figure]:
    """Measure the figures of the retrieval index.

    `scale` multiplies the numbers of nodes (1,000 to 100,000), for a quick run; the targets hold for scale 1.
    """
    corpus = _make_corpus(round(10_000 * scale))
    for text in corpus.texts:
        tokenize(text)  # fills the cache of stems: the first use of a word is not to be measured
    large, small = round(10_000 * scale), round(1_000 * scale)
    adding = Pairs.of((growth(lambda: _adding(corpus), small, large) for _ in range(_BUILDS)), 1e6)
    return [
        Figure.of(f"adding one node at {large:,} nodes, against at {small:,}", "µs", adding, ("within", 1.5)),
        _retrieval_time(corpus),
        _memory(corpus),
        _retrieval_time(_make_corpus(round(100_000 * scale))),
    ]


def _adding(corpus: _Corpus) -> Callable[[int], None]:
    """A function that adds so many further nodes of a corpus to an index, one by one."""
    index, numbers = RetrievalIndex(HashEmbedder(_DIMENSION), corpus.describe), count()

    def add(nodes: int) -> None:
        for number in islice(numbers, nodes):
            index.mark(str(number))
            index.refresh()

    return add


def _retrieval_time(corpus: _Corpus) -> Figure:
    """Some hybrid retrievals, against the matrix–vector product and the inverted-index scoring of the same queries."""
    index = RetrievalIndex(HashEmbedder(_DIMENSION), corpus.describe)
    keywords = KeywordIndex()
    for number, text in enumerate(corpus.texts):
        index.mark(str(number))
        keywords.set(number, tokenize(text))
    index.retrieve(corpus.queries[0], vector=corpus.query_vectors[0])
    queries = list(zip(corpus.queries[:_QUERIES], corpus.query_vectors[:_QUERIES], strict=True))

    def retrieve() -> None:
        for query, vector in queries:
            index.retrieve(query, vector=vector)

    def compute() -> None:
        for query, vector in queries:
            np.vecdot(corpus.vectors, vector)
            keywords.scores(tokenize(query))

    name = f"hybrid retrieval at {len(corpus.texts):,} nodes, against its bare arithmetic"
    return Figure.of(name, "µs", time_alternating(retrieve, compute, _ROUNDS, 1e6 / len(queries)), ("within", 3))


def _memory(corpus: _Corpus) -> Figure:
    """Memory of both indices with all their rows, without the texts."""
    add = _adding(corpus)
    megabytes = traced_memory(partial(add, len(corpus.texts)))
    return Figure.of(f"memory of the retrieval index at {len(corpus.texts):,} nodes", "MB", megabytes, ("most", 200))


def _make_corpus(count: int) -> _Corpus:
    rng = np.random.default_rng(20240101)
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwz" for vowel in "aeiou"]
    vocabulary = np.array(["".join(rng.choice(syllables, size)) for size in rng.integers(2, 5, size=_VOCABULARY)])
    frequency = 1 / np.arange(1, _VOCABULARY + 1)
    drawn = rng.choice(vocabulary, (count, _WORDS_IN_NODE), p=frequency / frequency.sum())
    vectors = unit(rng.standard_normal((count, _DIMENSION)))
    return _Corpus(
        texts=[" ".join(words) for words in drawn],
        vectors=vectors,
        queries=[" ".join(words[:_WORDS_IN_QUERY]) for words in drawn],
        query_vectors=near(rng, vectors),
    )
