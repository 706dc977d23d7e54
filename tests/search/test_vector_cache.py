from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from memory_bank.bank.errors import SettingsError
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.search.vector_cache import FileCache, MemoryCache

A, B, C = (np.full(3, number, dtype=np.float32) for number in (1, 2, 3))


@pytest.fixture(params=["memory", "file"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryCache | FileCache:
    return MemoryCache(2) if request.param == "memory" else FileCache(tmp_path / "new" / "vectors.db", 2)


def test_what_was_used_longest_ago_is_forgotten(cache: MemoryCache | FileCache) -> None:
    cache.put({b"a": A})
    cache.put({b"b": B})
    assert cache.get([b"a", b"x"])[b"a"].tolist() == A.tolist()
    cache.put({b"c": C})
    assert set(cache.get([b"a", b"b", b"c"])) == {b"a", b"c"}


def test_many_keys_are_looked_up_at_once(tmp_path: Path) -> None:
    cache = FileCache(tmp_path / "vectors.db", 5000)
    vectors = {str(number).encode(): A * number for number in range(2000)}
    cache.put(vectors)
    found = cache.get([*vectors, b"x"])
    assert set(found) == set(vectors)
    assert (found[b"1999"] == A * 1999).all()


def test_a_file_that_is_no_cache_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database " * 100)
    with pytest.raises(SettingsError, match="EMBEDDING_CACHE"):
        FileCache(tmp_path / "text", 2)


def test_a_file_that_breaks_later_is_told_once_and_done_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = FileCache(tmp_path / "vectors.db", 2)
    cache.put({b"a": A})
    (tmp_path / "vectors.db").write_text("not a database " * 100)
    with caplog.at_level(logging.WARNING):
        assert cache.get([b"a"]) == {}
        cache.put({b"b": B})
        assert cache.get([b"b"]) == {}
    assert len(caplog.records) == 1


def test_another_run_computes_nothing_again(tmp_path: Path) -> None:
    first = SentenceEmbedder(cache_file=tmp_path / "vectors.db").embed(["tea", "rain"])
    again = SentenceEmbedder(cache_file=tmp_path / "vectors.db")
    again._encode = lambda texts: [] if not texts else pytest.fail("computed")  # type: ignore[method-assign]
    assert (again.embed(["rain", "tea"])[::-1] == first).all()
