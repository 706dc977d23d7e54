"""Writes the shipped files: each network as ONNX with short weights, and its tokenizer.

Weights are kept in 8 bits with a scale for each output, the embeddings in 4 bits with a scale for each block of them. A
file beside the large network's graph has its products, since some places take no file of more than 100 MB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from torch import nn

from memory_bank.judgement.pair_model import PRODUCTS
from training.bases import Base, load_base
from training.network import Network, load

IN_8_BITS, STEP = ".int8", ".step"
"""Suffixes of a matrix of weights (inputs × outputs) in the graph, and of its steps."""
EMBEDDING_BLOCK = 64
"""Of the small network; of the large one twice as many."""
ROUNDED_TOGETHER = 768
"""How many numbers of a row have one step when they are rounded to 8 bits, where there are so many."""
LARGEST = 127

Arrays = dict[str, NDArray[Any]]
Weights = tuple[TensorProto, TensorProto]
"""Inputs × outputs in 8 bits, and a step for each output."""


def export(network: Network, base: Base, folder: Path, name: str) -> None:
    """Write `name.onnx`, for the large network `name.weights` too, `name_tokenizer.json`, and `PRODUCTS`."""
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
        _shorten_embeddings(whole, shortened, EMBEDDING_BLOCK * (2 if network.large else 1))
        model = by_rows(onnx.load(shortened))
    if network.large:
        for one in model.graph.initializer:
            if one.name.endswith(IN_8_BITS):
                set_external_data(one, f"{name}.weights")
        (folder / f"{name}.weights").unlink(missing_ok=True)  # what is there would be appended to
    onnx.save(model, folder / f"{name}.onnx")
    onnx.save(largest_products(), folder / PRODUCTS)
    base.tokenizer.save(str(folder / f"{name}_tokenizer.json"), pretty=False)


def largest_products() -> onnx.ModelProto:
    """What `PRODUCTS` holds, which tells whether a processor keeps products of 8-bit numbers whole."""
    rows, columns = 64, 16
    given = helper.make_tensor_value_info("given", TensorProto.UINT8, ["rows", rows])
    made = helper.make_tensor_value_info("products", TensorProto.INT32, ["rows", columns])
    weights = numpy_helper.from_array(np.full((rows, columns), LARGEST, np.int8), "weights")
    node = helper.make_node("MatMulInteger", ["given", "weights"], ["products"])
    graph = helper.make_graph([node], "products", [given], [made], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _shorten_embeddings(path: Path, out: Path, block: int) -> None:
    """Keep embeddings in 4 bits."""
    quantizer = MatMulNBitsQuantizer(
        onnx.load(path), bits=4, block_size=block, is_symmetric=False, op_types_to_quantize=("Gather",),
        quant_axes=(("Gather", 1),),
    )  # fmt: skip
    quantizer.process()
    onnx.save(quantizer.model.model, out)


def by_rows(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with products of 8-bit numbers.

    What weights are multiplied with is rounded to 8 bits row by row, a stretch at a time: with one step for a whole
    batch, large numbers in one row coarsen all others, and what is judged would depend on what else is in the batch.
    """
    values = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    nodes: list[onnx.NodeProto] = []
    initializers = [
        numpy_helper.from_array(np.float32(1 / LARGEST), "step"),
        numpy_helper.from_array(np.uint8(128), "zero"),
        numpy_helper.from_array(np.float32(1e-9), "least"),
        numpy_helper.from_array(np.array([-1], np.int64), "last"),
    ]
    rounded: set[str] = set()
    for node in model.graph.node:
        weights = _in_8_bits(node, values)
        if not weights:
            nodes.append(node)
            continue
        given, parts = node.input[0], len(weights)
        if given not in rounded:  # queries, keys and values are made of the same
            rounded.add(given)
            nodes.append(helper.make_node("Split", [given], [f"{given}.{n}" for n in range(parts)], axis=-1,
                                          num_outputs=parts))  # fmt: skip
            nodes += [step for n in range(parts) for step in _rounded(f"{given}.{n}")]
        for n, own in enumerate(weights):
            row, name = f"{given}.{n}", f"{node.input[1]}.{n}"
            initializers += own
            product = [f"{row}.rounded", name + IN_8_BITS, "step", name + STEP, "zero"]
            nodes += [
                helper.make_node("MatMulIntegerToFloat", product, [f"{name}.made"], domain="com.microsoft"),
                helper.make_node("Mul", [f"{name}.made", f"{row}.most"], [f"{name}.product"]),
            ]
        products = [f"{node.input[1]}.{n}.product" for n in range(parts)]
        nodes.append(helper.make_node("Sum", products, list(node.output)))
    used = {one for node in nodes for one in node.input}
    initializers += [one for one in model.graph.initializer if one.name in used]
    graph = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, initializers)
    opsets = {one.domain: one for one in (*model.opset_import, helper.make_opsetid("com.microsoft", 1))}
    return helper.make_model(graph, opset_imports=opsets.values(), ir_version=model.ir_version)


def _in_8_bits(node: onnx.NodeProto, values: Arrays) -> list[Weights]:
    """A product's weights in 8 bits, of each stretch that is rounded together; none of another node."""
    if node.op_type != "MatMul" or node.input[1] not in values:
        return []
    matrix, made = values[node.input[1]], []
    for n, part in enumerate(np.split(matrix, max(1, len(matrix) // ROUNDED_TOGETHER))):
        name, steps = f"{node.input[1]}.{n}", np.abs(part).max(axis=0) / LARGEST
        steps = np.maximum(steps, np.finfo(np.float32).tiny).astype(np.float32)
        eights = np.rint(part / steps).astype(np.int8)
        made.append((numpy_helper.from_array(eights, name + IN_8_BITS), numpy_helper.from_array(steps, name + STEP)))
    return made


def _rounded(given: str) -> list[onnx.NodeProto]:
    """Steps that divide each row by its largest number and round it to 8 bits."""
    return [
        helper.make_node("Abs", [given], [f"{given}.size"]),
        helper.make_node("ReduceMax", [f"{given}.size", "last"], [f"{given}.largest"], keepdims=1),
        helper.make_node("Max", [f"{given}.largest", "least"], [f"{given}.most"]),
        helper.make_node("Div", [given, f"{given}.most"], [f"{given}.share"]),
        helper.make_node("QuantizeLinear", [f"{given}.share", "step", "zero"], [f"{given}.rounded"]),
    ]


def main() -> None:
    """`python -m training.export BASE FOLDER OUT NAME`: a network that was trained, in short weights."""
    base_name, trained, out, name = sys.argv[1:5]
    base = load_base(base_name)
    network = Network(base)
    load(network, Path(trained))
    export(network, base, Path(out), name)


if __name__ == "__main__":
    main()
