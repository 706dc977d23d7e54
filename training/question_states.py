"""The small network's states of questions, on which layers are trained while the network stays as it is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memory_bank.judgement.pair_model import SMALL, Network
from memory_bank.judgement.statement import Statement
from training.corpus import DATA

FILE = DATA / f"{SMALL}.onnx"
BEGINNING = "/Slice_output_0"
"""The first token's state and the mean of the first text, of the last layer."""
MIDDLE, KIND, COMPUTATION = WRITTEN_AFTERWARDS = ("middle.", "kind.", "computation.")
"""Beginnings of the names of what is written into the graph after the export, so that a second run finds it."""
MEAN = f"{MIDDLE}mean"
"""The mean state of the question in `LAYER`."""
LAYER = 5
"""Counted from 0; the network has twelve."""

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights (states × outputs) and bias."""


def states_of(asked: Sequence[str], model: onnx.ModelProto, *names: str) -> NDArray[np.float32]:
    """What some tensors of the graph are for each question, side by side: questions × states."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shown = onnx.ModelProto()
        shown.CopyFrom(model)
        shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
        onnx.save(shown, str(folder / FILE.name))
        shutil.copy(DATA / f"{SMALL}_tokenizer.json", folder)
        network = Network(folder, SMALL, temperature=1.0)
        found: dict[int, NDArray[np.float32]] = {}
        for indices, states in network.run(names, [(Statement(q), Statement("")) for q in asked], compared=False):
            found |= dict(zip(indices, np.hstack(states), strict=True))
        return np.stack([found[n] for n in range(len(asked))])


def with_mean(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with the mean state of the first text, where it does not have it yet."""
    if any(MEAN in node.output for node in model.graph.node):
        return model
    states = f"/encoder/encoder/layer.{LAYER}/output/LayerNorm/LayerNormalization_output_0"
    model.graph.initializer.extend(
        numpy_helper.from_array(np.array([axis], np.int64), f"{MIDDLE}{name}")
        for name, axis in (("text axis", 1), ("last axis", 2))
    )
    model.graph.node.extend([
        _node("Mul", ["mask", "second"], "second tokens"),
        _node("Sub", ["mask", f"{MIDDLE}second tokens"], "first tokens"),
        _node("Cast", [f"{MIDDLE}first tokens"], "shares", to=TensorProto.FLOAT),
        _node("Unsqueeze", [f"{MIDDLE}shares", f"{MIDDLE}last axis"], "share of each"),
        _node("Mul", [states, f"{MIDDLE}share of each"], "own states"),
        _node("ReduceSum", [f"{MIDDLE}own states", f"{MIDDLE}text axis"], "sum", keepdims=0),
        _node("ReduceSum", [f"{MIDDLE}share of each", f"{MIDDLE}text axis"], "count", keepdims=0),
        _node("Div", [f"{MIDDLE}sum", f"{MIDDLE}count"], "mean"),
    ])  # fmt: skip
    return model


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, [MIDDLE + output], name=MIDDLE + output, **attributes)
