"""The layer that tells what kind of task a question is: learns what is excluded, and is written into the graph once."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch")

from memory_bank.bank.task_kind import KINDS, TaskKind  # noqa: E402
from training.kinds import BIAS, OUTPUT, WEIGHTS, Labelled, fit, labelled, with_layer  # noqa: E402
from training.question_states import FILE, with_mean  # noqa: E402


def test_every_kind_has_tasks_of_its_own() -> None:
    assert {kind for one in labelled() if len(one.kinds) == 1 for kind in one.kinds} == set(KINDS)


def test_what_a_question_cannot_be_is_learned() -> None:
    rng = np.random.default_rng(1)
    states, kind = rng.normal(size=(300, 16)).astype(np.float32), np.arange(300) % 2
    states[np.arange(300), kind] += 6
    either = frozenset({TaskKind.FACT, TaskKind.WHY})
    given = [Labelled("", either if n else frozenset({TaskKind.BEYOND}), "", "tasks") for n in kind]
    weights, bias = fit(states, given)
    told = [KINDS[n] for n in (states @ weights + bias).argmax(axis=1)]
    assert all(one in each.kinds for one, each in zip(told, given, strict=True))


def test_writing_the_layer_again_replaces_it() -> None:
    model = onnx.load(str(FILE), load_external_data=False)
    names = sorted(node.name for node in model.graph.node)
    again = with_layer(
        with_mean(model), (np.ones((768 + 384, len(KINDS)), np.float32), np.zeros(len(KINDS), np.float32))
    )
    assert sorted(node.name for node in again.graph.node) == names
    assert [output.name for output in again.graph.output].count(OUTPUT) == 1
    given = [one.name for one in again.graph.initializer]
    assert given.count(WEIGHTS) == given.count(BIAS) == 1
