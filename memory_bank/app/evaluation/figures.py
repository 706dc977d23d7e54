"""A measured figure, with its reference from the same run and whether it met its target."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.app.evaluation.timing import Pairs


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a benchmark: medians over the repeats.

    `reference` and `ratio` are None for a figure that only has a fixed limit. Each value has a ratio to the reference
    measured beside it; `ratio` is the median of these, not the ratio of the two medians. `spread` is the lowest and the
    highest of what is compared between runs: the ratio, or the value if there is none.
    """

    name: str
    value: float
    unit: str
    reference: float | None
    ratio: float | None
    target: str
    held: bool
    spread: tuple[float, float]
    repeats: int = 1

    @property
    def compared(self) -> float:
        """The ratio, or the value if there is none."""
        return self.value if self.ratio is None else self.ratio

    @property
    def more_is_better(self) -> bool:
        """Whether a higher figure is better."""
        return self.target.startswith(">=")

    @property
    def timed(self) -> bool:
        """Whether the figure is a time."""
        return self.unit in ("s", "ms", "µs")

    @classmethod
    def faster(cls, name: str, unit: str, pairs: Pairs, times: float) -> Figure:
        """A figure that must be at least `times` times smaller than the reference; ratio = reference / value."""
        ratios = [1 / ratio for ratio in pairs.ratios]
        return _timed(name, unit, pairs, ratios, (f">= {times:g}", statistics.median(ratios) >= times))

    @classmethod
    def within(cls, name: str, unit: str, pairs: Pairs, times: float) -> Figure:
        """A figure that must be at most `times` times the reference; ratio = value / reference."""
        target = (f"<= {times:g}", statistics.median(pairs.ratios) <= times)
        return _timed(name, unit, pairs, pairs.ratios, target)

    @classmethod
    def below(cls, name: str, unit: str, pairs: Pairs, limit: float) -> Figure:
        """A figure with a fixed limit in its own unit, and a reference for comparison; ratio = value / reference."""
        return _timed(name, unit, pairs, pairs.ratios, (f"<= {limit:g} {unit}", pairs.value <= limit))

    @classmethod
    def watched(cls, name: str, unit: str, pairs: Pairs) -> Figure:
        """A figure without a target, only compared from run to run; ratio = value / reference."""
        return _timed(name, unit, pairs, pairs.ratios, ("", True))

    @classmethod
    def most(cls, name: str, unit: str, value: float, limit: float) -> Figure:
        """A figure that must not exceed a fixed limit in its own unit, measured once as it hardly varies."""
        return cls(name, value, unit, None, None, f"<= {limit:g} {unit}", value <= limit, (value, value))

    @classmethod
    def least(cls, name: str, unit: str, value: float, limit: float) -> Figure:
        """A figure that must reach a fixed limit in its own unit, measured once as it does not vary."""
        return cls(name, value, unit, None, None, f">= {limit:g} {unit}", value >= limit, (value, value))


def _timed(name: str, unit: str, pairs: Pairs, ratios: Sequence[float], target: tuple[str, bool]) -> Figure:
    ratio, spread = statistics.median(ratios), (min(ratios), max(ratios))
    return Figure(name, pairs.value, unit, pairs.reference, ratio, *target, spread, len(ratios))
