from __future__ import annotations

import pytest

from memory_bank.app.evaluation import bench_bank

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    adding, memory = bench_bank.bank_figures(scale=0.01)
    assert [adding.target, memory.target] == ["<= 1.5", "<= 200 MB"]
    assert adding.value > 0
    assert memory.value > 0
