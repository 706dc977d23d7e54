"""Take a network's weights out of the shipped files, to go on training from them.

`training.train --base mpnet --start memory_bank/judgement/data` does. They are in short, so that a network that starts
from them is not exactly the one that was exported; a few hundred steps make up for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from memory_bank.judgement.pair_model import LARGE, SMALL
from training.export import IN_8_BITS, STEP
from training.network import Network
from training.question_states import WRITTEN_AFTERWARDS


def load_shipped(network: Network, folder: Path) -> None:
    """Put the shipped weights of a folder into `network`; its head for kinds of task is left as it is."""
    name = LARGE if network.large else SMALL
    graph = onnx.load(folder / f"{name}.onnx").graph
    given = {one.name: one for one in graph.initializer}
    found: dict[str, NDArray[Any]] = {
        key: numpy_helper.to_array(one)
        for key, one in given.items()
        if key.endswith((".bias", ".weight")) and not key.startswith(WRITTEN_AFTERWARDS)
    }
    found |= {f"{bias.removesuffix('bias')}weight": weights for bias, weights in products(graph, given)}
    tables = {key.removesuffix("_Q4") for key in given if key.endswith("_Q4")}
    found |= {table: _table(given, table) for table in tables}
    own = network.state_dict()
    state = {_unshifted(key): torch.from_numpy(value.astype(np.float32)) for key, value in found.items()}
    unknown = {key for key, value in state.items() if key not in own or own[key].shape != value.shape}
    if unknown:
        raise SystemExit(f"{folder / name}: not weights of this base: {sorted(unknown)[:3]}")
    network.load_state_dict(state, strict=False)


def products(graph: onnx.GraphProto, given: dict[str, onnx.TensorProto]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The bias that is added to each product, and its weights, outputs × inputs."""
    for product, bias in _biases(graph, set(given)).items():
        stretches = takewhile(lambda part: part + IN_8_BITS in given, (f"{product}.{n}" for n in count()))
        weights = [
            numpy_helper.to_array(given[part + IN_8_BITS]) * numpy_helper.to_array(given[part + STEP])
            for part in stretches
        ]
        yield bias, np.concatenate(weights).T


def _biases(graph: onnx.GraphProto, given: set[str]) -> dict[str, str]:
    """For each product the bias that is added to it, which tells whose weights they are."""
    added = {
        side: other
        for node in graph.node
        if node.op_type == "Add"
        for side, other in (tuple(node.input), tuple(node.input)[::-1])
        if other in given
    }
    return {
        node.input[0].removesuffix(".product").rsplit(".", 1)[0]: added[node.output[0]]
        for node in graph.node
        if node.op_type == "Sum" and node.input[0].endswith(".product")
    }


def _unshifted(key: str) -> str:
    """The export puts one step before those of a head, which moves their numbers."""
    head, *rest = key.split(".")
    return f"{head}.{int(rest[0]) - 1}.{rest[1]}" if head in ("pair", "answers") else key


def _table(given: dict[str, onnx.TensorProto], key: str) -> NDArray[np.float32]:
    """An embedding in 4 bits, rows × width."""
    rows, width = given[f"{key}_Q4"].dims
    numbers = _unpack(np.frombuffer(given[f"{key}_Q4"].raw_data, np.uint8)).reshape(rows, -1)[:, :width]
    steps = numpy_helper.to_array(given[f"{key}_scales"])
    packed = np.frombuffer(given[f"{key}_zero_points"].raw_data, np.uint8)
    zeros = _unpack(packed).reshape(-1)[: steps.size].reshape(steps.shape)
    block = -(-width // steps.shape[1])
    return (numbers - np.repeat(zeros, block, axis=1)[:, :width]) * np.repeat(steps, block, axis=1)[:, :width]


def _unpack(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Two 4-bit numbers from each byte, the low one first."""
    return np.stack([packed & 15, packed >> 4], axis=-1).astype(np.int8)
