from __future__ import annotations

from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import Pairs


def test_faster_divides_the_reference_by_the_figure() -> None:
    figure = Figure.faster("adding", "s", Pairs((2,), (60,)), times=30)
    assert (figure.value, figure.reference, figure.ratio, figure.target, figure.held) == (2, 60, 30, ">= 30", True)
    assert not Figure.faster("adding", "s", Pairs((2.1,), (60,)), times=30).held


def test_within_divides_the_figure_by_the_reference() -> None:
    figure = Figure.within("retrieval", "µs", Pairs((15,), (10,)), times=1.5)
    assert (figure.ratio, figure.target, figure.held) == (1.5, "<= 1.5", True)
    assert not Figure.within("retrieval", "µs", Pairs((16,), (10,)), times=1.5).held


def test_below_has_a_limit_in_its_own_unit_and_a_reference_to_see_it_by() -> None:
    figure = Figure.below("recall", "ms", Pairs((50,), (2,)), limit=50)
    assert (figure.ratio, figure.target, figure.held) == (25, "<= 50 ms", True)
    assert not Figure.below("recall", "ms", Pairs((50.5,), (2,)), limit=50).held


def test_most_and_least_have_a_limit_and_no_reference() -> None:
    figure = Figure.most("memory", "MB", value=200, limit=200)
    assert (figure.reference, figure.ratio, figure.target, figure.held) == (None, None, "<= 200 MB", True)
    assert (figure.compared, figure.spread, figure.repeats) == (200, (200, 200), 1)
    assert not Figure.most("memory", "MB", value=200.5, limit=200).held
    assert Figure.least("recall", "of 1", value=0.95, limit=0.95).held
    assert not Figure.least("recall", "of 1", value=0.94, limit=0.95).held


def test_a_machine_that_becomes_slower_changes_the_times_and_not_the_ratio() -> None:
    """Each value is compared with the reference measured beside it, which became slower too."""
    figure = Figure.within("adding", "s", Pairs((2, 2, 6, 6, 2), (1, 1, 3, 3, 1)), times=2)
    assert (figure.ratio, figure.spread, figure.repeats) == (2, (2, 2), 5)


def test_one_slow_moment_shows_in_the_spread_alone() -> None:
    figure = Figure.faster("adding", "s", Pairs((1, 1, 5), (10, 10, 10)), times=10)
    assert (figure.ratio, figure.spread) == (10, (2, 10))
