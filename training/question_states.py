"""The small network's states of questions, on which layers are trained while the network stays as it is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from memory_bank.judgement.pair_model import SMALL, Network
from memory_bank.judgement.statement import Statement
from training.corpus import DATA

FILE = DATA / f"{SMALL}.onnx"

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights (states × outputs) and bias."""


def states_of(asked: Sequence[str], model: onnx.ModelProto, name: str) -> NDArray[np.float32]:
    """What a tensor of the graph is for each question: questions × states."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shown = onnx.ModelProto()
        shown.CopyFrom(model)
        shown.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        onnx.save(shown, str(folder / FILE.name))
        shutil.copy(DATA / f"{SMALL}_tokenizer.json", folder)
        network = Network(folder, SMALL, temperature=1.0)
        found: dict[int, NDArray[np.float32]] = {}
        for indices, (states,) in network.run([name], [(Statement(q), Statement("")) for q in asked], compared=False):
            found |= dict(zip(indices, states, strict=True))
        return np.stack([found[n] for n in range(len(asked))])
