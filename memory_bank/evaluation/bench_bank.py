"""`bench`, the whole bank: what a node costs in time and memory through log, layers and indices.

Every node comes as it does in a session: the record of the judgement behind it, then the node with three claims and
its entry, then the indices brought up to date. Embedding is by hash: no model is measured here.
"""

from __future__ import annotations

import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

from memory_bank.bank.event_log import EventLog
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.usage import Usage
from memory_bank.clock import SystemClock
from memory_bank.engines.offline.contradiction.claim_index import OfflineClaimIndex
from memory_bank.evaluation.figures import Figure
from memory_bank.events import AgentCalled, NodeCreated, SessionCreated
from memory_bank.modules.hash_embedder import HashEmbedder
from memory_bank.modules.retrieval import RetrievalSettings
from memory_bank.recall import Recall
from memory_bank.recorder import Recorder

_PLACES = ("mill", "bridge", "tower", "dam", "station", "school", "church", "harbour")
_DEEDS = ("was built in", "was closed in", "was opened in", "was restored in")


def bank_figures(scale: float = 1.0) -> list[Figure]:
    """Adding one node at 10,000 nodes against at 1,000, and the memory of a session of 10,000."""
    large, small = round(10_000 * scale), round(1_000 * scale)
    costs = [_costs((small, large)) for _ in range(3)]
    at_small, at_large = (statistics.median(cost[which] for cost in costs) for which in (0, 1))
    name = f"adding one node to log, layers and indices at {large:,} nodes, against at {small:,}"
    return [
        Figure.within(name, "µs", at_large * 1e6, at_small * 1e6, times=1.5),
        Figure.below(f"memory of a session of {large:,} nodes, events included", "MB", _megabytes(large), 200),
    ]


class _Growing:
    """A session's log, bank and indices without a session, growing by made-up nodes."""

    def __init__(self, folder: Path) -> None:
        self._recorder = Recorder(EventLog(folder), SystemClock(), {})
        self._recall = Recall(self._recorder.bank, HashEmbedder(384), OfflineClaimIndex(), RetrievalSettings())
        self._chance = np.random.default_rng(7)
        self._recorder.record(SessionCreated(session_id="b", doc_id="b", task_goal="", engine={}, settings={}))

    def add(self, count: int) -> float:
        """Seconds for so many nodes."""
        started = time.perf_counter()
        for _ in range(count):
            self._add_one()
            self._recall.refresh()
        return time.perf_counter() - started

    def close(self) -> None:
        """Let go of the log."""
        self._recorder.log.close()

    def _add_one(self) -> None:
        bank, now = self._recorder.bank, self._recorder.clock.now()
        number = len(bank.query_graph)
        place = f"{_PLACES[number % len(_PLACES)].title()} {self._chance.integers(1, 2000)}"
        years = self._chance.integers(1700, 2000, size=3)
        sentences = [f"The {place} {_DEEDS[i]} {year}." for i, year in enumerate(years)]
        text = " ".join(sentences)
        starts = [text.index(sentence) for sentence in sentences]
        entry_id = bank.next_id("e")
        claims = tuple(
            Claim(
                id=bank.next_id("c", ahead),
                text=sentence,
                entry_id=entry_id,
                start=start,
                end=start + len(sentence),
                source="register.txt",
            )
            for ahead, (sentence, start) in enumerate(zip(sentences, starts, strict=True))
        )
        node = Node(
            id=bank.next_id("n"), summary=text, context=place, keywords=(place.lower(),), timestamp=now, claims=claims
        )
        entry = Entry(id=entry_id, text=text, created_at=now, metadata={"source": "register.txt", "start": 0})
        output = {"summary": text, "claims": [claim.model_dump(mode="json") for claim in claims]}
        self._recorder.record(
            AgentCalled(
                key=f"structure/{node.id}",
                agent="structure",
                provider="offline",
                model="hash",
                output=output,
                usage=Usage(),
            )
        )
        self._recorder.record(NodeCreated(node=node, entry=entry, unit=f"s1.1.{number}"))


def _costs(sizes: tuple[int, int]) -> tuple[float, float]:
    """Seconds for one node around either size, measured by turns so that other work falls on both."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        growing = (_Growing(Path(one)), _Growing(Path(other)))
        for bank, size in zip(growing, sizes, strict=True):
            bank.add(size // 2)
        seconds = [0.0, 0.0]
        turns = 10
        for turn in range(turns):
            for which, (bank, size) in enumerate(zip(growing, sizes, strict=True)):
                first, last = ((size - size // 2) * end // turns for end in (turn, turn + 1))
                seconds[which] += bank.add(last - first)
        for bank in growing:
            bank.close()
    small, large = (spent / (size - size // 2) for spent, size in zip(seconds, sizes, strict=True))
    return small, large


def _megabytes(nodes: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        tracemalloc.start()
        growing = _Growing(Path(folder))
        growing.add(nodes)
        megabytes = tracemalloc.get_traced_memory()[0] / 2**20
        tracemalloc.stop()
        growing.close()
        return megabytes
