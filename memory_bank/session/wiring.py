"""How a session is put together: the parts it is given (`Parts`) and the components built from them (`Components`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx2

from memory_bank.agents.agent import Engine
from memory_bank.agents.react import REACT, Framework
from memory_bank.agents.research import RESEARCH
from memory_bank.bank.clock import Clock
from memory_bank.bank.errors import LongTermError
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.documents.source_reader import SourceReader
from memory_bank.engines.client.client import ModelClients
from memory_bank.engines.llm.engine import ModelEngine
from memory_bank.engines.llm.react import ModelFramework
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.judgement.judge import PairJudge, shared_judge
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.opening import shared_memory
from memory_bank.long_term.owner import Owner
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.search.milvus_vectors import MilvusVectorStore
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.search.vector_index import VectorIndex, Vectors
from memory_bank.session.decisions import Decisions
from memory_bank.session.ingestion import Ingestion
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.pipeline import Pipeline
from memory_bank.session.recorder import Budget, FallbackEngine, Recorder
from memory_bank.session.remembering import SessionMemory
from memory_bank.session.source_comparison import SourceComparison
from memory_bank.session.step_context import StepContext
from memory_bank.session.tools.reference_library import ReferenceLibrary
from memory_bank.session.tools.toolbox import Toolbox
from memory_bank.session.tools.web import NO_WEB, Web
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.image_queue import WaitingImages


def no_memory() -> LongTermMemory:
    """The long-term memory where none is set up: `LongTermError`."""
    raise LongTermError("it is not set up here")


@dataclass(frozen=True)
class Parts:
    """What a session is built from; tests and other programs can replace any of it."""

    clock: Clock
    embedder: Embedder
    engines: Mapping[str, Engine]
    framework: Framework
    web: Web = NO_WEB
    vectors: Callable[[int], Vectors] = VectorIndex
    pair_judge: PairJudge = field(default_factory=shared_judge)
    memory: Callable[[], LongTermMemory] = no_memory

    @classmethod
    def standard(
        cls,
        settings: Settings,
        *,
        network: httpx2.BaseTransport | None = None,
        embedder: Embedder | None = None,
        judge: PairJudge | None = None,
    ) -> Parts:
        """The parts that the settings name; `network` replaces the transport to models and web."""
        embedder = embedder or load_embedder(settings.embedding_model)
        judge = judge or shared_judge()
        offline = OfflineEngine(embedder, judge)
        clients = ModelClients(settings, network, embedder.count_tokens)
        engines: dict[str, Engine] = {
            name: offline
            if settings.provider(name) == "offline"
            else ModelEngine(clients.client(name), settings.agent(name).window, embedder, judge, offline)
            for name in AGENTS
            if name != REACT
        }
        framework: Framework = OfflineFramework(embedder, judge)
        if settings.provider(REACT) != "offline":
            framework = ModelFramework(clients.client(REACT), settings, embedder, judge)
        return cls(
            clock=Clock(),
            embedder=embedder,
            pair_judge=judge,
            engines=engines,
            framework=framework,
            # The page promises that nothing leaves the computer while the embedded engine acts, whatever keys are set.
            web=Web(settings.serper_api_key, settings.jina_api_key, network) if framework.remote else NO_WEB,
            vectors=VectorIndex if settings.vector_uri is None else MilvusVectorStore(settings.vector_uri).vectors,
            memory=partial(shared_memory, settings),
        )

    @classmethod
    def asking(cls, settings: Settings) -> Parts:
        """The parts for questions to a memory, which is indexed in this process whatever `VECTOR_URI` says."""
        return cls.standard(settings.model_copy(update={"vector_uri": None}))

    def researcher(self, account: Recorder | None = None) -> Engine:
        """The engine for research; a model gets the embedded engine as fallback."""
        engine = self.engines[RESEARCH]
        if not engine.remote:
            return engine
        return FallbackEngine(engine, OfflineEngine(self.embedder), account, self.clock.sleep)


class Components:
    """The components of one session, each built once."""

    def __init__(
        self, folder: Path, settings: Settings, parts: Parts, owner: Owner | None, stopping: Callable[[], bool]
    ) -> None:
        """`stopping` says whether long work, such as reading a document, shall stop."""
        budget = Budget(settings.max_total_tokens, settings.max_cost_usd, settings.parallel_calls)
        self.recorder = Recorder(EventLog(folder), parts.clock, parts.engines, budget)
        bank = self.recorder.bank
        self.embedded = OfflineEngine(parts.embedder)

        retrieval = RetrievalSettings(k=settings.retrieval_k, alpha=settings.retrieval_alpha)
        self.recall = NodeIndex(bank, parts.embedder, parts.pair_judge, retrieval, parts.vectors)
        pipeline = Pipeline(self.recorder, self.recall, settings)
        self.decisions = Decisions(self.recorder, pipeline)

        self.reader = SourceReader(folder, stopping)
        self.images = WaitingImages(waiting_folder(settings, folder.parent), f"doc-{folder.name}")
        self.ingestion = Ingestion(self.recorder, pipeline, self.reader, folder, self.images)
        library = ReferenceLibrary(bank, self.reader, parts.embedder)
        self.comparison = SourceComparison(
            self.recorder, pipeline.conflicts, library, parts.embedder, parts.pair_judge, stopping
        )

        self.remembering = SessionMemory(
            self.recorder, pipeline, owner, parts.memory, self.embedded, settings.long_term_query
        )
        self.step_memory = StepContext(self.recorder, self.recall, pipeline, self.images, self.remembering, settings)
        long_term_tools = None if owner is None else self.remembering
        researcher, may_ask = parts.researcher(self.recorder), self.recorder.may_ask
        self.tools = Toolbox(bank, self.recall, library, researcher, parts.web, long_term_tools, may_ask=may_ask)


def waiting_folder(settings: Settings, sessions: Path) -> Path:
    """The folder where the images of all sessions in `sessions` wait. Anything left over in it is removed."""
    if settings.temp_dir is None:
        return sessions / ".waiting"
    return settings.temp_dir / f"memory-bank-{hashlib.sha256(str(sessions.resolve()).encode()).hexdigest()[:16]}"
