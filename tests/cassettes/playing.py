"""A case of a cassette: a dossier's question, run as a session whose requests repeat exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx2

from memory_bank.app.evaluation.dossiers import Dossier, DossierQuestion
from memory_bank.bank.clock import Clock
from memory_bank.bank.settings import Settings
from memory_bank.judgement.judge import shared_judge
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.search.embedding import load_embedder
from memory_bank.session.answer_check import VerificationReport, verify_answer
from memory_bank.session.embedding_choice import choose_embedding_model
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.cassettes.cassette import CASES, FOLDER, SUFFIX
from tests.cassettes.networks import Kept, KeptEmbedder, KeptJudge
from tests.long_term.in_memory import InMemoryStore
from tests.step_clock import StepClock

MODEL = "recorded"
USER = "reader"


@dataclass(frozen=True)
class Case:
    """A question of a dossier, and a follow-up in the same conversation where there is one; `number` from 1."""

    file: Path
    number: int

    @property
    def name(self) -> str:
        """The name of its cassette, without the suffix."""
        return f"{self.file.stem}-{self.number}"

    @property
    def cassette(self) -> Path:
        """Where its cassette is, or is to be."""
        return FOLDER / f"{self.name}{SUFFIX}"

    @property
    def command(self) -> str:
        """What records it anew."""
        return f"python -m scripts.record_models tests/cassettes/cases/{self.file.name} --question {self.number}"

    @property
    def dossier(self) -> Dossier:
        """The documents, the contradictions between them and the questions."""
        return Dossier.model_validate(json.loads(self.file.read_text(encoding="utf-8")))

    @property
    def question(self) -> DossierQuestion:
        """The question asked."""
        return self.dossier.questions[self.number - 1]

    @property
    def follow_ups(self) -> list[str]:
        """The tasks that go on in the same conversation."""
        raw = json.loads(self.file.read_text(encoding="utf-8"))
        found: list[str] = raw["questions"][self.number - 1].get("follow_ups", [])
        return found


def cases() -> Iterator[Case]:
    """All cases, each with or without its cassette."""
    for file in sorted(CASES.glob("*.json")):
        questions = json.loads(file.read_text(encoding="utf-8"))["questions"]
        yield from (Case(file, number) for number in range(1, len(questions) + 1))


def settings_for(base_url: str, timeout: float = 60.0) -> Settings:
    """The settings of recording and replay: all agents on a model, and nothing of this machine's environment.

    The model's name is part of each request, so it is the same whatever answers.
    """
    local = {"base_url": base_url, "model": MODEL}
    given = {"llm_provider": "local", "local": local, "react": {"tools": "tags"}, "llm_timeout": timeout}
    return Settings.model_validate(given)


@dataclass(frozen=True)
class Played:
    """The sessions of a case, and what is found when the first one's answer is verified."""

    sessions: list[Session]
    checked: VerificationReport


def play_case(
    case: Case, settings: Settings, folder: Path, kept: Kept, network: httpx2.BaseTransport | None = None
) -> Played:
    """Run the case's sessions with what is kept of the networks.

    Time and ids are the same in every run, as a prompt may show a record's minute.
    """
    dossier, clock = case.dossier, StepClock(datetime(2026, 1, 5, 9, tzinfo=UTC), step=0.001)
    documents, sources = (
        [Upload(document.name, document.text.encode()) for document in group]
        for group in (dossier.documents, dossier.sources)
    )
    tasks = [case.question.question, *case.follow_ups]
    owner = Owner(user=USER, conversation_id="conversation") if len(tasks) > 1 else None
    settings = choose_embedding_model(settings, tasks[0], [*documents, *sources]).settings
    parts, sessions = _parts(settings, clock, kept, network), list[Session]()
    for number, task in enumerate(tasks, start=1):
        session = Session.create(
            task, documents, sources,
            settings=settings, sessions=folder, session_id=f"{number:032x}", parts=parts, owner=owner,
        )  # fmt: skip
        for _event in session.run():
            pass
        sessions.append(session)
    return Played(sessions, verify_answer(sessions[0].bank, parts.embedder, parts.pair_judge))


def _parts(settings: Settings, clock: Clock, kept: Kept, network: httpx2.BaseTransport | None) -> Parts:
    """The standard parts, with this clock and a memory that lasts as long as the case."""
    embedder = KeptEmbedder(load_embedder(settings.embedding_model), kept)
    parts = Parts.standard(settings, network=network, embedder=embedder, judge=KeptJudge(shared_judge(), kept))
    memory = LongTermMemory(InMemoryStore(embedder.name), lambda: embedder, clock=clock)
    return replace(parts, clock=clock, memory=lambda: memory)
