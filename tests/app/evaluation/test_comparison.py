"""Regressions are told from noise: on invented repeats, and on a function that is slowed down by half."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime

import pytest

from memory_bank.app.evaluation import timing
from memory_bank.app.evaluation.bench_history import Machine, Run
from memory_bank.app.evaluation.comparison import RUNS, Verdict, compare, comparison_table
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.timing import Pairs, time_alternating

MACHINE = Machine(cores=2, python="3.11", platform="Linux x86_64")


def run(*figures: Figure, machine: Machine = MACHINE) -> Run:
    return Run(commit="a", date=datetime(2024, 1, 1, tzinfo=UTC), machine=machine, figures=figures)


def timed(*ratios: float) -> Figure:
    return Figure.watched("adding", "s", Pairs(ratios, (1,) * len(ratios)))


def verdict(now: Figure, *before: Figure) -> Verdict:
    (comparison,) = compare(run(now), [run(figure) for figure in before])
    return comparison.verdict


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        ((1.5, 1.52, 1.48), [(1, 1.02, 0.98)], "slower"),
        ((1, 1.02, 0.98), [(1.5, 1.52, 1.48)], "faster"),
        ((1.08, 1.07, 1.09), [(1, 1.02, 0.98)], "within noise"),  # the ranges are apart, but by little
        ((1.5, 1.52, 0.99), [(1, 1.02, 0.98)], "within noise"),  # one repeat is inside the earlier range
        ((1.5, 1.52, 1.48), [(1, 1.6, 0.98)], "within noise"),  # one earlier repeat was as slow
        (
            (1.5, 1.52, 1.48),
            [(1, 1.6, 0.98), (1, 1, 1), (1, 1, 1), (1, 1.01, 1)],
            "slower",
        ),  # that run is no longer among the last three
        ((1.5, 1.52, 1.48), [], "new"),
        ((1.5,), [(1,), (1,), (1,)], "within noise"),  # too few repeats to know the spread
    ],
)
def test_a_figure_has_changed_when_all_repeats_and_the_median_say_so(
    now: Sequence[float], before: Sequence[Sequence[float]], expected: Verdict
) -> None:
    assert verdict(timed(*now, *now), *(timed(*ratios, *ratios) for ratios in before)) == expected


def test_few_repeats_tell_nothing_until_there_are_more_runs() -> None:
    slow, fast = timed(1.5, 1.52, 1.48), timed(1, 1.02, 0.98)
    assert [verdict(slow, *[fast] * runs) for runs in (1, 2, 3)] == ["within noise", "within noise", "slower"]


def test_more_is_better_where_the_target_is_to_be_reached() -> None:
    def figure(seconds: float) -> Figure:
        return Figure.faster("adding", "s", Pairs((seconds,) * 5, (60,) * 5), 30)

    assert verdict(figure(2), figure(1)) == "slower"
    assert verdict(figure(1), figure(2)) == "faster"
    assert verdict(Figure.least("recall", "of 1", 0.7, 0.9), Figure.least("recall", "of 1", 0.9, 0.9)) == "worse"
    assert verdict(Figure.most("memory", "MB", 100, 200), Figure.most("memory", "MB", 150, 200)) == "better"


def test_another_kind_of_machine_and_another_figure_are_nothing_to_compare_with() -> None:
    other = run(timed(1, 1, 1), machine=MACHINE.model_copy(update={"cores": 64}))
    (comparison,) = compare(run(timed(2, 2, 2)), [other, run(Figure.most("memory", "MB", 1, 2))])
    assert (comparison.verdict, comparison.before) == ("new", None)


def test_of_the_runs_before_those_count_that_have_the_figure() -> None:
    memory = run(Figure.most("memory", "MB", 1, 2))
    (comparison,) = compare(run(timed(*[2] * 5)), [run(timed(*[1] * 5)), *[memory] * RUNS])
    assert comparison.verdict == "slower"


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.2])
def test_runs_of_the_same_code_hardly_ever_differ_and_half_as_slow_again_is_seen_where_it_can_be(noise: float) -> None:
    chance = random.Random(5)

    def figure(of: float) -> Figure:
        return timed(*(of * chance.lognormvariate(0, noise) for _ in range(5)))

    alarms = sum(verdict(figure(1), figure(1), figure(1), figure(1)) != "within noise" for _ in range(2000))
    found = sum(verdict(figure(1.5), figure(1), figure(1), figure(1)) == "slower" for _ in range(2000))
    assert alarms <= 4
    assert found >= (1900 if noise < 0.1 else 100)


def test_a_function_that_takes_half_as_long_again_is_reported_and_one_that_is_the_same_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fake clock that counts work, on a machine with noise of some percent that is half as fast half of the time."""
    chance, clock = random.Random(3), [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(timing, "without_full_gc", nullcontext)  # garbage collection does not affect this clock

    def work(amount: float) -> None:
        clock[0] += amount * chance.lognormvariate(0, 0.05) * (2 if clock[0] % 200 > 100 else 1)

    def measured(amount: float) -> Figure:
        return Figure.watched("work", "s", time_alternating(lambda: work(amount), lambda: work(1), 5))

    earlier = [measured(1) for _ in range(RUNS)]
    assert [verdict(measured(1), *earlier) for _ in range(20)] == ["within noise"] * 20
    assert [verdict(measured(1.5), *earlier) for _ in range(20)].count("slower") >= 18


def test_the_table_has_a_line_for_each_figure_with_what_it_was_and_is() -> None:
    (line,) = comparison_table(compare(run(timed(1.5, 1.6, *[1.5] * 3)), [run(timed(*[1] * 5))])).splitlines()
    assert line.split() == ["slower", "adding", "1", "->", "1.5", "(1.5", "to", "1.6)"]
