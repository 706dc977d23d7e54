"""`bench`, the whole bank: what a node costs in time and memory through log, layers and indices."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path

from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.growing_bank import GrowingBank
from memory_bank.evaluation.process_memory import process_memory
from memory_bank.evaluation.timing import Pairs, by_turns, growth, yardstick

Make = Callable[[], AbstractContextManager[GrowingBank]]
_BUILDS = 3


def bank_figures(scale: float = 1.0) -> list[Figure]:
    """Adding one node at 10,000 nodes against at 1,000, and the memory of a session of 10,000."""
    large, small = round(10_000 * scale), round(1_000 * scale)
    name = f"adding one node to log, layers and indices at {large:,} nodes, against at {small:,}"
    memory = f"memory of a process with a session of {large:,} nodes, above the loaded model"
    with _banks() as make:
        return [
            Figure.within(name, "µs", Pairs.of((growth(make, small, large) for _ in range(_BUILDS)), 1e6), 1.5),
            Figure.watched(f"a session of {small:,} nodes, against fixed work", "s", _whole(make, small)),
            Figure.most(memory, "MB", process_memory(large), 200),
        ]


def _whole(make: Make, nodes: int) -> Pairs:
    """Both sizes of the other figure are ours and might slow down alike, which this one tells."""

    def grow() -> None:
        with make() as bank:
            bank.add(nodes)

    return by_turns(grow, lambda: yardstick(20), 5)


@contextmanager
def _banks() -> Iterator[Make]:
    """Makes banks, each in a folder of its own and of texts that no other has: those would be known already."""
    seeds = count()
    with tempfile.TemporaryDirectory() as folder:

        def make() -> AbstractContextManager[GrowingBank]:
            seed = next(seeds)
            return closing(GrowingBank(Path(folder) / str(seed), seed))

        yield make
