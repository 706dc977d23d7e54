"""Writes the shipped files: the network as int8 ONNX, its tokenizer, and how it is calibrated."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from training.bases import Base
from training.network import Network

MODEL, TOKENIZER, CALIBRATION = "pair_model.onnx", "pair_tokenizer.json", "pair_model.json"


def export(network: Network, base: Base, folder: Path, calibration: dict[str, object]) -> None:
    """Write the three files; weights and embeddings in 8 bits, with a scale for each row."""
    folder.mkdir(parents=True, exist_ok=True)
    network.eval().float()
    with tempfile.TemporaryDirectory() as temporary:
        whole = Path(temporary) / "float.onnx"
        ids = torch.ones(2, 12, dtype=torch.int64)
        second = torch.zeros_like(ids)
        second[:, 6:] = 1
        axes = {name: {0: "pairs", 1: "tokens"} for name in ("ids", "mask", "second", "span")} | {"pair": {0: "pairs"}}
        torch.onnx.export(
            network, (ids, torch.ones_like(ids), second), str(whole), dynamo=False, opset_version=17,
            input_names=["ids", "mask", "second"], output_names=["pair", "span"], dynamic_axes=axes,
        )  # fmt: skip
        quantize_dynamic(
            whole,
            folder / MODEL,
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"MatMulConstBOnly": True},
        )
    onnx.checker.check_model(str(folder / MODEL))
    base.tokenizer.save(str(folder / TOKENIZER), pretty=False)
    (folder / CALIBRATION).write_text(json.dumps(calibration, indent=1) + "\n", encoding="utf-8")
