"""Whether a figure changed between runs or only wavered: `bench --compare`.

Compared is the ratio to the reference timed beside it (the value where there is none, as of megabytes), so a machine
that is slower today changes nothing. A figure has changed when both hold:

1. Its range, from the lowest to the highest of its repeats, lies wholly outside the range of the runs before, the last
   `RUNS` of which are taken together. Were nothing changed, any order of all the repeats would be as likely as any
   other: all five of one run stand beyond all fifteen of three in 2 of 15,504 orders, and beyond the five of one run
   in 2 of 252. That asks nothing of how times are distributed. Where it would happen by chance more often than once in
   `CHANCE` times, as with three repeats in each of two runs, it is within noise until there are more runs. What is not
   timed is the same each time, or nearly: the memory of a process within 3 percent.
2. Its median is more than `TOLERANCE` times theirs, or less than one such part: where things come to lie in memory
   makes processes differ by some percent, which repeats within one of them do not show.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_bank.evaluation.bench_history import Run
from memory_bank.evaluation.figures import Figure

RUNS = 3
"""How many of the last runs are taken together."""
TOLERANCE = 1.1
"""How many times more or less is no change yet."""
CHANCE = 100

Verdict = Literal["faster", "slower", "better", "worse", "within noise", "new"]
REGRESSIONS = ("slower", "worse")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure beside the same of earlier runs; `before` is None where there is none."""

    figure: Figure
    before: float | None
    verdict: Verdict


def compare(run: Run, earlier: Sequence[Run]) -> list[Comparison]:
    """The figures of a run against those of the last runs on the same kind of machine."""
    known = [figure for other in earlier if other.machine == run.machine for figure in other.figures]
    return [_compare(figure, [old for old in known if old.name == figure.name][-RUNS:]) for figure in run.figures]


def _compare(now: Figure, before: Sequence[Figure]) -> Comparison:
    if not before:
        return Comparison(now, None, "new")
    middle = statistics.median(figure.compared for figure in before)
    low, high = min(figure.spread[0] for figure in before), max(figure.spread[1] for figure in before)
    more = now.spread[0] > high and now.compared > middle * TOLERANCE
    less = now.spread[1] < low and now.compared < middle / TOLERANCE
    orders = math.comb(now.repeats + sum(figure.repeats for figure in before), now.repeats)
    if not (more or less) or (now.timed and orders < 2 * CHANCE):
        return Comparison(now, middle, "within noise")
    gained = more == now.more_is_better
    if now.timed:
        return Comparison(now, middle, "faster" if gained else "slower")
    return Comparison(now, middle, "better" if gained else "worse")


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """A line for each figure: the verdict, and what is compared, before and now."""
    return "\n".join(_row(comparison) for comparison in comparisons)


def _row(comparison: Comparison) -> str:
    figure = comparison.figure
    low, high = figure.spread
    before = "" if comparison.before is None else f"{comparison.before:.3g} -> "
    return f"{comparison.verdict:<13} {figure.name:<78} {before}{figure.compared:.3g} ({low:.3g} to {high:.3g})"
