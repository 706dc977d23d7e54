"""A small whole session: two documents that contradict each other, a reference, an image; on either engine.

With long-term memory it recalls what was told before, and keeps what is told now.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_bank.agents.agent import Engine
from memory_bank.agents.react import EnhancedPrompt, ImageRead, Progress, StepResult, Tools
from memory_bank.bank.errors import AgentError
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.engines.step.prompt import with_image
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import Fact
from memory_bank.long_term.store import AnyRecord
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests import competent_model
from tests.faults.memory import FailingStore, MemoryFault
from tests.faults.network import Network, NetworkFault
from tests.long_term.in_memory import InMemoryStore
from tests.scripted_model import ScriptedModel
from tests.session.test_images import png
from tests.session.test_models import DOCUMENTS, SOURCES, TASK, settings
from tests.step_clock import StepClock

TIMES = {"at", "timestamp", "created_at", "visited_at", "finished_at", "seconds", "milliseconds"}
IMAGE = Upload("photo.png", png())
ANN = Owner(user="ann", conversation_id="c1")
TOLD_BEFORE = "Beacon Mill was last worked before the first war."
TOLD_NOW = "I live in Kent."
LONG_AGO = datetime(2023, 1, 1, tzinfo=UTC)
VISITED = Message(role="tool", name="visit", source="https://weirs.test/", content="The weir is 12 m wide.")


class Seeing(OfflineFramework):
    """Knows what the image shows, without the seconds that recognising it takes; visits a page in each other step."""

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        if prompt.image is None:
            result = yield from super().act(prompt, tools, turns, failed, lost)
            return result.model_copy(update={"messages": (*result.messages, VISITED)})
        with_image([{"role": "user", "content": ""}], prompt.image)  # opened as for a model that sees
        return StepResult(
            answer="Beacon Mill has a round cap.", messages=(), image=ImageRead(id=prompt.image.source.id)
        )


@dataclass(frozen=True)
class Kind:
    """What a session is run on."""

    scripted: bool = False
    remembers: bool = False
    parallel: int = 1

    def __str__(self) -> str:
        words = ("scripted" if self.scripted else "offline", "remembers" if self.remembers else "")
        return " ".join([*filter(None, words), f"{self.parallel} at a time"])


class Story:
    """How the session is made; `network` is None on the embedded engine, `store` without long-term memory."""

    def __init__(self, folder: Path, kind: Kind, fault: object = None) -> None:
        self.folder, self.kind = folder, kind
        self.network = network(fault if isinstance(fault, NetworkFault) else None) if kind.scripted else None
        self.store = stored(fault if isinstance(fault, MemoryFault) else None) if kind.remembers else None

    @property
    def failed(self) -> bool:
        """Whether the fault of its network or its memory happened."""
        return any(part is not None and part.failed for part in (self.network, self.store))

    @property
    def settings(self) -> Settings:
        if self.network is None:
            return Settings(embedding_model="hash", parallel_calls=self.kind.parallel)
        return settings(serper_api_key="serper-key", parallel_calls=self.kind.parallel)

    def parts(self, year: int = 2024) -> Parts:
        clock, embedder = StepClock(datetime(year, 1, 1, tzinfo=UTC)), HashEmbedder()
        if self.network is not None:
            parts = replace(Parts.standard(self.settings, network=self.network), clock=clock)
        else:
            engines: dict[str, Engine] = dict.fromkeys(AGENTS, OfflineEngine(embedder))
            parts = Parts(clock, embedder, engines, Seeing(embedder))
        return parts if self.store is None else replace(parts, memory=lambda: memory_over(self.store))

    def create(self) -> Session:
        documents = [*DOCUMENTS, *([IMAGE] if self.network is None else [])]
        return Session.create(
            f"{TOLD_NOW} {TASK}" if self.kind.remembers else TASK,
            documents,
            SOURCES,
            settings=self.settings,
            sessions=self.folder,
            session_id="s",
            parts=self.parts(),
            owner=ANN if self.kind.remembers else None,
        )

    def open(self) -> Session:
        return Session.open("s", settings=self.settings, sessions=self.folder, parts=self.parts(2025))

    def remembered(self) -> list[AnyRecord]:
        """What long-term memory holds at the end, but for ids and times."""
        records = [] if self.store is None else self.store.records(ANN.scope)
        unlike = {"id": "", "created": LONG_AGO, "updated": LONG_AGO, "access_count": 0}
        return sorted((record.model_copy(update=unlike) for record in records), key=repr)


def memory_over(store: Any) -> LongTermMemory:
    """A memory over a store."""
    return LongTermMemory(store, HashEmbedder, clock=StepClock())


def stored(fault: MemoryFault | None = None) -> FailingStore:
    """A store with what the person told before."""
    store = InMemoryStore(HashEmbedder().name)
    told = Fact(id="told", user_id=ANN.user, created=LONG_AGO, updated=LONG_AGO, type="semantic", content=TOLD_BEFORE)
    memory_over(store).remember(told)
    return FailingStore(store, fault)


def network(fault: NetworkFault | None = None) -> Network:
    """A competent model and a search service."""
    return Network(ScriptedModel(competent_model.reply), fault)


def outcome(session: Session) -> Any:
    """What the export of a session shows besides its events: without times, what was spent, and how often it ran."""
    export = _without(json.loads(session.export()), {*TIMES, "events"})
    export["session"] = {name: held for name, held in export["session"].items() if not name.startswith("usage")}
    return export


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(held, names) for name, held in value.items() if name not in names}
    return [_without(held, names) for held in value] if isinstance(value, list) else value


def difference(one: Any, other: Any, path: str = "") -> str:
    """Where two outcomes differ first, and how; "" where they do not."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        found = (difference(one[name], other[name], f"{path}.{name}") for name in one)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = (difference(a, b, f"{path}[{number}]") for number, (a, b) in enumerate(zip(one, other, strict=True)))
    else:
        return "" if one == other else f"{path}: {one!r:.200} != {other!r:.200}"
    return next((text for text in found if text), "")
