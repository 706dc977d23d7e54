"""The layer that tells what is to be computed: learns what can be told apart, and is written into the graph once."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from memory_bank.judgement.pair_model import SMALL  # noqa: E402
from memory_bank.text.values.arithmetic import Computation  # noqa: E402
from training.computation import OUTPUT, fit, questions, with_layer, without_layer  # noqa: E402
from training.corpus import DATA  # noqa: E402
from training.question_states import with_mean  # noqa: E402


def test_every_computation_has_questions() -> None:
    assert {computation for _, computation, _ in questions()} == set(Computation)


def test_computations_that_can_be_told_apart_are() -> None:
    wanted = np.arange(400) % len(Computation)
    states = np.random.default_rng(1).normal(size=(400, 8)).astype(np.float32)
    states[np.arange(400), wanted] += 6
    weights, bias = fit(states, wanted)
    assert ((states @ weights + bias).argmax(axis=1) == wanted).mean() > 0.95


def test_writing_the_layer_again_replaces_it() -> None:
    model = onnx.load(str(DATA / f"{SMALL}.onnx"), load_external_data=False)
    names, count = [node.name for node in model.graph.node], len(Computation)
    again = with_layer(
        with_mean(without_layer(model)), (np.ones((384, count), np.float32), np.zeros(count, np.float32))
    )
    assert sorted(node.name for node in again.graph.node) == sorted(names)
    assert [output.name for output in again.graph.output].count(OUTPUT) == 1
