"""The relevance of texts to questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.relevance import Relevance, weighted_overlap

ASKED = ("When was Beacon Mill last worked?",)
TEXTS = [
    "Harlow Mill was last worked in 1899.",
    "Beacon Mill was last worked in 1921.",
    "Harlow Mill was painted white.",
    "Sheep graze on the hill.",
]


class Counting(HashEmbedder):
    """Records the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return super().embed(texts)


def order(asked: Sequence[str], texts: Sequence[str]) -> list[int]:
    return [int(place) for place in np.argsort(-Relevance(asked, HashEmbedder()).of(texts), kind="stable")]


def test_what_answers_comes_before_what_is_about_the_same() -> None:
    assert order(ASKED, TEXTS) == [1, 0, 2, 3]


def test_a_rare_word_weighs_more_than_one_that_all_have() -> None:
    texts = [
        f"The mill of {name} was last worked in the year 17{number}." for number, name in enumerate(("A", "B"), 10)
    ]
    shared = weighted_overlap("the mill that was last worked in 1711, or 1711 at B", [*texts, "1711, B"])
    assert shared[1] > shared[0]
    assert weighted_overlap("Beacon", ["Beacon", "Beacon Mill", "Mill"]).tolist() == [1.0, 1.0, 0.0]


def test_a_common_word_is_little_where_none_has_the_rare_one() -> None:
    assert weighted_overlap("Beacon Mill", ["The mill.", "A mill."]).max() < 0.4


def test_any_of_several_questions_counts() -> None:
    assert set(order(("Where do sheep graze?", *ASKED), TEXTS)[:2]) == {3, 1}


@pytest.mark.parametrize("asked", ["灯塔磨坊最后一次运转是哪一年？"])
def test_chinese_is_told_apart_by_its_words(asked: str) -> None:
    assert order((asked,), ["羊在山上吃草。", "灯塔磨坊最后一次运转是1921年。", "白马磨坊是白色的。"]) == [1, 2, 0]


def test_a_text_is_embedded_once_however_often_it_comes() -> None:
    embedder = Counting()
    relevance = Relevance(ASKED, embedder)
    first = relevance.of(TEXTS[:3])
    assert relevance.of([*TEXTS, *TEXTS]).tolist()[:3] != []
    assert [embedder.embedded.count(text) for text in TEXTS] == [1] * 4
    assert first.tolist() == Relevance(ASKED, HashEmbedder()).of(TEXTS[:3]).tolist()


@given(st.lists(st.text(max_size=20), max_size=6), st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_it_is_a_share_of_whatever_is_written(texts: list[str], asked: list[str]) -> None:
    for found in (Relevance(asked, HashEmbedder()).of(texts), weighted_overlap(" ".join(asked), texts)):
        assert found.shape == (len(texts),)
        assert ((found >= 0) & (found <= 1 + 1e-9)).all()
