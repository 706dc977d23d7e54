"""A small whole session: two documents that contradict each other, a reference, an image; on either engine."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_bank.agents.agent import Engine
from memory_bank.agents.react import EnhancedPrompt, ImageRead, Progress, StepResult, Tools
from memory_bank.bank.message import Message, Turn
from memory_bank.clock import StepClock
from memory_bank.engines.llm.react_prompt import with_image
from memory_bank.engines.llm.scripted_model import ScriptedModel
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.errors import AgentError
from memory_bank.modules.hash_embedder import HashEmbedder
from memory_bank.session import Parts, Session
from memory_bank.session_store import Upload
from memory_bank.settings import AGENTS, Settings
from tests import competent_model
from tests.faults.network import Network, NetworkFault
from tests.test_images import png
from tests.test_models import DOCUMENTS, SOURCES, TASK, settings

TIMES = {"at", "timestamp", "created_at", "visited_at", "finished_at", "seconds", "milliseconds"}
IMAGE = Upload("photo.png", png())
VISITED = Message(role="tool", name="visit", source="https://weirs.test/", content="The weir is 12 m wide.")


class Seeing(OfflineFramework):
    """Knows what the image shows, without the seconds that recognising it takes; visits a page in each other step."""

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
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
class Story:
    """How the session is made; `network` is None on the embedded engine."""

    folder: Path
    network: Network | None

    @property
    def settings(self) -> Settings:
        if self.network is None:
            return Settings(embedding_model="hash")
        return settings(serper_api_key="serper-key", parallel_calls=1)

    def parts(self, year: int = 2024) -> Parts:
        clock = StepClock(datetime(year, 1, 1, tzinfo=UTC))
        if self.network is not None:
            return replace(Parts.standard(self.settings, network=self.network), clock=clock)
        embedder = HashEmbedder()
        engines: dict[str, Engine] = dict.fromkeys(AGENTS, OfflineEngine(embedder))
        return Parts(clock, embedder, engines, Seeing(embedder))

    def create(self) -> Session:
        documents = [*DOCUMENTS, *([IMAGE] if self.network is None else [])]
        return Session.create(
            TASK,
            documents,
            SOURCES,
            settings=self.settings,
            sessions=self.folder,
            session_id="s",
            parts=self.parts(),
        )

    def open(self) -> Session:
        return Session.open("s", settings=self.settings, sessions=self.folder, parts=self.parts(2025))


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
