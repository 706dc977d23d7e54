"""Times for `bench`: what is measured and its reference by turns, so that a slow moment falls on both."""

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

TURNS = 10
"""Into how many parts the growth to a size is cut, to take turns with growth to another size."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The repeats of a measurement: each value, and the reference that was taken beside it."""

    values: tuple[float, ...]
    references: tuple[float, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]], scale: float = 1.0) -> Pairs:
        """From a value and a reference each, in a unit so many of which make what is told (1,000 for s in ms)."""
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
        """Each value in terms of its own reference: this is what a machine that slows down does not change."""
        return tuple(value / reference for value, reference in zip(self.values, self.references, strict=True))


def seconds(action: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within it Python looks for garbage among what is new only.

    Going through all that earlier measurements left takes half a second, now and then, of whoever comes just then.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def by_turns(ours: Callable[[], object], reference: Callable[[], object], repeats: int, scale: float = 1.0) -> Pairs:
    """Times of both, side by side; what came first comes second the next time, so that neither is always the later."""
    pairs = []
    with undisturbed():
        for repeat in range(repeats):
            if repeat % 2:
                before = seconds(reference)
                pairs.append((seconds(ours), before))
            else:
                pairs.append((seconds(ours), seconds(reference)))
    return Pairs.of(pairs, scale)


def yardstick(rounds: int = 1) -> None:
    """Work that no change of ours makes faster or slower, some 10 ms a round: the reference of what has no other.

    Words are counted and vectors multiplied, as most of what is measured does a bit of both.
    """
    matrix = np.ones((2_000, 384), dtype=np.float32)
    for _ in range(rounds):
        Counter(f"w{number % 977}" for number in range(60_000))
        for row in matrix[:10]:
            np.argsort((matrix * row).sum(axis=1))  # not by "@", which takes as many cores as it finds


@contextmanager
def _uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Grows(Protocol):
    """What things are added to."""

    def add(self, count: int) -> None:
        """Add so many."""


def growth(make: Callable[[], AbstractContextManager[Grows]], small: int, large: int) -> tuple[float, float]:
    """Seconds for one more at the large size, and at the small one: each the mean over the second half of the growth.

    So each has its share of what growth costs at times, such as copying an array. The large one grows in parts, and
    beside each part small ones grow anew until as many were added to them: both take as long, at the same moments.
    No garbage is looked for meanwhile: going through the large one would be counted to whichever is growing.
    """
    spent, added = [0.0, 0.0], [0, 0]
    with _uncollected(), make() as big:
        big.add(large // 2)
        for turn in range(TURNS):
            first, last = ((large - large // 2) * end // TURNS for end in (turn, turn + 1))
            spent[0] += seconds(partial(big.add, last - first))
            added[0] += last - first
            while added[1] < added[0]:
                with make() as little:
                    little.add(small // 2)
                    spent[1] += seconds(partial(little.add, small - small // 2))
                added[1] += small - small // 2
    return spent[0] / added[0], spent[1] / added[1]
