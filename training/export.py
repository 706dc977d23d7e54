"""Writes the shipped files: each network as ONNX with short weights, and its tokenizer.

The small network's weights are kept in 8 bits, with a scale for each row; the large one's, and the embeddings of both,
in 4 bits, with a scale for each block of them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from torch import nn

from training.bases import Base, cut_word_pieces, load_base
from training.network import Network, load

BLOCK = 64
EMBEDDING_BLOCK = 32
INT8_ACTIVATIONS = 4
"""How exactly MatMulNBits computes: with activations in 8 bits, which processors are quick at."""


def export(network: Network, base: Base, folder: Path, name: str, bits: int) -> None:
    """Write `name.onnx` and `name_tokenizer.json`, weights in 8 or 4 bits."""
    folder.mkdir(parents=True, exist_ok=True)
    network.eval().float()
    # A head of three dimensions is exported as plain products, which the quantizers know.
    network.pair = nn.Sequential(nn.Unflatten(1, (1, -1)), *network.pair, nn.Flatten(1))
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
            _in_4_bits(whole, folder / f"{name}.onnx", {"MatMul": 0, "Gather": 1}, BLOCK)
        else:
            _in_4_bits(whole, shortened, {"Gather": 1}, EMBEDDING_BLOCK)
            quantize_dynamic(
                shortened, folder / f"{name}.onnx", op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8,
                per_channel=True, extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
            )  # fmt: skip
    base.tokenizer.save(str(folder / f"{name}_tokenizer.json"), pretty=False)


def _in_4_bits(path: Path, out: Path, axis_of: dict[str, int], block: int) -> None:
    """Keep the weights of some kinds of operation, each with the axis along which they are scaled, in 4 bits."""
    quantizer = MatMulNBitsQuantizer(
        onnx.load(path), bits=4, block_size=block, is_symmetric=False, accuracy_level=INT8_ACTIVATIONS,
        op_types_to_quantize=tuple(axis_of), quant_axes=tuple(axis_of.items()),
    )  # fmt: skip
    quantizer.process()
    onnx.save(quantizer.model.model, out)


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
