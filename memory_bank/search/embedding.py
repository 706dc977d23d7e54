"""Load the embedding model that the setting EMBEDDING_MODEL names."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from memory_bank.search.hash_embedder import HASH_MODEL, HashEmbedder
from memory_bank.search.multilingual_embedder import MULTILINGUAL_MODEL, MultilingualEmbedder
from memory_bank.search.sentence_embedder import DEFAULT_MODEL, SentenceEmbedder

__all__ = [
    "DEFAULT_MODEL",
    "EMBEDDED_MODELS",
    "HASH_MODEL",
    "MULTILINGUAL_MODEL",
    "Embedder",
    "HashEmbedder",
    "MultilingualEmbedder",
    "SentenceEmbedder",
    "load_embedder",
]

EMBEDDED_MODELS = frozenset({DEFAULT_MODEL, HASH_MODEL, MULTILINGUAL_MODEL})
"""The models that come with the program."""


Embedder = HashEmbedder | MultilingualEmbedder | SentenceEmbedder
"""Turns texts into vectors. Safe to share between threads."""
_loading_lock = threading.Lock()


def load_embedder(model_name: str = DEFAULT_MODEL, cache_file: Path | None = None) -> Embedder:
    """Return the embedder of that name, one for the whole process. The first call takes seconds.

    "hash" is the `HashEmbedder`, "multilingual-e5-small" the `MultilingualEmbedder`, any other a `SentenceEmbedder`.
    `cache_file` keeps vectors from one run to the next; a `HashEmbedder` needs none. `SettingsError` if this machine
    has no such model.
    """
    with _loading_lock:  # two sessions that start together must not each load a model
        return _load_once(model_name, cache_file)


@lru_cache(maxsize=4)
def _load_once(model_name: str, cache_file: Path | None) -> Embedder:
    if model_name == HASH_MODEL:
        return HashEmbedder()
    if model_name == MULTILINGUAL_MODEL:
        return MultilingualEmbedder(cache_file=cache_file)
    return SentenceEmbedder(model_name, cache_file=cache_file)
