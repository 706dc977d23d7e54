"""A measured figure, with its reference from the same run and whether it met its target; and all of them as a table."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from memory_bank.app.evaluation.timing import Pairs
from memory_bank.storage.atomic_files import write_output

Target = Literal["faster", "within", "most", "least"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a benchmark: medians over the repeats.

    `reference` and `ratio` are None for a figure that only has a fixed limit. Each value has a ratio to the reference
    measured beside it; `ratio` is the median of these, not the ratio of the two medians. `spread` is the lowest and the
    highest ratio, or the value if there is none.
    """

    name: str
    value: float
    unit: str
    reference: float | None
    ratio: float | None
    target: str
    held: bool
    spread: tuple[float, float]

    @classmethod
    def of(cls, name: str, unit: str, measured: Pairs | float, target: tuple[Target, float] | None = None) -> Figure:
        """A figure; what has a reference and no target is there to be watched.

        It must be so many times "faster" than the reference (the ratio is then reference / value, else the inverse),
        "within" so many times the reference, or at "most" or at "least" so much in its own unit.
        """
        kind, limit = target or (None, 0.0)
        value, reference, ratio, spread = _told(measured, inverse=kind == "faster")
        in_own_unit = f" {unit}" if kind in ("most", "least") else ""
        compared = value if in_own_unit or ratio is None else ratio
        if kind is None:
            return cls(name, value, unit, reference, ratio, "", held=True, spread=spread)
        sign, held = (">=", compared >= limit) if kind in ("faster", "least") else ("<=", compared <= limit)
        return cls(name, value, unit, reference, ratio, f"{sign} {limit:g}{in_own_unit}", held, spread)


def _told(measured: Pairs | float, *, inverse: bool) -> tuple[float, float | None, float | None, tuple[float, float]]:
    """Value, reference, ratio and spread."""
    if not isinstance(measured, Pairs):
        return measured, None, None, (measured, measured)
    ratios = [1 / ratio if inverse else ratio for ratio in measured.ratios]
    return measured.value, measured.reference, statistics.median(ratios), (min(ratios), max(ratios))


def report(figures: Sequence[Figure], file: Path | None) -> tuple[str, bool]:
    """The figures as a table for people, and whether all met their targets; in JSON they are written to `file`."""
    if file is not None:
        rows = [asdict(figure) for figure in figures]
        write_output(file, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return table(figures), all(figure.held for figure in figures)


def table(figures: Sequence[Figure]) -> str:
    """A line for each figure."""
    return "\n".join(map(_row, figures))


def _row(figure: Figure) -> str:
    value = f"{figure.value:.4g} {figure.unit}"
    reference = "" if figure.reference is None else f"reference {figure.reference:.4g} {figure.unit}"
    low, high = figure.spread
    ratio = "" if figure.ratio is None else f"ratio {figure.ratio:.3g} ({low:.3g} to {high:.3g})"
    held = "held" if figure.held else "MISSED"
    target = f"target {figure.target}" if figure.target else ""
    return f"{held:<7} {figure.name:<86} {value:<12} {reference:<24} {ratio:<28} {target}".rstrip()
