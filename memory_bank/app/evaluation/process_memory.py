"""`python -m memory_bank.app.evaluation.process_memory NODES`: memory of a session, measured in its own process.

Prints the megabytes above those of the loaded embedding model, as the operating system counts them, so memory that
libraries allocate outside Python is included. With `networks` instead of a number: the memory of the trained networks.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from memory_bank.app.evaluation.growing_bank import GrowingBank
from memory_bank.documents.child_process import command_of, environment
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.search.sentence_embedder import SentenceEmbedder

NETWORKS = "networks"


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
