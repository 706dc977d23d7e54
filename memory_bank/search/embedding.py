"""Load the embedding model that the setting EMBEDDING_MODEL names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.search.encoders.minilm import DEFAULT_MODEL
from memory_bank.search.hash_embedder import HASH_MODEL, HashEmbedder
from memory_bank.search.multilingual_embedder import MULTILINGUAL_MODEL, MultilingualEmbedder
from memory_bank.search.sentence_embedder import SentenceEmbedder
from memory_bank.text.parallel import loaded_once

__all__ = ["DEFAULT_MODEL", "EMBEDDED_MODELS", "HASH_MODEL", "MULTILINGUAL_MODEL", "Embedder", "load_embedder"]

EMBEDDED_MODELS = (DEFAULT_MODEL, HASH_MODEL, MULTILINGUAL_MODEL)
"""The models that come with the program. No set: what an export names as its model may be anything."""


class Embedder(Protocol):
    """Turns texts into vectors. Safe to share between threads.

    `name` is the model's name, as in the setting EMBEDDING_MODEL; `dimension` the number of components of a vector;
    `max_tokens` how many tokens of a text are read, counted as by `count_tokens`: the rest has no influence.
    """

    name: str
    dimension: int
    max_tokens: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a new array of shape (len(texts), dimension), each row of length one."""

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens, however long it is."""


def load_embedder(model_name: str = DEFAULT_MODEL) -> Embedder:
    """Return the embedder of that name, one for the whole process. The first call takes seconds.

    "hash" is the `HashEmbedder`, "multilingual-e5-small" the `MultilingualEmbedder`, any other a `SentenceEmbedder`.
    `SettingsError` if this machine has no such model.
    """
    return _load(model_name)


@loaded_once
def _load(model_name: str) -> Embedder:
    if model_name == HASH_MODEL:
        return HashEmbedder()
    if model_name == MULTILINGUAL_MODEL:
        return MultilingualEmbedder()
    return SentenceEmbedder(model_name)
