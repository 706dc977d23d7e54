"""`eval extraction`: whether what is kept of long conversations holds what is asked about them later (LoCoMo).

Each sitting is heard in windows, as a session is; what is found goes through long-term memory, so that what is told
again and what contradicts count as they do there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_bank.agents.remember import REMEMBER_EXTRACTION, ExtractedFact, ExtractionGiven, Utterance
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.evaluation.dialogue import DEPTHS, Conversation, DialogueQuestion, DialogueSession, day_of
from memory_bank.evaluation.records import mean, read_records
from memory_bank.long_term.in_memory import InMemoryStore
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import FACT_TYPES, Fact, Scope
from memory_bank.modules.embedding import Embedder, load_embedder
from memory_bank.settings import Settings

WINDOW = 10
"""Turns after which facts are extracted (section 5)."""
BEFORE = 4
"""Turns before a window that are given to understand it."""
_UNKNOWN_DAY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored fact, and the turns that say so."""

    fact: Fact
    evidence: frozenset[str]


class HeardConversation:
    """A conversation's facts in a memory of its own."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self._engine = OfflineEngine(embedder)
        self._memory = LongTermMemory(InMemoryStore(embedder.name), lambda: embedder)
        self._scope = Scope(user=conversation.id)
        self._evidence: dict[str, frozenset[str]] = {}
        self.conflicts = 0
        for session in conversation.sessions:
            for given in windows(session):
                for fact in self._engine.judge(REMEMBER_EXTRACTION, given).output.facts:
                    self._remember(fact, given.utterances[0].at or _UNKNOWN_DAY)

    @property
    def kept(self) -> list[Kept]:
        """Every fact that is stored, oldest first."""
        stored = self._memory.records(self._scope, FACT_TYPES)
        facts = [record for record in stored if isinstance(record, Fact)]
        told = [Kept(fact, self._evidence[fact.id]) for fact in facts]
        return sorted(told, key=lambda one: (one.fact.created, one.fact.text))

    def evidence_found(self, question: str, k: int) -> list[frozenset[str]]:
        """The turns behind each of the first k facts that are found for a question, best first."""
        hits = self._memory.search(self._scope, question, FACT_TYPES, k)
        return [self._evidence[hit.record.id] for hit in hits]

    def _remember(self, found: ExtractedFact, at: datetime) -> None:
        fact = Fact(
            user_id=self._scope.user,
            type=found.type,
            content=found.content,
            context=found.context,
            importance=found.importance,
            created=at,
            updated=at,
        )
        done = self._memory.remember(fact)
        if done.outcome == "conflict":
            self.conflicts += 1
        else:
            earlier = self._evidence.get(done.record.id, frozenset())
            self._evidence[done.record.id] = earlier | frozenset(found.evidence)


def evaluate_extraction(file: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The scores of one file; questions serve the score alone. A conversation without questions left is not heard."""
    started = time.perf_counter()
    embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
    scores: list[_Scores] = []
    left = limit
    for conversation in read_records(file, {"conversation": Conversation}):
        if left is None or left > 0:
            scores.append(
                _Scores(conversation, conversation.questions[:left], HeardConversation(conversation, embedder))
            )
            left = None if left is None else left - len(scores[-1].questions)
    return {"file": file.name, **_summed(scores), "seconds": round(time.perf_counter() - started, 1)}


def windows(session: DialogueSession) -> Iterator[ExtractionGiven]:
    """What was said in one sitting, ten turns at a time, the last of them at its end."""
    day = day_of(session.date_time)
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    said = [Utterance(id=turn.dia_id, speaker=turn.speaker, text=turn.text, at=at) for turn in session.turns]
    for start in range(0, len(said), WINDOW):
        yield ExtractionGiven(
            about="",
            utterances=tuple(said[start : start + WINDOW]),
            before=tuple(said[max(0, start - BEFORE) : start]),
        )


class _Scores:
    """What is counted of one conversation."""

    def __init__(
        self, conversation: Conversation, questions: Sequence[DialogueQuestion], heard: HeardConversation
    ) -> None:
        kept = heard.kept
        held = {turn for one in kept for turn in one.evidence}
        gold = {turn for question in questions for turn in question.evidence}
        self.name, self.questions = conversation.id, questions
        self.turns = [turn.dia_id in held for session in conversation.sessions for turn in session.turns]
        self.facts, self.conflicts = len(kept), heard.conflicts
        self.evidence = [turn in held for turn in sorted(gold)]
        self.found = [_found(heard, question) for question in questions]


def _found(heard: HeardConversation, question: DialogueQuestion) -> dict[int, bool]:
    gold = set(question.evidence)
    evidence = heard.evidence_found(question.question, max(DEPTHS))
    return {depth: any(gold & turns for turns in evidence[:depth]) for depth in DEPTHS}


def _summed(scores: Sequence[_Scores]) -> dict[str, Any]:
    asked = [
        (question.category_name, one)
        for score in scores
        for question, one in zip(score.questions, score.found, strict=True)
    ]
    names = sorted({name for name, _ in asked})
    return {
        "turns": sum(len(score.turns) for score in scores),
        "facts": sum(score.facts for score in scores),
        "conflicts": sum(score.conflicts for score in scores),
        "turns_with_a_fact": mean([told for score in scores for told in score.turns]),
        "evidence_recall": mean([held for score in scores for held in score.evidence]),
        "questions": len(asked),
        "facts_found": {
            **_recalls([one for _, one in asked]),
            "by_category": {name: _recalls([one for other, one in asked if other == name]) for name in names},
        },
        "by_conversation": {
            score.name: {"turns": len(score.turns), "facts": score.facts, "evidence_recall": mean(score.evidence)}
            for score in scores
        },
    }


def _recalls(found: Sequence[dict[int, bool]]) -> dict[str, float]:
    return {f"recall@{depth}": mean([one[depth] for one in found]) for depth in DEPTHS}
