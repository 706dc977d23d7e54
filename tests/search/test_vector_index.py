from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.search.vector_index import VectorIndex

NUMBERS = st.floats(-1, 1, width=32)
CHANGES = st.lists(st.tuples(st.integers(0, 9), st.none() | st.lists(NUMBERS, min_size=3, max_size=3)), max_size=40)


@given(CHANGES)
def test_scores_are_those_of_the_vectors_there_are_now(changes: list[tuple[int, list[float] | None]]) -> None:
    index, there = VectorIndex(3), {}
    for number, vector in changes:
        item_id = f"n{number}"
        if vector is not None:
            index.set(item_id, vector)
            there[item_id] = np.array(vector, dtype=np.float32)
        elif item_id in there:
            index.remove(item_id)
            del there[item_id]
    assert set(index.ids) == set(there)
    assert len(index) == len(there)
    query = np.array([0.6, -0.8, 0.1], dtype=np.float32)
    expected = [float(there[item_id] @ query) for item_id in index.ids]
    np.testing.assert_allclose(index.scores(query), expected, atol=1e-6)
    for item_id, vector in there.items():
        assert (index[item_id] == vector).all()


def test_growing_keeps_what_was_there_and_copies_seldom() -> None:
    index = VectorIndex(2)
    matrices = set()
    for number in range(1000):
        index.set(f"n{number}", [number, 1])
        matrices.add(id(index._matrix))
    assert index.scores([1, 0]).tolist() == list(range(1000))
    assert len(matrices) <= 5  # 64, 128, 256, 512, 1024


@settings(deadline=None)
@given(st.integers(1, 70), st.randoms(use_true_random=False))
def test_a_score_does_not_depend_on_its_row(size: int, chance: random.Random) -> None:
    """Copies of a document must tie exactly, and a resumed session must compute the same scores."""
    vectors = np.random.default_rng(size).standard_normal((size, 384)).astype(np.float32)
    places = list(range(size))
    chance.shuffle(places)
    index = VectorIndex(384)
    for place in places:
        index.set(f"n{place}", vectors[place])
    alone = VectorIndex(384)
    alone.set("n0", vectors[0])
    scores = dict(zip(index.ids, index.scores(vectors[-1]).tolist(), strict=True))
    assert scores["n0"] == alone.scores(vectors[-1])[0]


@pytest.mark.parametrize("vector", [[1.0, 2.0], [[1.0, 2.0, 3.0]], [1.0, float("nan"), 0.0], [1.0, float("inf"), 0]])
def test_a_vector_that_does_not_fit_is_refused_and_changes_nothing(vector: list[float]) -> None:
    index = VectorIndex(3)
    with pytest.raises(ValueError, match="vector"):
        index.set("n1", vector)
    assert len(index) == 0
    with pytest.raises(ValueError, match="vector"):
        index.scores(vector)


def test_an_unknown_id_has_no_vector() -> None:
    with pytest.raises(KeyError):
        VectorIndex(3)["n1"]
    with pytest.raises(KeyError):
        VectorIndex(3).remove("n1")


def test_a_vector_handed_out_is_a_copy() -> None:
    index = VectorIndex(2)
    index.set("n1", [1, 0])
    index["n1"][0] = 5
    assert index["n1"].tolist() == [1, 0]
