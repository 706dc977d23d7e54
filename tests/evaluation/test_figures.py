from __future__ import annotations

from memory_bank.evaluation.figures import Figure


def test_faster_divides_the_reference_by_the_figure() -> None:
    figure = Figure.faster("adding", "s", value=2, reference=60, times=30)
    assert (figure.ratio, figure.target, figure.held) == (30, ">= 30", True)
    assert not Figure.faster("adding", "s", value=2.1, reference=60, times=30).held


def test_within_divides_the_figure_by_the_reference() -> None:
    figure = Figure.within("retrieval", "µs", value=15, reference=10, times=1.5)
    assert (figure.ratio, figure.target, figure.held) == (1.5, "<= 1.5", True)
    assert not Figure.within("retrieval", "µs", value=16, reference=10, times=1.5).held


def test_below_has_a_limit_and_no_reference() -> None:
    figure = Figure.below("memory", "MB", value=200, limit=200)
    assert (figure.reference, figure.ratio, figure.target, figure.held) == (None, None, "<= 200 MB", True)
    assert not Figure.below("memory", "MB", value=200.5, limit=200).held
