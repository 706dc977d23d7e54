"""Read a network's 4-bit weights and convert them to 8 bits: 4 are small to ship, 8 are fast to multiply.

The file has the layout of onnxruntime's `MatMulNBits`: for each output the inputs in blocks, two to a byte, with a step
and a zero point for each block. The graph itself holds no weights (`training/export.py` writes both).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_bank.text.parallel import processors

WEIGHT, STEP, ZERO = ".weight", ".step", ".zero"
IN_8_BITS = ".int8"
"""Suffix of an 8-bit matrix in the graph; its steps, one for each output, are named as in the file."""
_LARGEST = 127


def read_weights(path: Path) -> dict[str, NDArray[np.int8 | np.float32]]:
    """Each 8-bit matrix, inputs × outputs, and its steps, by their names in the graph."""
    from safetensors.numpy import load_file  # noqa: PLC0415

    tensors = load_file(path)
    names = [name.removesuffix(WEIGHT) for name in tensors if name.endswith(WEIGHT)]
    with ThreadPoolExecutor(processors()) as pool:
        matrices = pool.map(lambda name: _to_8_bits(*(tensors[name + part] for part in (WEIGHT, STEP, ZERO))), names)
        weights: dict[str, NDArray[np.int8 | np.float32]] = {}
        for name, (matrix, steps) in zip(names, matrices, strict=True):
            weights |= {name + IN_8_BITS: matrix, name + STEP: steps}
    return weights


def _to_8_bits(
    packed: NDArray[np.uint8], steps: NDArray[np.float32], zeros: NDArray[np.uint8]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Requantise one matrix from a step and zero point per block to one step per output.

    `packed` is outputs × blocks × half a block (bytes), `steps` outputs × blocks, `zeros` packed like the weights.
    """
    outputs = len(steps)
    weights = steps_from_zero(packed, zeros, blocks=steps.shape[1])
    step = (np.abs(weights).max(axis=2) * steps).max(axis=1) / _LARGEST
    step = np.maximum(step, np.finfo(np.float32).tiny).astype(np.float32)
    rounded = np.rint(weights * (steps / step[:, None])[:, :, None]).astype(np.int8)
    return np.ascontiguousarray(rounded.reshape(outputs, -1).T), step


def steps_from_zero(packed: NDArray[np.uint8], zeros: NDArray[np.uint8], blocks: int) -> NDArray[np.int8]:
    """How many steps each weight is from zero: outputs × blocks × block."""
    outputs = len(packed)
    zero = unpack(zeros).reshape(outputs, -1)[:, :blocks]
    steps: NDArray[np.int8] = unpack(packed).reshape(outputs, blocks, -1) - zero[:, :, None]
    return steps


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Two 4-bit numbers from each byte, the low one first."""
    return np.stack([packed & 15, packed >> 4], axis=-1).astype(np.int8)
