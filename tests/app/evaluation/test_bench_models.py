from __future__ import annotations

import pytest

from memory_bank.app.evaluation.bench_models import PAIRS_PER_SECOND, judgement_figures

pytestmark = pytest.mark.slow


def test_a_small_run_gives_the_time() -> None:
    (speed,) = judgement_figures(scale=0.05)
    assert speed.value > 0
    assert speed.target == f"<= {50 / PAIRS_PER_SECOND:g} s"
