from __future__ import annotations

import numpy as np
import pytest

from memory_bank.search.vector_index import VectorIndex


def vectors(count: int, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    topics = chance.standard_normal((20, 32))
    found = topics[chance.integers(0, 20, count)] + chance.standard_normal((count, 32))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def filled(matrix: np.ndarray, approximate_from: int) -> VectorIndex:
    index = VectorIndex(matrix.shape[1], approximate_from=approximate_from)
    for number, vector in enumerate(matrix):
        index.set(f"n{number}", vector)
    return index


def recall(exact: VectorIndex, quick: VectorIndex, queries: np.ndarray) -> float:
    near = [({*np.array(i.ids)[i.nearest(q, 10)]} for i in (exact, quick)) for q in queries]
    return float(np.mean([len(one & other) / 10 for one, other in near]))


def test_nearly_all_of_the_nearest_are_found() -> None:
    matrix = vectors(3000)
    assert recall(filled(matrix, 10_000), filled(matrix, 100), matrix[:50] + 0.5 * vectors(50, seed=1)) > 0.95


def test_what_changes_afterwards_is_found_too() -> None:
    """Rows are added, replaced, removed and moved after the cells were built, and then the cells are rebuilt."""
    matrix, changed = vectors(3000), vectors(3000, seed=2)
    exact, quick = filled(matrix[:1000], 10_000), filled(matrix[:1000], 100)
    quick.nearest(matrix[0], 1)
    for count in (200, 3000):
        for index in (exact, quick):
            for number in range(count):
                index.set(f"n{number}", changed[number])
            for number in range(0, count, 7):
                index.remove(f"n{number}")
        assert recall(exact, quick, changed[:40]) > 0.95
    for index in (exact, quick):  # with few rows, all vectors are compared again
        for item_id in list(index.ids)[90:]:
            index.remove(item_id)
    assert recall(exact, quick, changed[:10]) == 1


@pytest.mark.parametrize("approximate_from", [1, 10_000])
def test_rows_to_be_left_out_are_left_out(approximate_from: int) -> None:
    matrix = vectors(300)
    index = filled(matrix, approximate_from)
    best = index.nearest(matrix[5], 3)
    assert 5 in best
    others = index.nearest(matrix[5], 3, without=best)
    assert len(others) == 3
    assert not set(best) & set(others)
    assert len(index.nearest(matrix[5], 500)) == 300


def test_the_same_vectors_give_the_same_rows() -> None:
    matrix = vectors(2000)
    one, other = filled(matrix, 1), filled(matrix, 1)
    assert all((one.nearest(query, 20) == other.nearest(query, 20)).all() for query in matrix[:50])
