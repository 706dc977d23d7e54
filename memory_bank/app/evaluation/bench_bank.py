"""`bench`, part `bank`: time and memory of adding nodes to log, layers and indices.

`python -m memory_bank.app.evaluation.bench_bank NODES` prints the memory of a session, measured in its own process: the
megabytes above those of the loaded embedding model, as the operating system counts them, so memory that libraries
allocate outside Python is included. With `networks` instead of a number: the memory of the trained networks.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count, pairwise
from pathlib import Path

from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.growing_bank import GrowingBank
from memory_bank.app.evaluation.timing import Pairs, growth, time_alternating, yardstick
from memory_bank.documents.child_process import command_of, environment
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.search.sentence_embedder import SentenceEmbedder

Make = Callable[[], AbstractContextManager[GrowingBank]]
_REPEATS = 3
NETWORKS = "networks"


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


def process_memory(what: int | str) -> float:
    """Megabytes of a session with so many nodes, or of both trained networks after judging some pairs (`NETWORKS`).

    This module runs in a new process, and the number that it prints is returned.
    """
    command = [*command_of(__name__), str(what)]
    result = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return float(result.stdout)


def main() -> None:
    """Load the embedding model, then the networks or a session; print by how much the process grew with the latter."""
    SentenceEmbedder().embed(["The mill."])
    before = _own_memory()
    if sys.argv[1] == NETWORKS:
        statements = [Statement(f"The mill of {number} has {number} sails.") for number in range(200)]
        load_pair_model().judge(list(pairwise(statements)))
        sys.stdout.write(f"{_own_memory() - before}\n")
        return
    with tempfile.TemporaryDirectory() as folder, closing(GrowingBank(Path(folder))) as bank:
        bank.add(int(sys.argv[1]))
        sys.stdout.write(f"{_own_memory() - before}\n")


def _own_memory() -> float:
    """Resident megabytes of this process, without shared file pages, which the system can drop at any time."""
    gc.collect()
    _all, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
