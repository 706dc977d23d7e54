"""Vectors in a real database, Milvus Lite, which must answer like the index in memory."""

from __future__ import annotations

import gc
import logging
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from pymilvus import MilvusClient

from memory_bank.bank.errors import SettingsError
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.milvus_vectors import MilvusVectorStore
from memory_bank.search.retrieval import NodeText, RetrievalIndex
from memory_bank.search.vector_index import VectorIndex, Vectors, VectorsLostError

NOTHING = np.empty(0, dtype=np.intp)
AXIS = np.array([1, 0, 0], dtype=np.float32)
TEXTS = {f"n{number}": f"barge {number} on canal {number % 7}" for number in range(30)}


@pytest.fixture
def store(tmp_path: Path) -> MilvusVectorStore:
    return MilvusVectorStore(str(tmp_path / "vectors.db"))


@pytest.fixture
def beside(tmp_path: Path, store: MilvusVectorStore) -> Iterator[MilvusClient]:
    """Another user of the same database."""
    client = MilvusClient(uri=str(tmp_path / "vectors.db"))
    yield client
    client.close()


@pytest.fixture(params=["memory", "milvus"])
def vectors(request: pytest.FixtureRequest, store: MilvusVectorStore) -> Vectors:
    return VectorIndex(3) if request.param == "memory" else store.vectors(3)


def unit(chance: random.Random, dimension: int) -> np.ndarray:
    vector = np.array([chance.gauss(0, 1) for _ in range(dimension)], dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


# -- the contract ----------------------------------------------------------------------------------------


def test_the_last_row_takes_the_place_of_a_removed_one(vectors: Vectors) -> None:
    axes = np.eye(3, dtype=np.float32)
    for row, axis in enumerate(axes):
        vectors.set(row, axis)
    vectors.remove(0)
    assert vectors.nearest(axes[2], 1, NOTHING).tolist() == [0]
    assert vectors.nearest(axes[0], 5, NOTHING).tolist() == [0, 1]
    assert vectors.nearest(axes[2], 1, np.array([0])).tolist() == [1]
    assert vectors.scores_of(np.array([1, 0]), axes[1]).tolist() == [1, 0]
    vectors.remove(1)
    vectors.remove(0)
    assert vectors.nearest(axes[2], 1, NOTHING).tolist() == []


def test_what_is_handed_out_is_a_copy(vectors: Vectors) -> None:
    vectors.set(0, np.array([1, 0, 0], dtype=np.float32))
    vectors[0][0] = 7
    assert vectors[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("seed", range(4))
def test_the_same_changes_give_the_same_rows_and_scores(store: MilvusVectorStore, seed: int) -> None:
    chance = random.Random(seed)
    exact, kept, count = VectorIndex(8), store.vectors(8), 0
    for _ in range(12):
        for _ in range(chance.randrange(30)):
            row = chance.randrange(25)
            if row < count and chance.random() < 0.4:
                exact.remove(row)
                kept.remove(row)
                count -= 1
            else:
                row, vector = min(row, count), unit(chance, 8)
                exact.set(row, vector)
                kept.set(row, vector)
                count = max(count, row + 1)
        query, rows = unit(chance, 8), np.arange(count)
        without = np.array([row for row in rows if chance.random() < 0.2], dtype=np.intp)
        assert kept.nearest(query, 5, without).tolist() == exact.nearest(query, 5, without).tolist()
        np.testing.assert_allclose(kept.scores_of(rows, query), exact.scores_of(rows, query), atol=1e-6)
        for row in rows.tolist():
            assert (kept[row] == exact[row]).all()


def test_more_than_one_batch_is_written_read_and_removed(store: MilvusVectorStore) -> None:
    kept, chance = store.vectors(4), np.random.default_rng(5)
    matrix = chance.standard_normal((2300, 4)).astype(np.float32)
    for row, vector in enumerate(matrix):
        kept.set(row, vector)
    np.testing.assert_allclose(kept.scores_of(np.arange(2300), matrix[7]), matrix @ matrix[7], rtol=1e-4, atol=1e-4)
    for row in reversed(range(1200, 2300)):
        kept.remove(row)
    best = np.sort(np.argsort(-(matrix[:1200] @ matrix[7]))[:9])
    assert kept.nearest(matrix[7], 9, NOTHING).tolist() == best.tolist()


# -- what happens in the database ------------------------------------------------------------------------


def test_each_index_has_a_collection_that_nobody_guesses_and_that_goes_with_it(
    store: MilvusVectorStore, beside: MilvusClient
) -> None:
    one, other = store.vectors(3), store.vectors(3)
    assert beside.list_collections() == []  # there is nothing to write yet
    for index in (one, other):
        index.set(0, AXIS)
        index.nearest(AXIS, 1, NOTHING)
    names = beside.list_collections()
    assert len(names) == 2
    assert all(re.fullmatch("memory_bank_[0-9a-f]{32}", name) for name in names)
    one.close()
    one.close()
    assert len(beside.list_collections()) == 1
    with pytest.raises(VectorsLostError):
        one.nearest(AXIS, 1, NOTHING)
    del other, index
    gc.collect()
    assert beside.list_collections() == []


def retrieval(vectors: Callable[[int], Vectors], texts: dict[str, str]) -> RetrievalIndex:
    index = RetrievalIndex(HashEmbedder(64), lambda node_id: NodeText(texts[node_id]), vectors)
    for node_id in texts:
        index.mark(node_id)
    return index


def test_a_retrieval_finds_the_same_with_the_same_scores(store: MilvusVectorStore) -> None:
    for query in ("barge on canal 3", "canal 7"):
        near, far = (retrieval(made, TEXTS).retrieve(query) for made in (VectorIndex, store.vectors))
        assert [hit.id for hit in far] == [hit.id for hit in near]
        np.testing.assert_allclose([hit.score for hit in far], [hit.score for hit in near], atol=1e-6)


@pytest.mark.parametrize("when", ["before a search", "before a removal", "before a new node"])
def test_when_the_database_fails_the_memory_goes_on_and_it_is_said_once(
    store: MilvusVectorStore, beside: MilvusClient, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    texts = dict(TEXTS)
    index, other = retrieval(store.vectors, texts), retrieval(store.vectors, TEXTS)
    expected = [hit.id for hit in index.retrieve("barge on canal 3")]
    assert [hit.id for hit in other.retrieve("barge on canal 3")] == expected
    for name in beside.list_collections():
        beside.drop_collection(name)
    if when == "before a removal":
        index.forget(expected[0])
        del texts[expected[0]]
        expected = [hit.id for hit in retrieval(VectorIndex, texts).retrieve("barge on canal 3")]
    if when == "before a new node":
        texts["new"] = "on canal 3 a barge, barge"
        index.mark("new")
        expected = [hit.id for hit in retrieval(VectorIndex, texts).retrieve("barge on canal 3")]
    with caplog.at_level(logging.WARNING):
        assert [hit.id for hit in index.retrieve("barge on canal 3")] == expected
        other.retrieve("barge on canal 3")
    (said,) = [record.getMessage() for record in caplog.records if record.name.startswith("memory_bank")]
    assert "in memory from now on" in said
    assert isinstance(store.vectors(3), VectorIndex)


def test_a_closed_index_is_filled_anew_when_it_is_asked_again(
    store: MilvusVectorStore, beside: MilvusClient, caplog: pytest.LogCaptureFixture
) -> None:
    index = retrieval(store.vectors, TEXTS)
    expected = index.retrieve("barge on canal 3")
    index.close()
    assert beside.list_collections() == []
    assert index.retrieve("barge on canal 3") == expected
    assert (index.vector("n3") == HashEmbedder(64).embed([TEXTS["n3"]])[0]).all()
    assert len(beside.list_collections()) == 1
    assert not caplog.records


@pytest.mark.parametrize("uri", ["http://me:secret@127.0.0.1:9", "{folder}/missing/v.db", "{folder}/plain", "ftp://x"])
def test_what_cannot_be_reached_is_refused_by_name_and_without_its_password(tmp_path: Path, uri: str) -> None:
    with pytest.raises(SettingsError, match="VECTOR_URI") as raised:
        MilvusVectorStore(uri.format(folder=tmp_path))
    assert "secret" not in str(raised.value)


def test_the_library_puts_nothing_into_the_environment(store: MilvusVectorStore) -> None:
    """On import it would read a `.env`, keys included; the variables set for the import are removed, too."""
    assert not {name for name in os.environ if name.startswith("MILVUS")}
