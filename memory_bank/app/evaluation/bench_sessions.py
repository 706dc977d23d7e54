"""`bench`, part `sessions`: the whole demo; opening, exporting, importing and drawing a long session."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]

from memory_bank.app.demo import load_demo
from memory_bank.app.evaluation.bench_ingestion import new_parts
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.growing_bank import GrowingBank
from memory_bank.app.evaluation.timing import time_alternating, yardstick
from memory_bank.bank.bank import Bank
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import LOG_NAME, EventLog
from memory_bank.storage.importing import import_session
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session
from memory_bank.views.graph_layout import GraphLayout

_NODES = 10_000
_DRAWN = 1_000
_REPEATS = 5
_DEMO_LIMIT_SECONDS = 60


def session_figures(scale: float = 1.0) -> list[Figure]:
    """The figures of the demo and of a session of 10,000 nodes (1,000 for drawing)."""
    return [_demo_figure(), *_file_figures(round(_NODES * scale)), *_layout_figures(round(_DRAWN * scale))]


def _demo_figure() -> Figure:
    """Time of the demo from upload to cited answer, each time with an embedder whose cache is empty."""
    parts = [new_parts() for _ in range(_REPEATS)]
    with tempfile.TemporaryDirectory() as folder:
        costs = time_alternating(lambda: _run_demo(Path(folder), parts.pop()), lambda: yardstick(20), _REPEATS)
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
            _REPEATS,
        )
        exported = time_alternating(lambda: export_session(events), lambda: json.dumps(data, indent=1), _REPEATS)
        imported = time_alternating(lambda: import_session(text, store), lambda: json.loads(text), _REPEATS)
    size = f"a session of {nodes:,} nodes"
    return [
        Figure.of(f"reopen {size}, against parsing its JSON", "s", opened),
        Figure.of(f"export {size}, against writing its JSON", "s", exported),
        Figure.of(f"import {size}, against parsing its JSON", "s", imported),
    ]


def _layout_figures(nodes: int) -> list[Figure]:
    """Layout of a whole graph, and of one more node in it."""
    graph = nx.barabasi_albert_graph(nodes, 3, seed=4)
    names = [f"n{number}" for number in graph]
    edges = [(f"n{a}", f"n{b}") for a, b in graph.edges]
    whole = time_alternating(
        lambda: GraphLayout().place(names, edges, {}), lambda: nx.spring_layout(graph, seed=4), _REPEATS
    )
    layout, numbers = GraphLayout(), count(nodes)
    layout.place(names, edges, {})

    def one_more() -> None:
        names.append(f"n{next(numbers)}")
        edges.append((names[-1], names[len(names) // 2]))
        layout.place(names, edges, {})

    more = time_alternating(one_more, yardstick, 4 * _REPEATS, 1e3)
    return [
        Figure.of(f"places for {nodes:,} nodes, against a spring layout of networkx", "s", whole),
        Figure.of(f"a place for one more node among {nodes:,}, against fixed work", "ms", more),
    ]
