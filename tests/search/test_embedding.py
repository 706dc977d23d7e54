from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from memory_bank.search.embedding import DEFAULT_MODEL, HASH_MODEL, HashEmbedder, load_embedder


def test_every_session_gets_the_same_embedder() -> None:
    with ThreadPoolExecutor(4) as pool:
        embedders = list(pool.map(load_embedder, [DEFAULT_MODEL] * 4))
    assert len({id(embedder) for embedder in embedders}) == 1
    assert embedders[0].name == "all-MiniLM-L6-v2"


def test_hashes_stand_in_for_a_model_only_where_asked_for() -> None:
    assert isinstance(load_embedder(HASH_MODEL), HashEmbedder)
    assert not isinstance(load_embedder(), HashEmbedder)
