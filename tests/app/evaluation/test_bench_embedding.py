from __future__ import annotations

import pytest

from memory_bank.app.evaluation.bench_embedding import embedding_figures

pytestmark = pytest.mark.slow


def test_a_small_run_gives_both_figures_and_the_same_vectors() -> None:
    speed, cosine = embedding_figures(scale=0.02)
    assert (speed.target, cosine.target) == (">= 1.5", ">= 0.999 of 1")
    assert speed.value > 0
    assert cosine.held
