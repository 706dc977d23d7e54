"""Trains how the large network judges whether a statement answers a question, without changing the network.

`training.train` trains such a head with the network. This is for a network that was trained on pairs alone: a head
reads the states of two of its layers, and the network itself stays as it is. On two cores that takes an hour, nearly
all of it for the states of the corpus.

`python -m training.second_reading` writes the head into the shipped `large.onnx`, in 8 bits.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from memory_bank.judgement.pair_model import LARGE, Network, Pair
from memory_bank.judgement.statement import Statement
from training.graph import node, without
from training.questions import asked, asked_of_dossiers
from training.supplies import is_held_out, nearest

DATA = Path(__file__).parents[1] / "memory_bank/judgement/data"
LAYERS = (8, 11)
"""Counted from 0; the network has twelve. The eighth alone orders held-out statements better than the last."""
HEADS, HIDDEN = 6, 32
"""So many heads are trained, each from another start; what is written is their mean."""
EPOCHS, BATCH, RATE, DROPOUT = 10, 512, 2e-3, 0.3
POOLED, ANSWERS = "pooled", "answers"
_WIDTH = 768
_PREFIX = "answers."
"""Of the names of all nodes and values that this adds to the graph, so that a second run replaces them."""
_node = partial(node, _PREFIX)

Head = list[NDArray[np.float32]]
"""Weights and bias of the first layer (inputs × units, units) and of the second (units × 1, 1)."""


def main() -> None:
    """Train on the corpus's English questions, without those held out, and write the head."""
    found = [*asked(nearest), *asked_of_dossiers()]
    rows = [one for one in found if one.language == "en" and not is_held_out(one.group, one.supply)]
    pooled = pooled_states([(Statement(one.question), one.statement) for one in rows])
    answers = np.array([one.answers for one in rows])
    heads = [train(pooled, answers, seed) for seed in range(HEADS)]
    model = with_pooled(without_head(onnx.load(str(DATA / f"{LARGE}.onnx"), load_external_data=False)))
    onnx.save(with_head(model, mean_of(heads)), str(DATA / f"{LARGE}.onnx"))


def pooled_states(pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """What the head reads of each pair of a question and a statement: pairs × (layers × 5 × width)."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = with_pooled(without_head(onnx.load(str(DATA / f"{LARGE}.onnx"), load_external_data=False)))
        model.graph.output.append(helper.make_tensor_value_info(POOLED, TensorProto.FLOAT, None))
        onnx.save(model, str(folder / f"{LARGE}.onnx"))
        for name in (f"{LARGE}.safetensors", f"{LARGE}_tokenizer.json"):
            shutil.copy(DATA / name, folder)
        network = Network(folder, LARGE, temperature=1.0)
        states = np.zeros((len(pairs), len(LAYERS) * 5 * _WIDTH), np.float32)
        for indices, (found,) in network.run([POOLED], pairs, compared=False):
            states[indices] = found
    return states


def train(pooled: NDArray[np.float32], answers: NDArray[np.bool_], seed: int) -> Head:
    """A head that tells the answers from the others."""
    torch.manual_seed(seed)
    mean, deviation = pooled.mean(0), pooled.std(0) + 1e-3
    inputs = torch.from_numpy((pooled - mean) / deviation)
    wanted = torch.from_numpy(answers.astype(np.float32))
    first, second = nn.Linear(inputs.shape[1], HIDDEN), nn.Linear(HIDDEN, 1)
    head = nn.Sequential(nn.Dropout(DROPOUT), first, nn.Tanh(), nn.Dropout(DROPOUT), second)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE)
    steps = EPOCHS * (len(inputs) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1)
    for _ in range(EPOCHS):
        order = torch.randperm(len(inputs))
        for chosen in order[: len(order) // BATCH * BATCH].split(BATCH):
            loss = nn.functional.binary_cross_entropy_with_logits(head(inputs[chosen])[:, 0], wanted[chosen])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    weights = first.weight.detach().numpy().T / deviation[:, None]
    bias = first.bias.detach().numpy() - mean @ weights
    return [weights, bias, second.weight.detach().numpy().T, second.bias.detach().numpy()]


def mean_of(heads: Sequence[Head]) -> Head:
    """One head whose logit is the mean of those of several."""
    weights, biases, second, second_biases = zip(*heads, strict=True)
    return [
        np.concatenate(weights, axis=1),
        np.concatenate(biases),
        np.concatenate(second) / len(heads),
        np.mean(second_biases, axis=0),
    ]


def with_pooled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with the states of `LAYERS` pooled: first token, mean of either text, their difference and product."""
    own = [
        _constant("text axis", np.array([1], np.int64)),
        _constant("last axis", np.array([2], np.int64)),
        _constant("first", np.array([0], np.int64)),
    ]
    nodes = [
        _node("Mul", ["mask", "second"], "right tokens"),
        _node("Sub", ["mask", f"{_PREFIX}right tokens"], "left tokens"),
    ]
    for side in ("left", "right"):
        nodes += [
            _node("Cast", [f"{_PREFIX}{side} tokens"], f"{side} weights", to=TensorProto.FLOAT),
            _node("Unsqueeze", [f"{_PREFIX}{side} weights", f"{_PREFIX}last axis"], side),
            _node("ReduceSum", [f"{_PREFIX}{side}", f"{_PREFIX}text axis"], f"{side} count", keepdims=0),
        ]
    parts = []
    for layer in LAYERS:
        states = f"/network/encoder/encoder/layer.{layer}/output/LayerNorm/LayerNormalization_output_0"
        first = f"first {layer}"
        nodes += [
            _node("Gather", [states, f"{_PREFIX}first"], f"{first} kept", axis=1),
            _node("Squeeze", [f"{_PREFIX}{first} kept", f"{_PREFIX}text axis"], first),
        ]
        for side in ("left", "right"):
            nodes += [
                _node("Mul", [states, f"{_PREFIX}{side}"], f"{side} {layer} states"),
                _node("ReduceSum", [f"{_PREFIX}{side} {layer} states", f"{_PREFIX}text axis"], f"{side} {layer} sum",
                      keepdims=0),
                _node("Div", [f"{_PREFIX}{side} {layer} sum", f"{_PREFIX}{side} count"], f"{side} {layer}"),
            ]  # fmt: skip
        sides = [f"{_PREFIX}left {layer}", f"{_PREFIX}right {layer}"]
        nodes += [
            _node("Sub", sides, f"difference {layer}"),
            _node("Abs", [f"{_PREFIX}difference {layer}"], f"distance {layer}"),
            _node("Mul", sides, f"product {layer}"),
        ]
        parts += [f"{_PREFIX}{name} {layer}" for name in ("first", "left", "right", "distance", "product")]
    nodes.append(helper.make_node("Concat", parts, [POOLED], name=f"{_PREFIX}pooled", axis=-1))
    model.graph.initializer.extend(own)
    model.graph.node.extend(nodes)
    return model


def with_head(model: onnx.ModelProto, head: Head) -> onnx.ModelProto:
    """The graph with the head as a further output: one logit a pair.

    Its first weights are kept in 8 bits, after each input's largest was made 1: some states hardly vary and have large
    ones.
    """
    weights, bias, second, second_bias = (part.astype(np.float32) for part in head)
    largest = np.abs(weights).max(axis=1)
    weights = weights / largest[:, None]
    steps = np.abs(weights).max(axis=0) / 127
    own = [
        _constant("largest", largest),
        _constant("weights", np.rint(weights / steps).astype(np.int8)),
        _constant("steps", steps),
        _constant("zeros", np.zeros(len(steps), np.int8)),
        _constant("bias", bias),
        _constant("second weights", second),
        _constant("second bias", second_bias),
    ]
    scaled = [f"{_PREFIX}{name}" for name in ("weights", "steps", "zeros")]
    nodes = [
        _node("DequantizeLinear", scaled, "scaled", axis=1),
        _node("Mul", [POOLED, f"{_PREFIX}largest"], "inputs"),
        _node("Gemm", [f"{_PREFIX}inputs", f"{_PREFIX}scaled", f"{_PREFIX}bias"], "hidden"),
        _node("Tanh", [f"{_PREFIX}hidden"], "units"),
        helper.make_node("Gemm", [f"{_PREFIX}{name}" for name in ("units", "second weights", "second bias")],
                         [ANSWERS], name=f"{_PREFIX}output"),
    ]  # fmt: skip
    model.graph.initializer.extend(own)
    model.graph.node.extend(nodes)
    model.graph.output.append(helper.make_tensor_value_info(ANSWERS, TensorProto.FLOAT, ["pairs", 1]))
    return model


def without_head(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without the head, where an earlier run has written one."""
    return without(model, _PREFIX, ANSWERS)


def _constant(name: str, value: NDArray[np.generic]) -> onnx.TensorProto:
    return numpy_helper.from_array(value, _PREFIX + name)


if __name__ == "__main__":
    main()
