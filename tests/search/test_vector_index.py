from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.search.vector_index import VectorIndex

NOTHING = np.empty(0, dtype=np.intp)


def test_growing_keeps_what_was_there_and_copies_seldom() -> None:
    index = VectorIndex(2)
    matrices = set()
    for number in range(1000):
        index.set(number, np.array([number, 1]))
        matrices.add(id(index._matrix))
    assert index.scores_of(np.arange(1000), np.array([1, 0])).tolist() == list(range(1000))
    assert len(matrices) <= 5  # 64, 128, 256, 512, 1024


@settings(deadline=None)
@given(st.integers(1, 70), st.randoms(use_true_random=False))
def test_a_score_does_not_depend_on_its_row(size: int, chance: random.Random) -> None:
    """Copies of a document must tie exactly, and a resumed session must compute the same scores."""
    vectors = np.random.default_rng(size).standard_normal((size, 384)).astype(np.float32)
    places = list(range(size))
    chance.shuffle(places)
    index, alone = VectorIndex(384), VectorIndex(384)
    for row, place in enumerate(places):
        index.set(row, vectors[place])
    alone.set(0, vectors[0])
    row = np.array([places.index(0)])
    assert index.scores_of(row, vectors[-1]) == alone.scores_of(np.array([0]), vectors[-1])
    assert (index.nearest(vectors[0], 1, NOTHING) == row).all()
