"""Writes the shipped files: each network as ONNX with short weights, and its tokenizer.

The small network's weights are kept in 8 bits, with a scale for each row; the large one's in 4 bits, with a scale for
each 32, and its embeddings in 8.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

from training.bases import Base, cut_word_pieces, load_base
from training.network import Network, load

BLOCK = 32
INT8_ACTIVATIONS = 4
"""How exactly MatMulNBits computes: with activations in 8 bits, which processors are quick at."""


def export(network: Network, base: Base, folder: Path, name: str, bits: int) -> None:
    """Write `name.onnx` and `name_tokenizer.json`, weights in 8 or 4 bits."""
    folder.mkdir(parents=True, exist_ok=True)
    network.eval().float()
    with tempfile.TemporaryDirectory() as temporary:
        whole, shortened = Path(temporary) / "float.onnx", Path(temporary) / "short.onnx"
        ids = torch.ones(2, 12, dtype=torch.int64)
        second = torch.zeros_like(ids)
        second[:, 6:] = 1
        axes = {one: {0: "pairs", 1: "tokens"} for one in ("ids", "mask", "second", "span")} | {"pair": {0: "pairs"}}
        torch.onnx.export(
            network, (ids, torch.ones_like(ids), second), str(whole), dynamo=False, opset_version=17,
            input_names=["ids", "mask", "second"], output_names=["pair", "span"], dynamic_axes=axes,
        )  # fmt: skip
        if bits == 4:
            quantizer = MatMulNBitsQuantizer(
                onnx.load(whole), bits=4, block_size=BLOCK, is_symmetric=False, accuracy_level=INT8_ACTIVATIONS
            )
            quantizer.process()
            onnx.save(quantizer.model.model, shortened)
            quantize_dynamic(
                shortened, folder / f"{name}.onnx", op_types_to_quantize=["Gather"], weight_type=QuantType.QInt8
            )
        else:
            quantize_dynamic(
                whole, folder / f"{name}.onnx", weight_type=QuantType.QInt8, per_channel=True,
                extra_options={"MatMulConstBOnly": True},
            )  # fmt: skip
    base.tokenizer.save(str(folder / f"{name}_tokenizer.json"), pretty=False)


def main() -> None:
    """`python -m training.export BASE FOLDER OUT NAME BITS`: a network that was trained, in short weights."""
    base_name, trained, out, name, bits = sys.argv[1:6]
    base = load_base(base_name)
    network = Network(base)
    load(network, Path(trained))
    if base_name == "mpnet":
        cut_word_pieces(base)
    export(network, base, Path(out), name, int(bits))


if __name__ == "__main__":
    main()
