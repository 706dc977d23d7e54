"""`python -m memory_bank.evaluation.process_memory NODES`: megabytes that a session takes of a process of its own.

Above those of the loaded model, and as the system counts them: what libraries hold beneath Python is counted too. With
`networks` in place of a number, those of the trained networks that judge.
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

from memory_bank.evaluation.growing_bank import GrowingBank
from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.modules.child_process import command_of, environment
from memory_bank.modules.sentence_embedder import SentenceEmbedder

NETWORKS = "networks"


def process_memory(nodes: int) -> float:
    """Of a session with so many nodes."""
    return _said(str(nodes))


def memory_of_networks() -> float:
    """Of both networks, with some pairs judged."""
    return _said(NETWORKS)


def _said(what: str) -> float:
    """What a new process says."""
    command = [*command_of(__name__), what]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return float(said.stdout)


def main() -> None:
    """Load the embedding model, then the networks or a session, and say by how much that made this process grow."""
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
    """Megabytes in use by this process alone: without files that it shares, which the system drops as it likes."""
    gc.collect()
    _all, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
