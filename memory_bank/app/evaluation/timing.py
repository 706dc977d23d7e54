"""Timing for `bench`. Code and reference are measured alternately, so that a slow moment affects both."""

from __future__ import annotations

import gc
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

TURNS = 10
"""In how many steps `growth` builds the large size, alternating with the small one."""


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


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Growable(Protocol):
    """Something that items can be added to."""

    def add(self, count: int) -> None:
        """Add this number of items."""


def growth(make: Callable[[], AbstractContextManager[Growable]], small: int, large: int) -> tuple[float, float]:
    """Seconds to add one item at the large size and at the small size: means over the second half of the growth.

    The mean includes a share of occasional costs, such as copying an array. The large object grows in `TURNS` steps.
    After each step new small objects are grown until as many items were added to them, so that both are measured at the
    same moments. Garbage collection is off: a pass over the large object would be charged to whichever is growing.
    """
    large_seconds, small_seconds, large_added, small_added = 0.0, 0.0, 0, 0
    with _without_garbage_collection(), make() as big:
        big.add(large // 2)
        for turn in range(TURNS):
            first, last = ((large - large // 2) * end // TURNS for end in (turn, turn + 1))
            large_seconds += seconds(partial(big.add, last - first))
            large_added += last - first
            while small_added < large_added:
                with make() as little:
                    little.add(small // 2)
                    small_seconds += seconds(partial(little.add, small - small // 2))
                small_added += small - small // 2
    return large_seconds / large_added, small_seconds / small_added
