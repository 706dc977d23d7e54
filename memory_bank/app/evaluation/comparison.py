"""`bench --compare`: decide whether a figure changed between runs or differs only by noise.

What is compared is the ratio to the reference measured beside it (or the value if there is none, as for megabytes), so
a slower machine changes nothing. A figure has changed when both conditions hold:

1. The range of its repeats lies wholly outside the range of the last `RUNS` runs together. If nothing had changed,
   every order of all repeats would be equally likely: five repeats lie beyond all fifteen of three runs in 2 of 15,504
   orders, and beyond the five of one run in 2 of 252. This makes no assumption about the distribution of times. If it
   would happen by chance more often than once in `CHANCE` times, as with three repeats in each of two runs, the figure
   is within noise until there are more runs. Figures that are not times hardly vary: the memory of a process by less
   than 3 percent.
2. Its median is more than `TOLERANCE` times the earlier median, or less than 1 / `TOLERANCE` of it. Memory layout makes
   processes differ by some percent, which repeats within one process do not show.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_bank.app.evaluation.bench_history import Run
from memory_bank.app.evaluation.figures import Figure

RUNS = 3
"""How many of the last runs are pooled."""
TOLERANCE = 1.1
"""A change of the median by a factor up to this is not counted."""
CHANCE = 100

Verdict = Literal["faster", "slower", "better", "worse", "within noise", "new"]
REGRESSIONS = ("slower", "worse")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure compared with earlier runs; `before` is their median, None if there is none."""

    figure: Figure
    before: float | None
    verdict: Verdict


def compare(run: Run, earlier: Sequence[Run]) -> list[Comparison]:
    """Compare the figures of a run with those of the last runs on the same kind of machine."""
    comparable = [figure for other in earlier if other.machine == run.machine for figure in other.figures]
    return [_compare(figure, [old for old in comparable if old.name == figure.name][-RUNS:]) for figure in run.figures]


def _compare(now: Figure, before: Sequence[Figure]) -> Comparison:
    if not before:
        return Comparison(now, None, "new")
    median_before = statistics.median(figure.compared for figure in before)
    low, high = min(figure.spread[0] for figure in before), max(figure.spread[1] for figure in before)
    more = now.spread[0] > high and now.compared > median_before * TOLERANCE
    less = now.spread[1] < low and now.compared < median_before / TOLERANCE
    orders = math.comb(now.repeats + sum(figure.repeats for figure in before), now.repeats)
    if not (more or less) or (now.timed and orders < 2 * CHANCE):
        return Comparison(now, median_before, "within noise")
    improved = more == now.more_is_better
    if now.timed:
        return Comparison(now, median_before, "faster" if improved else "slower")
    return Comparison(now, median_before, "better" if improved else "worse")


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """One line for each figure: the verdict, and the compared value before and now."""
    return "\n".join(_row(comparison) for comparison in comparisons)


def _row(comparison: Comparison) -> str:
    figure = comparison.figure
    low, high = figure.spread
    before = "" if comparison.before is None else f"{comparison.before:.3g} -> "
    return f"{comparison.verdict:<13} {figure.name:<78} {before}{figure.compared:.3g} ({low:.3g} to {high:.3g})"
