from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from memory_bank.judgement.weights import IN_8_BITS, STEP, WEIGHT, ZERO, read_weights

HALF_BYTES = st.integers(0, 15)


@given(
    st.lists(st.lists(HALF_BYTES, min_size=16, max_size=16), min_size=1, max_size=4),
    st.lists(st.floats(1e-4, 10), min_size=8, max_size=8),
)
def test_in_8_bits_every_weight_is_what_it_was_to_half_a_step(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], steps: list[float]
) -> None:
    path = tmp_path_factory.mktemp("w") / "w.safetensors"
    fours = np.array(rows, np.uint8).reshape(len(rows), 2, 8)  # outputs × blocks × inputs of a block
    step = np.array(steps, np.float32)[: 2 * len(rows)].reshape(len(rows), 2)
    zeros = np.full((len(rows), 2), 7, np.uint8)
    packed = fours[:, :, ::2] | fours[:, :, 1::2] << 4
    save_file({f"m{WEIGHT}": packed, f"m{STEP}": step, f"m{ZERO}": zeros[:, :1] | zeros[:, 1:] << 4}, path)

    found = read_weights(path)

    matrix, of_output = found[f"m{IN_8_BITS}"], found[f"m{STEP}"]
    assert matrix.shape == (16, len(rows))
    exact = ((fours.astype(np.float32) - 7) * step[:, :, None]).reshape(len(rows), 16).T
    assert (np.abs(matrix * of_output - exact) <= of_output * 0.51).all()
