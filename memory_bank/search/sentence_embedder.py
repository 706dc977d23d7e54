"""Embed sentences with a local model: all-MiniLM-L6-v2 by default, any sentence-transformers model by name.

The model is read from the disk: nothing here opens a connection. A text's vector depends on the text alone, to the
last bit on one machine: each text is padded to a length that depends only on its own, so that neither the rest of the
batch, nor the size of the batch, nor the cache makes a difference.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory_bank.search.encoders.minilm import DEFAULT_MODEL, MiniLM
from memory_bank.search.encoders.named_model import NamedModel
from memory_bank.search.vector_cache import VectorCache

_LEAST_NORM = 1e-12
_PADDING_STEP = 8
_TOKENS_IN_BATCH = 2048  # more gains nothing on two cores, takes memory, and makes other sessions wait longer
_PIECE_CHARACTERS = 4000
_SPACE = re.compile(r"\s")


class SentenceEmbedder:
    """A sentence model on the CPU. Safe to share between threads.

    `model_name` is "all-MiniLM-L6-v2" (384 dimensions, 254 tokens; onnxruntime runs it), or a model for
    sentence-transformers: a folder, or a name in this machine's Hugging Face cache. Anything else is a `SettingsError`.
    The `cache_size` vectors used last are cached in memory.
    """

    def __init__(self, model_name: str = DEFAULT_MODEL, *, cache_size: int = 4096) -> None:
        self.name = Path(model_name).name  # without the path to a folder, because it goes into logs and exports
        self._model = _load(model_name)
        self._lock = threading.Lock()
        self._cached = VectorCache(cache_size)
        # Two copies of the tokeniser, because truncation is part of its state.
        self._counter, self._tokenizer = (_tokenizer(self._model.tokenizer) for _ in range(2))
        self._tokenizer.enable_truncation(self._model.length)
        self.dimension = len(self._encode([""])[0])
        # The special tokens around a text are not counted.
        self.max_tokens = self._model.length - self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' vectors, shape (len(texts), dimension), of length one. Equal texts cost once."""
        return self._cached.embed(texts, self._encode, self.dimension)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, not counting the special tokens around it."""
        pieces = self._counter.encode_batch_fast(_pieces(_clean(text)), add_special_tokens=False)
        return sum(len(piece) for piece in pieces)

    def _encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Compute the vectors of some texts, in batches of equal padded length, shortest first."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast([_clean(t) for t in texts])]
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for position, ids in enumerate(tokens):
            # Rounded up: fewer different lengths make larger batches, and the padding is masked.
            padded = -(-len(ids) // _PADDING_STEP) * _PADDING_STEP
            by_length[min(self._model.length, padded)].append(position)
        vectors: dict[int, NDArray[np.float32]] = {}
        for length, positions in sorted(by_length.items()):
            size = max(1, _TOKENS_IN_BATCH // length)
            for start in range(0, len(positions), size):
                batch = positions[start : start + size]
                vectors.update(zip(batch, self._run([tokens[i] for i in batch], length), strict=True))
        return [vectors[position] for position in range(len(texts))]

    def _run(self, tokens: list[list[int]], length: int) -> NDArray[np.float32]:
        """Run the model on one batch; the lock is held for one batch at a time, so that sessions take turns."""
        ids = np.full((len(tokens), length), self._model.padding, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text_ids in enumerate(tokens):
            ids[row, : len(text_ids)] = text_ids
            mask[row, : len(text_ids)] = 1
        with self._lock:
            vectors = self._model.encode(ids, mask)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        normalised: NDArray[np.float32] = vectors / np.maximum(norms, _LEAST_NORM)
        return normalised


def _load(model_name: str) -> MiniLM | NamedModel:
    """Load a model; the default one without sentence-transformers, whose import takes seconds."""
    if model_name.removeprefix("sentence-transformers/") == DEFAULT_MODEL:
        return MiniLM()
    return NamedModel(model_name)


def _tokenizer(json: str) -> Tokenizer:
    tokenizer = Tokenizer.from_str(json)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _pieces(text: str) -> list[str]:
    """Cut a long text at white space, which no token spans, so that its pieces can be counted in parallel."""
    pieces = []
    start = 0
    while len(text) - start > _PIECE_CHARACTERS and (space := _SPACE.search(text, start + _PIECE_CHARACTERS)):
        pieces.append(text[start : space.start()])
        start = space.end()
    return [*pieces, text[start:]]


def _clean(text: str) -> str:
    """Replace lone surrogates, which the tokeniser refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
