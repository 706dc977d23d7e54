from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from rank_bm25 import BM25Okapi

from memory_bank.search.keyword_index import KeywordIndex

WORDS = "abcdef"
TOKENS = st.lists(st.sampled_from(WORDS), max_size=8)
QUERIES = [["a"], ["b", "b", "z"], list(WORDS), []]


def assert_scores_of_bm25okapi(index: KeywordIndex, documents: dict[str, list[str]]) -> None:
    assert set(index.ids) == set(documents)
    assert len(index) == len(documents)
    if not any(documents.values()):  # BM25Okapi divides by zero here
        assert not index.scores(["a"]).any()
        return
    reference = BM25Okapi([documents[document_id] for document_id in index.ids])
    for query in QUERIES:
        np.testing.assert_allclose(index.scores(query), reference.get_scores(query), rtol=1e-9, atol=1e-9)


class AgainstBm25Okapi(RuleBasedStateMachine):
    """After any changes the scores are those of an index built from the remaining documents."""

    def __init__(self) -> None:
        super().__init__()
        self.index = KeywordIndex()
        self.documents: dict[str, list[str]] = {}

    @rule(number=st.integers(0, 6), tokens=TOKENS)
    def set(self, number: int, tokens: list[str]) -> None:
        self.index.set(f"n{number}", tokens)
        self.documents[f"n{number}"] = tokens

    @precondition(lambda self: self.documents)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        document_id = data.draw(st.sampled_from(sorted(self.documents)))
        self.index.remove(document_id)
        del self.documents[document_id]

    @invariant()
    def scores_agree(self) -> None:
        assert_scores_of_bm25okapi(self.index, self.documents)

    @invariant()
    def matching_documents_are_those_with_a_query_word(self) -> None:
        expected = [bool({"a", "b"} & set(self.documents[document_id])) for document_id in self.index.ids]
        assert self.index.matching(["a", "b", "z"]).tolist() == expected


TestAgainstBm25Okapi = AgainstBm25Okapi.TestCase


def test_scores_agree_on_a_large_changing_collection() -> None:
    chance = np.random.default_rng(7)
    vocabulary = [f"w{number}" for number in range(300)]
    weights = 1 / np.arange(1, 301)

    def some_words(count: int) -> list[str]:
        return chance.choice(vocabulary, count, p=weights / weights.sum()).tolist()

    index, documents = KeywordIndex(), {}
    for step in range(1500):
        document_id = f"n{chance.integers(300)}"
        if document_id in documents and step % 3 == 0:
            index.remove(document_id)
            del documents[document_id]
        else:
            documents[document_id] = some_words(int(chance.integers(60)))
            index.set(document_id, documents[document_id])
    assert_scores_of_bm25okapi(index, documents)
    reference = BM25Okapi([documents[document_id] for document_id in index.ids])
    query = some_words(12)  # with repetitions
    np.testing.assert_allclose(index.scores(query), reference.get_scores(query), rtol=1e-9, atol=1e-9)


@given(st.lists(TOKENS, min_size=1, max_size=6), st.randoms())
def test_the_way_to_a_collection_leaves_no_trace_in_the_scores(
    documents: list[list[str]], chance: random.Random
) -> None:
    """Equal to the last bit: a resumed session must rank as the interrupted one would have."""
    straight, crooked = KeywordIndex(), KeywordIndex()
    for number, tokens in enumerate(documents):
        straight.set(f"n{number}", tokens)
        crooked.set(f"gone{number}", ["a", *tokens])
        crooked.set(f"n{number}", ["b"])
    steps = [lambda number=number: crooked.remove(f"gone{number}") for number in range(len(documents))]
    steps += [lambda number=number: crooked.set(f"n{number}", documents[number]) for number in range(len(documents))]
    chance.shuffle(steps)
    for step in steps:
        step()
    for query in QUERIES:
        expected = dict(zip(straight.ids, straight.scores(query).tolist(), strict=True))
        assert dict(zip(crooked.ids, crooked.scores(query).tolist(), strict=True)) == expected


def test_a_removed_document_leaves_nothing_behind() -> None:
    index = KeywordIndex()
    index.set("n1", ["a", "b", "b"])
    index.remove("n1")
    assert index.row("n1") is None
    assert index.scores(["a"]).shape == (0,)
    index.set("n2", ["c"])
    assert not index.matching(["a", "b"]).any()


def test_an_unknown_document_cannot_be_removed() -> None:
    with pytest.raises(KeyError):
        KeywordIndex().remove("n1")
