"""`bench`, part `retrieval`: the retrieval index against references of the same run (issue "the whole loop").

The nodes are synthetic: 80 pseudo-words each, drawn by Zipf's law from a vocabulary, and random unit vectors of 384
numbers. No model is loaded, since the vectors are given on both sides. Our time includes tokenising every text; the
reference is given the tokens.
"""

from __future__ import annotations

import statistics
import tracemalloc
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from memory_bank.app.evaluation.figures import Figure, Pairs, growth, near, seconds, unit, without_full_gc
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.keyword_index import KeywordIndex
from memory_bank.search.retrieval import NodeText, RetrievalIndex
from memory_bank.text.tokens import tokenize

_DIMENSION = 384
_VOCABULARY = 20_000
_WORDS_IN_NODE = 80
_WORDS_IN_QUERY = 12
_ALPHA = 0.5
_REFERENCE_STEPS = 20
_BUILDS, _ROUNDS = 5, 7


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
    """Measure the figures of the retrieval index; about two minutes on two cores.

    `scale` multiplies the numbers of nodes (1,000 to 100,000), for a quick run; the targets hold for scale 1.
    """
    corpus = _make_corpus(round(10_000 * scale))
    for text in corpus.texts:
        tokenize(text)  # fills the cache of stems: the first use of a word is not to be measured
    large, small, few = (round(nodes * scale) for nodes in (10_000, 1_000, 2_000))
    tokens = [tokenize(text) for text in corpus.texts[:few]]
    one_by_one = Pairs.of(_one_by_one_costs(corpus, tokens) for _ in range(_BUILDS))
    adding = Pairs.of((growth(lambda: nullcontext(_Growing(corpus)), small, large) for _ in range(_BUILDS)), 1e6)
    return [
        Figure.of(
            f"{few:,} nodes added one by one with a hybrid retrieval after each", "s", one_by_one, ("faster", 30)
        ),
        Figure.of(f"adding one node at {large:,} nodes, against at {small:,}", "µs", adding, ("within", 1.5)),
        _retrieval_time(corpus),
        _memory(corpus),
        _retrieval_time(_make_corpus(round(100_000 * scale))),
    ]


def _one_by_one_costs(corpus: _Corpus, tokens: list[list[str]]) -> tuple[float, float]:
    """Add nodes one by one, with a hybrid retrieval after each.

    At every step the reference does what the published system does: it rebuilds BM25Okapi over all nodes and computes
    cosines node by node in Python. It runs at some of the steps only, between ours; the time of the others is
    interpolated, as the cost of a step grows linearly with the number of nodes.
    """
    index = RetrievalIndex(HashEmbedder(_DIMENSION), corpus.describe)
    steps = np.linspace(0, len(tokens) - 1, _REFERENCE_STEPS).astype(int)
    spent, references = 0.0, []
    with without_full_gc():
        for number in range(len(tokens)):
            spent += seconds(partial(_add_and_retrieve, index, corpus, number))
            if number in steps:
                references.append(seconds(partial(_reference_retrieval, corpus, tokens[: number + 1])))
    return spent, float(np.interp(np.arange(len(tokens)), np.unique(steps), references).sum())


def _add_and_retrieve(index: RetrievalIndex, corpus: _Corpus, number: int) -> None:
    index.mark(str(number))
    index.retrieve(corpus.queries[number], vector=corpus.query_vectors[number])


def _reference_retrieval(corpus: _Corpus, tokens: list[list[str]]) -> list[int]:
    """Rebuild the index, score node by node, combine the scores, and return the best five nodes."""
    last = len(tokens) - 1
    keyword = _min_max([float(score) for score in BM25Okapi(tokens).get_scores(tokenize(corpus.queries[last]))])
    query = corpus.query_vectors[last]
    cosines = []
    for vector in corpus.vectors[: last + 1]:
        cosines.append(float(np.dot(query, vector) / (np.linalg.norm(query) * np.linalg.norm(vector))))  # noqa: PERF401
    meaning = _min_max(cosines)
    scores = [_ALPHA * a + (1 - _ALPHA) * b for a, b in zip(keyword, meaning, strict=True)]
    return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)[:5]


def _min_max(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


class _Growing:
    """An index to which the nodes of a corpus are added one by one."""

    def __init__(self, corpus: _Corpus) -> None:
        self._index = RetrievalIndex(HashEmbedder(_DIMENSION), corpus.describe)
        self._numbers = count()

    def add(self, nodes: int) -> None:
        """Add this number of nodes."""
        for number in islice(self._numbers, nodes):
            self._index.mark(str(number))
            self._index.refresh()


def _retrieval_time(corpus: _Corpus) -> Figure:
    """One hybrid retrieval, against one matrix–vector product and one inverted-index scoring of the same query."""
    index = RetrievalIndex(HashEmbedder(_DIMENSION), corpus.describe)
    keywords = KeywordIndex()
    for number, text in enumerate(corpus.texts):
        index.mark(str(number))
        keywords.set(number, tokenize(text))
    index.retrieve(corpus.queries[0], vector=corpus.query_vectors[0])

    def costs() -> tuple[float, float]:
        ours, bare = [], []
        for query, vector in zip(corpus.queries[:50], corpus.query_vectors[:50], strict=True):
            tokens = tokenize(query)
            ours.append(seconds(partial(index.retrieve, query, vector=vector)))
            bare.append(seconds(partial(np.vecdot, corpus.vectors, vector)) + seconds(partial(keywords.scores, tokens)))
        return statistics.median(ours), statistics.median(bare)

    name = f"hybrid retrieval at {len(corpus.texts):,} nodes, against its bare arithmetic"
    return Figure.of(name, "µs", Pairs.of((costs() for _ in range(_ROUNDS)), 1e6), ("within", 3))


def _memory(corpus: _Corpus) -> Figure:
    """Memory of both indices with all their rows, without the texts."""
    tracemalloc.start()
    index = _Growing(corpus)
    index.add(len(corpus.texts))
    megabytes = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
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
