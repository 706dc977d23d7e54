"""`eval extraction`: whether the facts extracted from long conversations cover later questions (LoCoMo).

Each sitting is processed in windows, as in a session. The extracted facts go through long-term memory, so that repeated
and contradicting facts are treated as they are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_bank.agents.remember import REMEMBER_EXTRACTION, ExtractedFact, ExtractionInput, Utterance
from memory_bank.app.evaluation.dialogue import DEPTHS, Conversation, DialogueQuestion, DialogueSession, day_of
from memory_bank.app.evaluation.records import mean, read_records
from memory_bank.bank.settings import Settings
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.long_term.in_memory import InMemoryStore
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import Fact, Scope
from memory_bank.long_term.record_type import FACT_TYPES
from memory_bank.search.embedding import Embedder, load_embedder

WINDOW = 10
"""Turns after which facts are extracted."""
BEFORE = 4
"""Turns before a window that are given as context."""
_UNKNOWN_DAY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A stored fact, and the ids of the turns that state it."""

    fact: Fact
    evidence: frozenset[str]


class ExtractedConversation:
    """The facts extracted from one conversation, in a long-term memory of their own."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self._engine = OfflineEngine(embedder)
        self._memory = LongTermMemory(InMemoryStore(embedder.name), lambda: embedder)
        self._scope = Scope(user=conversation.id)
        self._evidence: dict[str, frozenset[str]] = {}
        self.conflicts = 0
        for session in conversation.sessions:
            for window in windows(session):
                for fact in self._engine.judge(REMEMBER_EXTRACTION, window).output.facts:
                    self._remember(fact, window.utterances[0].at or _UNKNOWN_DAY)

    @property
    def kept(self) -> list[StoredFact]:
        """All stored facts, oldest first."""
        stored = self._memory.records(self._scope, FACT_TYPES)
        facts = sorted(
            (record for record in stored if isinstance(record, Fact)), key=lambda fact: (fact.created, fact.text)
        )
        return [StoredFact(fact, self._evidence[fact.id]) for fact in facts]

    def evidence_found(self, question: str, k: int) -> list[frozenset[str]]:
        """The turns behind each of the k best facts for a question, best first."""
        hits = self._memory.search(self._scope, question, FACT_TYPES, k)
        return [self._evidence[hit.record.id] for hit in hits]

    def _remember(self, extracted: ExtractedFact, at: datetime) -> None:
        fact = Fact(
            user_id=self._scope.user,
            type=extracted.type,
            content=extracted.content,
            context=extracted.context,
            importance=extracted.importance,
            created=at,
            updated=at,
        )
        result = self._memory.remember(fact)
        if result.outcome == "conflict":
            self.conflicts += 1
        else:
            earlier = self._evidence.get(result.record.id, frozenset())
            self._evidence[result.record.id] = earlier | frozenset(extracted.evidence)


def evaluate_extraction(file: Path, settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The scores of one file. With a `limit` of questions, the conversations after the last question are skipped."""
    embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
    scores: list[_Scores] = []
    left = limit
    for conversation in read_records(file, {"conversation": Conversation}):
        if left is None or left > 0:
            scores.append(
                _Scores(conversation, conversation.questions[:left], ExtractedConversation(conversation, embedder))
            )
            left = None if left is None else left - len(scores[-1].questions)
    return _total_scores(scores)


def windows(session: DialogueSession) -> Iterator[ExtractionInput]:
    """The turns of one sitting in windows of `WINDOW` turns; the last one may be shorter."""
    day = day_of(session.date_time)
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    utterances = [Utterance(id=turn.dia_id, speaker=turn.speaker, text=turn.text, at=at) for turn in session.turns]
    for start in range(0, len(utterances), WINDOW):
        yield ExtractionInput(
            about="",
            utterances=tuple(utterances[start : start + WINDOW]),
            before=tuple(utterances[max(0, start - BEFORE) : start]),
        )


class _Scores:
    """The raw scores of one conversation."""

    def __init__(
        self, conversation: Conversation, questions: Sequence[DialogueQuestion], heard: ExtractedConversation
    ) -> None:
        kept = heard.kept
        covered = {turn for fact in kept for turn in fact.evidence}
        gold = {turn for question in questions for turn in question.evidence}
        self.name, self.questions = conversation.id, questions
        self.turns = [turn.dia_id in covered for session in conversation.sessions for turn in session.turns]
        self.facts, self.conflicts = len(kept), heard.conflicts
        self.evidence = [turn in covered for turn in sorted(gold)]
        self.found = [_found_at_depths(heard, question) for question in questions]


def _found_at_depths(heard: ExtractedConversation, question: DialogueQuestion) -> dict[int, bool]:
    gold = set(question.evidence)
    evidence = heard.evidence_found(question.question, max(DEPTHS))
    return {depth: any(gold & turns for turns in evidence[:depth]) for depth in DEPTHS}


def _total_scores(scores: Sequence[_Scores]) -> dict[str, Any]:
    asked = [
        (question.category_name, found)
        for score in scores
        for question, found in zip(score.questions, score.found, strict=True)
    ]
    names = sorted({name for name, _ in asked})
    return {
        "turns": sum(len(score.turns) for score in scores),
        "facts": sum(score.facts for score in scores),
        "conflicts": sum(score.conflicts for score in scores),
        "turns_with_a_fact": mean([covered for score in scores for covered in score.turns]),
        "evidence_recall": mean([covered for score in scores for covered in score.evidence]),
        "questions": len(asked),
        "facts_found": {
            **_recalls([found for _, found in asked]),
            "by_category": {name: _recalls([found for category, found in asked if category == name]) for name in names},
        },
        "by_conversation": {
            score.name: {"turns": len(score.turns), "facts": score.facts, "evidence_recall": mean(score.evidence)}
            for score in scores
        },
    }


def _recalls(outcomes: Sequence[dict[int, bool]]) -> dict[str, float]:
    return {f"recall@{depth}": mean([found[depth] for found in outcomes]) for depth in DEPTHS}
