"""`bench`, sessions: the demo from its start to its answer, and a long session opened, exported, imported and drawn."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]

from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import LOG_NAME, EventLog
from memory_bank.bank.transfer import export_session
from memory_bank.demo import load_demo
from memory_bank.evaluation.bench_ingestion import new_parts
from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.growing_bank import GrowingBank
from memory_bank.evaluation.timing import by_turns, yardstick
from memory_bank.graph_layout import GraphLayout
from memory_bank.importing import import_session
from memory_bank.session import Parts, Session
from memory_bank.session_store import SessionStore

_NODES = 10_000
_DRAWN = 1_000
_REPEATS = 5
_DEMO_SECONDS = 60


def session_figures(scale: float = 1.0) -> list[Figure]:
    """The demo, and what is done with a session of 10,000 nodes (1,000 where it is drawn)."""
    return [_demo(), *_long(round(_NODES * scale)), *_drawn(round(_DRAWN * scale))]


def _demo() -> Figure:
    """Everything from upload to cited answer, each time with an embedder that knows no text."""
    parts = [new_parts() for _ in range(_REPEATS)]
    with tempfile.TemporaryDirectory() as folder:
        costs = by_turns(lambda: _run_demo(Path(folder), parts.pop()), lambda: yardstick(20), _REPEATS)
    return Figure.below("the demo from its start to its answer, against fixed work", "s", costs, _DEMO_SECONDS)


def _run_demo(sessions: Path, parts: Parts) -> None:
    demo = load_demo()
    session = Session.create(demo.task, demo.documents, demo.sources, sessions=sessions, parts=parts)
    for _event in session.run():
        pass


def _long(nodes: int) -> list[Figure]:
    """A long session as files: the reference is what reading or writing as much JSON takes without any meaning."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(GrowingBank(Path(folder) / "long")) as bank:
            bank.add(nodes)
            events = bank.events
        lines = (Path(folder) / "long" / LOG_NAME).read_bytes().splitlines()
        text = export_session(events)
        told, store = json.loads(text), SessionStore(Path(folder) / "store")
        opened = by_turns(
            lambda: Bank.replay(EventLog(Path(folder) / "long").events),
            lambda: [json.loads(line) for line in lines],
            _REPEATS,
        )
        exported = by_turns(lambda: export_session(events), lambda: json.dumps(told, indent=1), _REPEATS)
        imported = by_turns(lambda: import_session(text, store), lambda: json.loads(text), _REPEATS)
    size = f"a session of {nodes:,} nodes"
    return [
        Figure.watched(f"reopen {size}, against parsing its JSON", "s", opened),
        Figure.watched(f"export {size}, against writing its JSON", "s", exported),
        Figure.watched(f"import {size}, against parsing its JSON", "s", imported),
    ]


def _drawn(nodes: int) -> list[Figure]:
    """Places for all nodes of a graph, and for one more among them."""
    graph = nx.barabasi_albert_graph(nodes, 3, seed=4)
    names = [f"n{number}" for number in graph]
    edges = [(f"n{one}", f"n{other}") for one, other in graph.edges]
    whole = by_turns(lambda: GraphLayout().place(names, edges, {}), lambda: nx.spring_layout(graph, seed=4), _REPEATS)
    layout, numbers = GraphLayout(), count(nodes)
    layout.place(names, edges, {})

    def one_more() -> None:
        names.append(f"n{next(numbers)}")
        edges.append((names[-1], names[len(names) // 2]))
        layout.place(names, edges, {})

    more = by_turns(one_more, yardstick, 4 * _REPEATS, 1e3)
    return [
        Figure.watched(f"places for {nodes:,} nodes, against a spring layout of networkx", "s", whole),
        Figure.watched(f"a place for one more node among {nodes:,}, against fixed work", "ms", more),
    ]
