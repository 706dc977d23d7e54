"""Run a model that a person names, with sentence-transformers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import SettingsError
from memory_bank.search.encoders.minilm import DEFAULT_MODEL
from memory_bank.text.parallel import processors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class NamedModel:
    """The encoder of a sentence-transformers model, from its folder or this machine's cache."""

    def __init__(self, model_name: str) -> None:
        self._model = _load_model(model_name)
        self.tokenizer: str = self._model.tokenizer.backend_tokenizer.to_str()
        self.length: int = self._model.max_seq_length or self._model.tokenizer.model_max_length
        self.padding: int = self._model.tokenizer.pad_token_id or 0

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """The model's own vectors of a batch of texts."""
        import torch  # noqa: PLC0415

        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            vectors: NDArray[np.float32] = self._model(features)["sentence_embedding"].float().numpy()
        return vectors


def _load_model(model_name: str) -> SentenceTransformer:
    # Waiting threads must sleep: if another program uses the same cores, spinning takes up to five times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: PLC0415
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
        from transformers.utils import logging  # noqa: PLC0415
    except ImportError as error:
        allowed = f"{DEFAULT_MODEL}, or any other once sentence-transformers is installed: make models"
        raise SettingsError("EMBEDDING_MODEL", model_name, allowed) from error
    torch.set_num_threads(min(torch.get_num_threads(), processors()))
    # The progress bar of transformers would write to stderr, where our own stands. It stays off in this process.
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(_folder(model_name), device="cpu", local_files_only=True).eval()
    except (OSError, ValueError, ImportError) as error:
        allowed = f"{DEFAULT_MODEL}, the folder of a sentence-transformers model, or one in the local cache"
        raise SettingsError("EMBEDDING_MODEL", model_name, allowed) from error


def _folder(model_name: str) -> str:
    """The folder of a model on this machine; `OSError` or `ValueError` if there is none.

    The library gets folders only: given a name, it goes to the network even with `local_files_only`.
    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    if model_name and Path(model_name).is_dir():
        return model_name
    repository = model_name if "/" in model_name else f"sentence-transformers/{model_name}"
    return snapshot_download(repository, local_files_only=True)
