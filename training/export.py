"""Writes the shipped files: each network as ONNX with short weights, and its tokenizer.

The small network's weights are kept in 8 bits, with a scale for each row; the large one's (`training/rounding.py`), and
the embeddings of both, in 4 bits, with a scale for each block of them. The weights of the large network's products are
written apart from the graph, which has them in 8 bits (`memory_bank/judgement/weights.py`).
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from safetensors.numpy import save_file
from torch import nn

from memory_bank.judgement.statement import Statement
from memory_bank.judgement.weights import IN_8_BITS, STEP, WEIGHT, ZERO
from training.bases import Base, load_base
from training.corpus import authored_pairs, dossier_pairs, family_pairs
from training.network import Network, load
from training.questions import asked
from training.rounding import BLOCK, Sides, round_to_4_bits
from training.supplies import held_out, is_held_out, nearest

TEXTS, SEED = 500, 5
"""Of dossiers, of other pairs, and of questions, so many are read to round weights by."""
EMBEDDING_BLOCK = 64
"""Of the small network; of the large one twice as many."""
ROUNDED_TOGETHER = 768
"""How many numbers of a row have one step when they are rounded to 8 bits, where there are so many."""
INT8_ACTIVATIONS = 4
"""How exactly MatMulNBits computes: with activations in 8 bits, which processors are quick at."""


def export(network: Network, base: Base, folder: Path, name: str, bits: int) -> None:
    """Write `name.onnx` and `name_tokenizer.json`, weights in 8 or 4 bits."""
    folder.mkdir(parents=True, exist_ok=True)
    network.eval().float()
    # A head of three dimensions is exported as plain products, which the quantizers know.
    heads = ["pair", "answers", *([] if network.large else ["kind"])]
    for head in heads:
        setattr(network, head, nn.Sequential(nn.Unflatten(1, (1, -1)), *getattr(network, head), nn.Flatten(1)))
    with tempfile.TemporaryDirectory() as temporary:
        whole, shortened = Path(temporary) / "float.onnx", Path(temporary) / "short.onnx"
        ids = torch.ones(2, 12, dtype=torch.int64)
        second = torch.zeros_like(ids)
        second[:, 6:] = 1
        axes = {one: {0: "pairs", 1: "tokens"} for one in ("ids", "mask", "second", "span")}
        axes |= {one: {0: "pairs"} for one in heads}
        outputs = ["pair", "answers"] if network.large else ["pair", "answers", "span", "kind"]
        torch.onnx.export(
            network, (ids, torch.ones_like(ids), second), str(whole), dynamo=False,
            opset_version=17, input_names=["ids", "mask", "second"], output_names=outputs,
            dynamic_axes={one: axis for one, axis in axes.items() if one in (*outputs, "ids", "mask", "second")},
        )  # fmt: skip
        if bits == 4:
            _in_4_bits(whole, shortened, {"Gather": 1}, 2 * EMBEDDING_BLOCK)
            _in_4_bits(shortened, whole, {"MatMul": 0}, BLOCK)
            part(whole, folder, name)
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


def part(path: Path, folder: Path, name: str) -> None:
    """Write the weights of a network's products in 4 bits beside the graph that multiplies them in 8.

    What they are multiplied with is rounded to 8 bits row by row, a stretch at a time: with one step for a whole batch,
    large numbers in one row coarsen all others, and what is judged would depend on what else is in the batch.
    """
    model = onnx.load(path)
    values = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    kept: dict[str, NDArray[Any]] = {}
    nodes: list[onnx.NodeProto] = []
    weights = [
        numpy_helper.from_array(np.float32(1 / 127), "step"),
        numpy_helper.from_array(np.uint8(128), "zero"),
        numpy_helper.from_array(np.float32(1e-9), "least"),
        numpy_helper.from_array(np.array([-1], np.int64), "last"),
    ]
    rounded: set[str] = set()
    for node in model.graph.node:
        if node.op_type != "MatMulNBits":
            nodes.append(node)
            continue
        given, packed, steps, zeros = node.input[:4]
        outputs, blocks, half = values[packed].shape
        inputs = 2 * half * blocks
        parts = max(1, inputs // ROUNDED_TOGETHER)
        if given not in rounded:  # queries, keys and values are made of the same
            rounded.add(given)
            nodes.append(helper.make_node("Split", [given], [f"{given}.{n}" for n in range(parts)], axis=-1,
                                          num_outputs=parts))  # fmt: skip
            nodes += [step for n in range(parts) for step in _rounded(f"{given}.{n}")]
        for n, (weight, step, zero) in enumerate(zip(
            np.split(values[packed], parts, axis=1), np.split(values[steps].reshape(outputs, -1), parts, axis=1),
            np.split(values[zeros].reshape(outputs, -1), parts, axis=1), strict=True,
        )):  # fmt: skip
            own, row = f"{packed}.{n}", f"{given}.{n}"
            kept |= {own + WEIGHT: weight.copy(), own + STEP: step.copy(), own + ZERO: zero.copy()}
            weights += [
                _elsewhere(own + IN_8_BITS, TensorProto.INT8, inputs // parts, outputs),
                _elsewhere(own + STEP, TensorProto.FLOAT, outputs),
            ]
            product = [f"{row}.rounded", own + IN_8_BITS, "step", own + STEP, "zero"]
            nodes += [
                helper.make_node("MatMulIntegerToFloat", product, [f"{own}.made"], domain="com.microsoft"),
                helper.make_node("Mul", [f"{own}.made", f"{row}.most"], [f"{own}.product"]),
            ]
        nodes.append(helper.make_node("Sum", [f"{packed}.{n}.product" for n in range(parts)], list(node.output)))
    used = {one for node in nodes for one in node.input}
    weights += [one for one in model.graph.initializer if one.name in used]
    graph = helper.make_graph(nodes, name, model.graph.input, model.graph.output, weights)
    made_model = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    (folder / f"{name}.onnx").write_bytes(made_model.SerializeToString())
    save_file(kept, folder / f"{name}.safetensors")


def _rounded(given: str) -> list[onnx.NodeProto]:
    """Steps that divide each row by its largest number and round it to 8 bits."""
    return [
        helper.make_node("Abs", [given], [f"{given}.size"]),
        helper.make_node("ReduceMax", [f"{given}.size", "last"], [f"{given}.largest"], keepdims=1),
        helper.make_node("Max", [f"{given}.largest", "least"], [f"{given}.most"]),
        helper.make_node("Div", [given, f"{given}.most"], [f"{given}.share"]),
        helper.make_node("QuantizeLinear", [f"{given}.share", "step", "zero"], [f"{given}.rounded"]),
    ]


def _elsewhere(name: str, data_type: int, *shape: int) -> TensorProto:
    """A value that is given when the model is loaded."""
    tensor = TensorProto(name=name, data_type=data_type, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights")
    return tensor


def _texts() -> list[Sides]:
    """What the large network's products see: English pairs that are trained on, half of dossiers, and questions."""
    kept, _ = held_out([*family_pairs(), *authored_pairs(), *dossier_pairs(lambda _left, _right: [])])
    english = [pair for pair in kept if pair.language == "en"]
    parts = [[(pair.a, pair.b) for pair in english if (pair.supply == "dossiers") is own] for own in (True, False)]
    found = [one for one in asked(nearest) if one.language == "en" and not is_held_out(one.group, "questions")]
    parts.append([(Statement(one.question), one.statement) for one in found])
    return [sides for part in parts for sides in random.Random(SEED).sample(part, TEXTS)]


def main() -> None:
    """`python -m training.export BASE FOLDER OUT NAME BITS`: a network that was trained, in short weights."""
    base_name, trained, out, name, bits = sys.argv[1:6]
    base = load_base(base_name)
    network = Network(base)
    load(network, Path(trained))
    if bits == "4":
        round_to_4_bits(network, base, _texts())
    export(network, base, Path(out), name, int(bits))


if __name__ == "__main__":
    main()
