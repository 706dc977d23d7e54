"""Writes the shipped files: each network as ONNX with short weights, and its tokenizer.

The small network's weights are kept in 8 bits, with a scale for each row; the large one's, and the embeddings of both,
in 4 bits, with a scale for each block of them. Of the large network only the judgement of pairs is written.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from torch import Tensor, nn

from training.bases import Base, load_base
from training.network import Network, load

BLOCK = 64
EMBEDDING_BLOCK = 64
"""Of the small network; of the large one twice as many."""
INT8_ACTIVATIONS = 4
"""How exactly MatMulNBits computes: with activations in 8 bits, which processors are quick at."""


def export(network: Network, base: Base, folder: Path, name: str, bits: int) -> None:
    """Write `name.onnx` and `name_tokenizer.json`, weights in 8 or 4 bits."""
    folder.mkdir(parents=True, exist_ok=True)
    network.eval().float()
    # A head of three dimensions is exported as plain products, which the quantizers know.
    for head in ("pair", "answers", "kind"):
        setattr(network, head, nn.Sequential(nn.Unflatten(1, (1, -1)), *getattr(network, head), nn.Flatten(1)))
    with tempfile.TemporaryDirectory() as temporary:
        whole, shortened = Path(temporary) / "float.onnx", Path(temporary) / "short.onnx"
        ids = torch.ones(2, 12, dtype=torch.int64)
        second = torch.zeros_like(ids)
        second[:, 6:] = 1
        axes = {one: {0: "pairs", 1: "tokens"} for one in ("ids", "mask", "second", "span")}
        axes |= {one: {0: "pairs"} for one in ("pair", "answers", "kind")}
        outputs = ["pair"] if bits == 4 else ["pair", "answers", "span", "kind"]
        torch.onnx.export(
            _Outputs(network, len(outputs)), (ids, torch.ones_like(ids), second), str(whole), dynamo=False,
            opset_version=17, input_names=["ids", "mask", "second"], output_names=outputs,
            dynamic_axes={one: axis for one, axis in axes.items() if one in (*outputs, "ids", "mask", "second")},
        )  # fmt: skip
        if bits == 4:
            _in_4_bits(whole, shortened, {"Gather": 1}, 2 * EMBEDDING_BLOCK)
            _in_4_bits(shortened, folder / f"{name}.onnx", {"MatMul": 0}, BLOCK)
        else:
            _in_4_bits(whole, shortened, {"Gather": 1}, EMBEDDING_BLOCK)
            quantize_dynamic(
                shortened, folder / f"{name}.onnx", op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8,
                per_channel=True, extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
            )  # fmt: skip
    base.tokenizer.save(str(folder / f"{name}_tokenizer.json"), pretty=False)


class _Outputs(nn.Module):
    """The first outputs of a network, and what they need of it."""

    def __init__(self, network: Network, count: int) -> None:
        super().__init__()
        self.network, self.count = network, count

    def forward(self, ids: Tensor, mask: Tensor, second: Tensor) -> tuple[Tensor, ...]:
        """As the network's."""
        found: tuple[Tensor, ...] = self.network(ids, mask, second)
        return found[: self.count]


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
    export(network, base, Path(out), name, int(bits))


if __name__ == "__main__":
    main()
