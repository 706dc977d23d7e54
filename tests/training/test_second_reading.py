"""The head that judges answers: learns what can be told apart, and is written into the graph once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from memory_bank.judgement.pair_model import LARGE  # noqa: E402
from training.second_reading import DATA, Head, mean_of, train, with_head, with_pooled, without_head  # noqa: E402

ROWS, INPUTS = 16_384, 8


def logits(head: Head, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    weights, bias, second, second_bias = head
    found: NDArray[np.float32] = (np.tanh(inputs @ weights + bias) @ second + second_bias)[:, 0]
    return found


def test_a_head_learns_and_several_count_by_their_mean() -> None:
    inputs = np.random.default_rng(1).normal(size=(ROWS, INPUTS)).astype(np.float32)
    answers = inputs[:, 0] + inputs[:, 1] > 0
    heads = [train(inputs, answers, seed) for seed in range(2)]
    mean = logits(mean_of(heads), inputs)
    assert ((mean > 0) == answers).mean() > 0.95
    assert mean == pytest.approx(np.mean([logits(head, inputs) for head in heads], axis=0), abs=1e-4)


def test_writing_a_head_again_replaces_it() -> None:
    model = onnx.load(str(DATA / f"{LARGE}.onnx"), load_external_data=False)
    names = [node.name for node in model.graph.node]
    head = [np.ones((7680, 2)), np.zeros(2), np.ones((2, 1)), np.zeros(1)]
    again = with_head(with_pooled(without_head(model)), [part.astype(np.float32) for part in head])
    assert [node.name for node in again.graph.node] == names
    assert [output.name for output in again.graph.output] == ["pair", "answers"]
