from __future__ import annotations

import pytest

from memory_bank.app.evaluation import bench_retrieval
from memory_bank.app.evaluation.bench_retrieval import retrieval_figures
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalIndex
from memory_bank.text.tokens import tokenize

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    figures = retrieval_figures(scale=0.02)
    assert [figure.target for figure in figures] == [">= 30", "<= 1.5", "<= 3", "<= 200 MB", "<= 3"]
    assert all(figure.value > 0 for figure in figures)
    assert all(figure.reference is None or figure.reference > 0 for figure in figures)


def test_the_reference_finds_what_the_index_finds() -> None:
    """Otherwise the benchmark would compare different things."""
    corpus = bench_retrieval._make_corpus(60)
    index = RetrievalIndex(HashEmbedder(384), corpus.describe)
    for number in range(60):
        index.mark(str(number))
    hits = index.retrieve(corpus.queries[59], vector=corpus.query_vectors[59])
    expected = bench_retrieval._reference_retrieval(corpus, [tokenize(text) for text in corpus.texts])
    assert [hit.id for hit in hits[:4]] == [
        str(number) for number in expected[:4]
    ]  # it scales by distance, not by rank
