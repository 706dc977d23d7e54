from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from rank_bm25 import BM25Okapi

from memory_bank.search.keyword_index import KeywordIndex

WORDS = "abcdef"
TOKENS = st.lists(st.sampled_from(WORDS), max_size=8)
QUERIES = [["a"], ["b", "b", "z"], list(WORDS), []]


def assert_scores_of_bm25okapi(index: KeywordIndex, documents: list[list[str]], queries: list[list[str]]) -> None:
    assert len(index) == len(documents)
    if not any(documents):  # BM25Okapi divides by zero here
        assert not index.scores(["a"])[0].any()
        return
    reference = BM25Okapi(documents)
    for query in queries:
        scores, matching = index.scores(query)
        np.testing.assert_allclose(scores, reference.get_scores(query), rtol=1e-9, atol=1e-9)
        assert matching.tolist() == [bool(set(query) & set(tokens)) for tokens in documents]


def removed(documents: list[list[str]], row: int) -> None:
    """The last document moves into the row."""
    last = documents.pop()
    if row < len(documents):
        documents[row] = last


class AgainstBm25Okapi(RuleBasedStateMachine):
    """After any changes the scores are those of an index built from the remaining documents."""

    def __init__(self) -> None:
        super().__init__()
        self.index = KeywordIndex()
        self.documents: list[list[str]] = []

    @rule(tokens=TOKENS)
    def add(self, tokens: list[str]) -> None:
        self.index.set(len(self.documents), tokens)
        self.documents.append(tokens)

    @precondition(lambda self: self.documents)
    @rule(data=st.data(), tokens=st.none() | TOKENS)
    def change(self, data: st.DataObject, tokens: list[str] | None) -> None:
        row = data.draw(st.integers(0, len(self.documents) - 1))
        if tokens is None:
            self.index.remove(row)
            removed(self.documents, row)
        else:
            self.index.set(row, tokens)
            self.documents[row] = tokens

    @invariant()
    def scores_agree(self) -> None:
        assert_scores_of_bm25okapi(self.index, self.documents, QUERIES)


TestAgainstBm25Okapi = AgainstBm25Okapi.TestCase


def test_scores_agree_on_a_large_changing_collection() -> None:
    chance = np.random.default_rng(7)
    vocabulary = [f"w{number}" for number in range(300)]
    weights = 1 / np.arange(1, 301)

    def some_words(count: int) -> list[str]:
        return chance.choice(vocabulary, count, p=weights / weights.sum()).tolist()

    index, documents = KeywordIndex(), list[list[str]]()
    for step in range(1500):
        row = int(chance.integers(300))
        if row < len(documents) and step % 3 == 0:
            index.remove(row)
            removed(documents, row)
        else:
            tokens = some_words(int(chance.integers(60)))
            row = min(row, len(documents))
            index.set(row, tokens)
            documents[row : row + 1] = [tokens]
    assert_scores_of_bm25okapi(index, documents, [*QUERIES, some_words(12)])  # with repetitions


@given(st.lists(TOKENS, min_size=1, max_size=6), st.randoms())
def test_the_way_to_a_collection_leaves_no_trace_in_the_scores(
    documents: list[list[str]], chance: random.Random
) -> None:
    """Equal to the last bit: a resumed session must rank as the interrupted one would have."""
    straight, crooked = KeywordIndex(), KeywordIndex()
    for row, tokens in enumerate(documents):
        straight.set(row, tokens)
        crooked.set(row, ["b"])
    for row in range(len(documents)):
        crooked.set(len(documents) + row, ["a", *documents[row]])
    steps = [lambda: crooked.remove(len(documents))] * len(documents)
    steps += [lambda row=row: crooked.set(row, documents[row]) for row in range(len(documents))]
    chance.shuffle(steps)
    for step in steps:
        step()
    for query in QUERIES:
        assert crooked.scores(query)[0].tolist() == straight.scores(query)[0].tolist()
