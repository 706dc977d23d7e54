"""`bench`, part `bank`: time and memory of adding nodes to log, layers and indices."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path

from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.growing_bank import GrowingBank
from memory_bank.app.evaluation.process_memory import process_memory
from memory_bank.app.evaluation.timing import Pairs, growth, time_alternating, yardstick

Make = Callable[[], AbstractContextManager[GrowingBank]]
_REPEATS = 3


def bank_figures(scale: float = 1.0) -> list[Figure]:
    """Time to add a node at 10,000 nodes compared with 1,000, and memory of a session of 10,000 nodes."""
    large, small = round(10_000 * scale), round(1_000 * scale)
    name = f"adding one node to log, layers and indices at {large:,} nodes, against at {small:,}"
    memory = f"memory of a process with a session of {large:,} nodes, above the loaded model"
    with _banks() as make:
        return [
            Figure.of(
                name, "µs", Pairs.of((growth(make, small, large) for _ in range(_REPEATS)), 1e6), ("within", 1.5)
            ),
            Figure.of(f"a session of {small:,} nodes, against fixed work", "s", _growth_from_empty(make, small)),
            Figure.of(memory, "MB", process_memory(large), ("most", 200)),
        ]


def _growth_from_empty(make: Make, nodes: int) -> Pairs:
    """Time to build a bank against fixed work.

    The figure above compares our code with itself; this one shows a slowdown that affects both sizes alike.
    """

    def grow() -> None:
        with make() as bank:
            bank.add(nodes)

    return time_alternating(grow, lambda: yardstick(20), 5)


@contextmanager
def _banks() -> Iterator[Make]:
    """A factory of banks, each in its own folder and with its own texts, as cached texts would cost nothing."""
    seeds = count()
    with tempfile.TemporaryDirectory() as folder:

        def make() -> AbstractContextManager[GrowingBank]:
            seed = next(seeds)
            return closing(GrowingBank(Path(folder) / str(seed), seed))

        yield make
