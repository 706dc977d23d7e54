"""Sessions with a long-term memory, for tests: the embedded engine over vectors of words, and scripted extraction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory_bank.agents.remember import ExtractedFact, Extraction, ExtractionInput
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.policy import Policy
from memory_bank.long_term.store import Store
from memory_bank.search.embedding import load_embedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.long_term.in_memory import InMemoryStore
from tests.scripted import ScriptedEngine
from tests.step_clock import StepClock

ANN = Owner(user="ann", conversation_id="c1")
BOB = Owner(user="bob", conversation_id="c2")
EMBEDDER = load_embedder("all-MiniLM-L6-v2")


def long_term(store: Store | None = None) -> LongTermMemory:
    """A memory in this process, or over a store."""
    return LongTermMemory(store or InMemoryStore(EMBEDDER.name), lambda: EMBEDDER, policy=Policy(), clock=StepClock())


def told(given: ExtractionInput) -> Extraction:
    """Every sentence of the person that begins with a name of their own is a fact."""
    return Extraction(
        facts=tuple(
            ExtractedFact(content=f"{sentence.strip()}.", evidence=(utterance.id,))
            for utterance in given.utterances
            for sentence in utterance.text.split(".")
            if sentence.strip().startswith(("The ", "My ", "I "))
        )
    )


def parts(memory: Callable[[], LongTermMemory], **scripts: Any) -> Parts:
    """The embedded engine, but for the judgements that are scripted."""
    offline = OfflineEngine(EMBEDDER)
    scripted = ScriptedEngine({"remember_extraction": told, **scripts})
    engines = {**dict.fromkeys(AGENTS, offline), "remember": scripted}
    return Parts(StepClock(), EMBEDDER, engines, OfflineFramework(EMBEDDER), memory=memory)


def session(
    folder: Path,
    task: str,
    memory: LongTermMemory,
    owner: Owner | None = ANN,
    documents: Sequence[Upload] = (),
    **scripts: Any,
) -> Session:
    """A session that has run to its end."""
    begun = Session.create(
        task, documents, settings=Settings(), sessions=folder, parts=parts(lambda: memory, **scripts), owner=owner
    )
    for _event in begun.run():
        pass
    return begun
