"""A bank with everything that works on it, without a session around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import ConflictOpened, EdgeCreated, NodeCreated, PlanUpdated, SessionCreated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.judgement.judge import shared_judge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.pipeline import Pipeline
from memory_bank.session.recorder import Recorder
from memory_bank.session.remembering import SessionMemory
from memory_bank.session.step_context import StepContext
from memory_bank.session.wiring import no_memory
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.storage.session_store import FILES
from tests.builders import NOON, at, make_conflict, make_current
from tests.scripted import Script, ScriptedEngine
from tests.step_clock import StepClock


@dataclass(frozen=True)
class Workbench:
    """The parts of a session below its loop, on a log of their own."""

    recorder: Recorder
    recall: NodeIndex
    pipeline: Pipeline
    step_memory: StepContext
    engine: ScriptedEngine | None

    @property
    def bank(self) -> Bank:
        return self.recorder.bank

    def begin(self, goal: str = "When was the dam finished?") -> None:
        """The session's first event."""
        event = SessionCreated(session_id="s", doc_id="d", task_goal=goal, engine={}, settings={})
        self.recorder.record(event)

    def put(
        self,
        node_id: str,
        context: str,
        *claims: str,
        summary: str = "",
        keywords: tuple[str, ...] = (),
        seconds: float = 0,
        unit: str = "",
        **metadata: object,
    ) -> Node:
        """A node with one entry, `e7` for `n7`, which holds the claims one after another."""
        entry_id = f"e{node_id[1:]}"
        text = " ".join(claims) or context
        known = {"source": f"{node_id}.txt", **metadata}
        entry = Entry(id=entry_id, text=text, created_at=at(seconds), metadata=known)
        node = Node(
            id=node_id,
            summary=summary or text,
            context=context,
            keywords=keywords,
            timestamp=at(seconds),
            claims=tuple(
                Claim(
                    id=f"c{node_id[1:]}0{number}",
                    text=claim,
                    entry_id=entry_id,
                    start=text.index(claim),
                    end=text.index(claim) + len(claim),
                    source=str(known["source"]),
                )
                for number, claim in enumerate(claims, start=1)
            ),
        )
        self.recorder.record(NodeCreated(node=node, entry=entry, unit=unit or f"u{node_id}"))
        return node

    def relate(self, first: str, second: str) -> None:
        """An edge."""
        self.recorder.record(EdgeCreated(node_ids=(first, second)))

    def open_conflict(self, first: str, second: str, of: tuple[int, int] = (0, 0)) -> str:
        """A conflict between a claim of each of two nodes, by default the first one; its id."""
        graph = self.bank.query_graph
        claims = (graph[first].claims[of[0]], graph[second].claims[of[1]])
        conflict = make_conflict(self.bank.next_id("x"), first, second).model_copy(update={"claims": claims})
        self.recorder.record(ConflictOpened(conflict=conflict))
        return conflict.id

    def set_task(self, description: str, conflict_id: str | None = None, task_id: str = "t1") -> None:
        """The current task."""
        task = make_current(task_id, conflict_id).model_copy(update={"description": description})
        self.recorder.record(PlanUpdated(completed=None, current=task))


@contextmanager
def workbench(folder: Path, scripts: Mapping[str, Script] | None = None, **settings: object) -> Iterator[Workbench]:
    """A workbench whose judgements come from scripts, or without scripts from the offline engine."""
    embedder = HashEmbedder()
    scripted = None if scripts is None else ScriptedEngine(scripts)
    engine = scripted or OfflineEngine(embedder)
    chosen = Settings.model_validate(settings)
    recorder = Recorder(EventLog(folder), StepClock(NOON), dict.fromkeys(AGENTS, engine))
    retrieval = RetrievalSettings(k=chosen.retrieval_k, alpha=chosen.retrieval_alpha)
    recall = NodeIndex(recorder.bank, embedder, shared_judge(), retrieval)
    pipeline = Pipeline(recorder, recall, chosen)
    (folder / FILES).mkdir()
    images = WaitingImages(folder / "waiting", "doc-1")
    without = SessionMemory(recorder, pipeline, None, no_memory, engine, "context")
    memory = StepContext(recorder, recall, pipeline, images, without, chosen)
    try:
        yield Workbench(recorder, recall, pipeline, memory, scripted)
    finally:
        recorder.log.close()
