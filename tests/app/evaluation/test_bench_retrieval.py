from __future__ import annotations

import pytest

from memory_bank.app.evaluation.bench_retrieval import retrieval_figures

pytestmark = pytest.mark.slow


def test_a_small_run_gives_every_figure() -> None:
    figures = retrieval_figures(scale=0.02)
    assert [figure.target for figure in figures] == ["<= 1.5", "<= 3", "<= 200 MB", "<= 3"]
    assert all(figure.value > 0 for figure in figures)
    assert all(figure.reference is None or figure.reference > 0 for figure in figures)
