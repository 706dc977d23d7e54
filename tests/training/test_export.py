"""Products of 8-bit numbers in a graph: near those of full precision, each row by itself, and read back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

import onnxruntime  # noqa: E402

from memory_bank.judgement.pair_model import PRODUCTS  # noqa: E402
from training.corpus import DATA  # noqa: E402
from training.export import ROUNDED_TOGETHER, by_rows, largest_products  # noqa: E402
from training.shipped import products  # noqa: E402

INPUTS, OUTPUTS = 2 * ROUNDED_TOGETHER, 16


@pytest.fixture(scope="module")
def weights() -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(size=(INPUTS, OUTPUTS)).astype(np.float32)


@pytest.fixture(scope="module")
def model(weights: NDArray[np.float32]) -> onnx.ModelProto:
    """One layer: a product and its bias."""
    make, floats = onnx.helper, onnx.TensorProto.FLOAT
    graph = make.make_graph(
        [make.make_node("MatMul", ["rows", "W"], ["made"]), make.make_node("Add", ["made", "layer.bias"], ["out"])],
        "layer",
        [make.make_tensor_value_info("rows", floats, ["n", INPUTS])],
        [make.make_tensor_value_info("out", floats, ["n", OUTPUTS])],
        [onnx.numpy_helper.from_array(one, name) for name, one in (("W", weights), ("layer.bias", weights[0]))],
    )
    return by_rows(make.make_model(graph, opset_imports=[make.make_opsetid("", 18)], ir_version=9))


def test_products_are_near_those_of_full_precision_whatever_else_is_in_the_batch(
    model: onnx.ModelProto, weights: NDArray[np.float32]
) -> None:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = np.random.default_rng(2).normal(size=(4, INPUTS)).astype(np.float32)
    (alone,) = session.run(None, {"rows": rows})
    (among,) = session.run(None, {"rows": np.concatenate([1000 * rows, rows])})
    wanted = rows @ weights + weights[0]
    assert np.abs(alone - wanted).max() < 0.03 * wanted.std()
    np.testing.assert_array_equal(among[4:], alone)


def test_what_was_exported_is_read_back(model: onnx.ModelProto, weights: NDArray[np.float32]) -> None:
    given = {one.name: one for one in model.graph.initializer}
    ((bias, read),) = products(model.graph, given)
    assert bias == "layer.bias"
    assert np.abs(read - weights.T).max() <= np.abs(weights).max() / 127


def test_the_products_that_tell_processors_apart_are_as_they_ship() -> None:
    assert (DATA / PRODUCTS).read_bytes() == largest_products().SerializeToString()
