"""Trains what a question asks to be computed: a difference, a sum, the time between two moments, or nothing.

`python -m training.computation` trains a layer on the small network's states of the questions, the network left as it
is, and writes it into the shipped `small.onnx`.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.linear_model import LogisticRegression

from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.pair_model import COMPUTED
from memory_bank.text.values.arithmetic import Computation
from training.corpus import HERE, lines
from training.question_states import COMPUTATION, FILE, MEAN, Layer, states_of, with_mean
from training.questions import tasks
from training.supplies import is_held_out

OUTPUT = "computation"
PENALTY = 0.02
"""How weakly large weights are held back."""
PLAIN = frozenset(
    {"who", "where", "why", "how", "how to", "what is", "which", "yes/no", "what happened", "fact", "conflict"}
)
"""Kinds of questions of the other files that ask for no computation."""


def main() -> None:
    """Train on what is not held out, say what is right of the rest, and write the layer."""
    given = questions()
    model = with_mean(without_layer(onnx.load(str(FILE))))
    states = states_of([question for question, _, _ in given], model, MEAN)
    wanted = np.array([list(Computation).index(computation) for _, computation, _ in given])
    apart = np.array([is_held_out(group, "computations") for _, _, group in given])
    weights, bias = fit(states[~apart], wanted[~apart])
    logits = states[apart] @ weights + bias
    chances = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    said = np.where(chances.max(axis=1) >= COMPUTED, chances.argmax(axis=1), 0)
    for n, computation in enumerate(Computation):
        right = int(((said == n) & (wanted[apart] == n)).sum())
        print(computation, {"is": int((wanted[apart] == n).sum()), "said": int((said == n).sum()), "right": right})
    onnx.save(with_layer(model, (weights, bias)), str(FILE))


def questions() -> list[tuple[str, Computation, str]]:
    """Every question of `computations-*.jsonl`, its computation and group; others that ask for none."""
    labelled = [
        (one["q"], Computation(one["computation"]), f"{path.stem}.{number}")
        for path in sorted(HERE.glob("computations-*.jsonl"))
        for number, one in enumerate(lines(path))
    ]
    others = [
        (question["q"], Computation.NONE, f"{path.stem}.{number}")
        for path in sorted([*HERE.glob("questions-*.jsonl"), *HERE.glob("dossiers-*.jsonl")])
        for number, item in enumerate(lines(path))
        for question in item.get("questions", ())
        if question["kind"] in PLAIN
    ]
    others += [
        (one.text, Computation.NONE, one.group)
        for one in tasks()
        if one.kind not in (TaskKind.COUNT, TaskKind.WHEN, TaskKind.SEVERAL)
    ]
    return labelled + others


def fit(states: NDArray[np.float32], wanted: NDArray[np.int64]) -> Layer:
    """The layer that tells the computations apart."""
    mean, deviation = states.mean(0), states.std(0) + 1e-3
    fitted = LogisticRegression(C=PENALTY, max_iter=3000).fit((states - mean) / deviation, wanted)
    weights = fitted.coef_.T / deviation[:, None]
    return weights.astype(np.float32), (fitted.intercept_ - mean @ weights).astype(np.float32)


def with_layer(model: onnx.ModelProto, layer: Layer) -> onnx.ModelProto:
    """The graph with the layer as a further output."""
    for name, value in zip(("weights", "bias"), layer, strict=True):
        model.graph.initializer.append(numpy_helper.from_array(value, COMPUTATION + name))
    inputs = [MEAN, f"{COMPUTATION}weights", f"{COMPUTATION}bias"]
    model.graph.node.append(helper.make_node("Gemm", inputs, [OUTPUT], name=f"{COMPUTATION}output"))
    shape = ["pairs", len(Computation)]
    model.graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, shape))
    return model


def without_layer(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without the layer, where an earlier run has written one."""
    for part in (model.graph.node, model.graph.initializer):
        for one in [one for one in part if one.name.startswith(COMPUTATION)]:
            part.remove(one)
    for one in [one for one in model.graph.output if one.name == OUTPUT]:
        model.graph.output.remove(one)
    return model


if __name__ == "__main__":
    main()
