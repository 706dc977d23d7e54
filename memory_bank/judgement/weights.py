"""A network's weights: kept in 4 bits, which are small to ship, and multiplied in 8, which processors are quick at.

They are kept as onnxruntime's `MatMulNBits` has them: for each output the inputs in blocks, two to a byte, with a step
and a zero for each block. What multiplies them is a graph without weights (`training/export.py` writes both).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_bank.modules.parallel import processors

WEIGHT, STEP, ZERO = ".weight", ".step", ".zero"
IN_8_BITS = ".int8"
"""How the graph names a matrix in 8 bits; its steps, one for each output, are named as in the file."""
_LARGEST = 127


def read_weights(path: Path) -> dict[str, NDArray[np.int8 | np.float32]]:
    """Each matrix in 8 bits, inputs × outputs, and its steps, by the names they have in the graph."""
    from safetensors.numpy import load_file  # noqa: PLC0415

    kept = load_file(path)
    names = [name.removesuffix(WEIGHT) for name in kept if name.endswith(WEIGHT)]
    with ThreadPoolExecutor(processors()) as pool:
        matrices = pool.map(lambda name: _in_8_bits(*(kept[name + part] for part in (WEIGHT, STEP, ZERO))), names)
        found: dict[str, NDArray[np.int8 | np.float32]] = {}
        for name, (matrix, steps) in zip(names, matrices, strict=True):
            found |= {name + IN_8_BITS: matrix, name + STEP: steps}
    return found


def _in_8_bits(
    packed: NDArray[np.uint8], steps: NDArray[np.float32], zeros: NDArray[np.uint8]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """From outputs × blocks × half a block, with a step and half a byte of zero for each block."""
    outputs, blocks = steps.shape
    zero = _halves(zeros).reshape(outputs, -1)[:, :blocks]
    weights = _halves(packed).reshape(outputs, blocks, -1) - zero[:, :, None]
    step = (np.abs(weights).max(axis=2) * steps).max(axis=1) / _LARGEST
    step = np.maximum(step, np.finfo(np.float32).tiny).astype(np.float32)
    rounded = np.rint(weights * (steps / step[:, None])[:, :, None]).astype(np.int8)
    return np.ascontiguousarray(rounded.reshape(outputs, -1).T), step


def _halves(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    return np.stack([packed & 15, packed >> 4], axis=-1).astype(np.int8)
