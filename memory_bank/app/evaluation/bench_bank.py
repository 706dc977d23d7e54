"""`bench`, parts `bank` and `sessions`: time and memory of adding nodes to log, layers and indices; the whole demo."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np

from memory_bank.app.demo import load_demo
from memory_bank.app.evaluation.bench_ingestion import new_parts
from memory_bank.app.evaluation.figures import Figure, Pairs, growth, time_alternating, traced_memory, yardstick
from memory_bank.bank.bank import Bank
from memory_bank.bank.clock import SystemClock
from memory_bank.bank.events import AgentCalled, Event, NodeCreated, SessionCreated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.usage import Usage
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.recorder import Recorder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session, import_session

_NODES = 10_000
_FILE_REPEATS = 5
_DEMO_LIMIT_SECONDS = 60
_PLACES = ("mill", "bridge", "tower", "dam", "station", "school", "church", "harbour")
_VERB_PHRASES = ("was built in", "was closed in", "was opened in")
_REPEATS = 3


def bank_figures(scale: float = 1.0) -> list[Figure]:
    """Time to add a node at 10,000 nodes compared with 1,000, and memory of a session of 10,000 nodes."""
    large, small = round(10_000 * scale), round(1_000 * scale)
    name = f"adding one node to log, layers and indices at {large:,} nodes, against at {small:,}"
    with tempfile.TemporaryDirectory() as folder:
        costs = []
        for seed in range(_REPEATS):
            with closing(GrowingBank(Path(folder) / str(seed), seed)) as bank:
                costs.append(growth(bank.add, small, large))
        with closing(GrowingBank(Path(folder) / "memory")) as bank:
            memory = traced_memory(partial(bank.add, large))
    return [
        Figure.of(name, "µs", Pairs.of(costs, 1e6), ("within", 1.5)),
        Figure.of(f"memory of a session of {large:,} nodes", "MB", memory, ("most", 200)),
    ]


class GrowingBank:
    """The log, bank and indices of a session, without the session. Nodes are random; `seed` selects them."""

    def __init__(self, folder: Path, seed: int = 7) -> None:
        folder.mkdir(exist_ok=True)
        self._recorder = Recorder(EventLog(folder), SystemClock(), {})
        self._recall = NodeIndex(self._recorder.bank, HashEmbedder(384), NoJudge(), RetrievalSettings())
        self._rng = np.random.default_rng(seed)
        self._recorder.record(SessionCreated(session_id="b", doc_id="b", task_goal="", engine={}, settings={}))

    @property
    def events(self) -> Sequence[Event]:
        """All recorded events."""
        return self._recorder.log.events

    def add(self, count: int) -> None:
        """Add this number of nodes."""
        for _ in range(count):
            self._add_one()
            self._recall.refresh()

    def close(self) -> None:
        """Close the log."""
        self._recorder.log.close()

    def _add_one(self) -> None:
        bank, now = self._recorder.bank, self._recorder.clock.now()
        number, entry_id = len(bank.query_graph), bank.next_id("e")
        place = f"{_PLACES[number % len(_PLACES)].title()} {self._rng.integers(1, 2000)}"
        years = self._rng.integers(1700, 2000, size=len(_VERB_PHRASES))
        claims: list[Claim] = []
        text = ""
        for phrase, year in zip(_VERB_PHRASES, years, strict=True):
            said, start = f"The {place} {phrase} {year}.", len(text)
            claim_id, end = bank.next_id("c", len(claims)), start + len(said)
            claims.append(Claim(id=claim_id, text=said, entry_id=entry_id, start=start, end=end, source="register.txt"))
            text += f"{said} "
        node = Node(
            id=bank.next_id("n"), summary=text, context=place, keywords=(place,), timestamp=now, claims=tuple(claims)
        )
        entry = Entry(id=entry_id, text=text, created_at=now, metadata={"source": "register.txt", "start": 0})
        output, agent = {"summary": text, "claims": [claim.model_dump(mode="json") for claim in claims]}, "structure"
        key = f"{agent}/{node.id}"
        self._recorder.record(
            AgentCalled(key=key, agent=agent, provider="offline", model="hash", output=output, usage=Usage())
        )
        self._recorder.record(NodeCreated(node=node, entry=entry, unit=f"s1.1.{number}"))


def session_figures(scale: float = 1.0) -> list[Figure]:
    """The figures of the demo and of a session of 10,000 nodes."""
    return [_demo_figure(), *_file_figures(round(_NODES * scale))]


def _demo_figure() -> Figure:
    """Time of the demo from upload to cited answer, each time with an embedder whose cache is empty."""
    parts = [new_parts() for _ in range(_FILE_REPEATS)]
    with tempfile.TemporaryDirectory() as folder:
        costs = time_alternating(lambda: _run_demo(Path(folder), parts.pop()), lambda: yardstick(20), _FILE_REPEATS)
    return Figure.of(
        "the demo from its start to its answer, against fixed work", "s", costs, ("most", _DEMO_LIMIT_SECONDS)
    )


def _run_demo(sessions: Path, parts: Parts) -> None:
    demo = load_demo()
    session = Session.create(demo.task, demo.documents, demo.sources, sessions=sessions, parts=parts)
    for _event in session.run():
        pass


def _file_figures(nodes: int) -> list[Figure]:
    """Opening, exporting and importing a long session, against reading or writing the same JSON alone."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(GrowingBank(Path(folder) / "long")) as bank:
            bank.add(nodes)
            events = bank.events
        lines = (Path(folder) / "long" / LOG_NAME).read_bytes().splitlines()
        text = export_session(events)
        data, store = json.loads(text), SessionStore(Path(folder) / "store")
        opened = time_alternating(
            lambda: Bank.replay(EventLog(Path(folder) / "long").events),
            lambda: [json.loads(line) for line in lines],
            _FILE_REPEATS,
        )
        exported = time_alternating(lambda: export_session(events), lambda: json.dumps(data, indent=1), _FILE_REPEATS)
        imported = time_alternating(lambda: import_session(text, store), lambda: json.loads(text), _FILE_REPEATS)
    size = f"a session of {nodes:,} nodes"
    return [
        Figure.of(f"reopen {size}, against parsing its JSON", "s", opened),
        Figure.of(f"export {size}, against writing its JSON", "s", exported),
        Figure.of(f"import {size}, against parsing its JSON", "s", imported),
    ]
