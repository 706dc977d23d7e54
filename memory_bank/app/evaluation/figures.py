"""Measured figures, timed beside a reference of the same run, and whether each met its target; as a table.

Code and reference are measured alternately, so that a slow moment affects both.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory_bank.storage.atomic_files import write_output

TURNS = 10
Target = Literal["within", "most", "least"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The repeats of a measurement: the values, and the reference measured beside each value."""

    values: tuple[float, ...]
    references: tuple[float, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]], scale: float = 1.0) -> Pairs:
        """Build from (value, reference) pairs, multiplied by `scale` to convert the unit (1,000: s to ms)."""
        values, references = zip(*pairs, strict=True)
        return cls(tuple(scale * value for value in values), tuple(scale * reference for reference in references))

    @property
    def value(self) -> float:
        """The median of the values."""
        return statistics.median(self.values)

    @property
    def reference(self) -> float:
        """The median of the references."""
        return statistics.median(self.references)

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio of each value to its own reference. It does not depend on the speed of the machine."""
        return tuple(value / reference for value, reference in zip(self.values, self.references, strict=True))


def seconds(action: Callable[[], object]) -> float:
    """The time that an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


@contextmanager
def without_full_gc() -> Iterator[None]:
    """Exclude existing objects from garbage collection while measuring.

    A full collection over the objects of earlier measurements takes half a second and would hit some measurement.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def time_alternating(
    ours: Callable[[], object], reference: Callable[[], object], repeats: int, scale: float = 1.0
) -> Pairs:
    """Time both alternately. The order is swapped in every repeat, so that neither always comes second."""
    pairs = []
    with without_full_gc():
        for repeat in range(repeats):
            if repeat % 2:
                before = seconds(reference)
                pairs.append((seconds(ours), before))
            else:
                pairs.append((seconds(ours), seconds(reference)))
    return Pairs.of(pairs, scale)


def traced_memory(action: Callable[[], object]) -> float:
    """Megabytes that an action has allocated and that are still held, those of NumPy included."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[0] / 2**20
    finally:
        tracemalloc.stop()


def yardstick(rounds: int = 1) -> None:
    """Fixed work of about 10 ms a round: the reference for code that has no other reference.

    It counts words and multiplies vectors, since most of the measured code does a bit of both.
    """
    matrix = np.ones((2_000, 384), dtype=np.float32)
    for _ in range(rounds):
        Counter(f"w{number % 977}" for number in range(60_000))
        for row in matrix[:10]:
            np.argsort((matrix * row).sum(axis=1))  # not with "@", which uses all cores


def unit(vectors: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors with length 1."""
    scaled: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def near(rng: np.random.Generator, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors with a cosine of about 0.9 to the given ones; two made from the same one have about 0.8."""
    return unit(vectors + 0.5 * unit(rng.standard_normal(vectors.shape)))


def growth(make: Callable[[], Callable[[int], object]], small: int, large: int) -> tuple[float, float]:
    """Seconds to add one item at the large size and at the small size; what `make` gives adds to a new object.

    Both are means over the second half of the way to that size, so that each includes a share of occasional costs, such
    as copying an array. The large object grows in `TURNS` steps, and a small one after each, so that a slow moment of
    the machine affects both.
    """
    at_large, at_small, step, rest = 0.0, 0.0, (large - large // 2) // TURNS, small - small // 2
    with without_full_gc():
        add_to_large = make()
        add_to_large(large // 2)
        for _ in range(TURNS):
            at_large += seconds(partial(add_to_large, step))
            add_to_small = make()
            add_to_small(small // 2)
            at_small += seconds(partial(add_to_small, rest))
    return at_large / (TURNS * step), at_small / (TURNS * rest)


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

        It must be "within" so many times the reference, or at "most" or at "least" so much in its own unit.
        """
        kind, limit = target or (None, 0.0)
        if isinstance(measured, Pairs):
            value, reference, ratios = measured.value, measured.reference, measured.ratios
            ratio, spread = statistics.median(ratios), (min(ratios), max(ratios))
        else:
            value, reference, ratio, spread = measured, None, None, (measured, measured)
        if kind is None:
            return cls(name, value, unit, reference, ratio, "", held=True, spread=spread)
        in_own_unit = f" {unit}" if kind in ("most", "least") else ""
        compared = value if in_own_unit or ratio is None else ratio
        sign, held = (">=", compared >= limit) if kind == "least" else ("<=", compared <= limit)
        return cls(name, value, unit, reference, ratio, f"{sign} {limit:g}{in_own_unit}", held, spread)


def figures_report(figures: Sequence[Figure], file: Path | None) -> tuple[str, bool]:
    """The figures as a table for people, and whether all met their targets; in JSON they are written to `file`."""
    if file is not None:
        rows = [asdict(figure) for figure in figures]
        write_output(file, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return figures_table(figures), all(figure.held for figure in figures)


def figures_table(figures: Sequence[Figure]) -> str:
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
