"""`eval dialogue`: recall of the turns that hold the answer to a question about a conversation (LoCoMo)."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from memory_bank.app.evaluation.items import Items, mean, read_records
from memory_bank.bank.settings import Settings
from memory_bank.bank.value import Value
from memory_bank.search.dialogue import DialogueIndex, IndexedTurn
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.text.written_dates import days_named

DEPTHS = (5, 10)


class DialogueTurn(Value, extra="ignore"):
    """One turn of a conversation, with the caption of an image that was sent with it."""

    dia_id: str
    speaker: str
    text: str
    image_caption: str | None = None


class DialogueSession(Value, extra="ignore"):
    """The turns of one sitting."""

    date_time: str
    turns: tuple[DialogueTurn, ...]


class DialogueQuestion(Value, extra="ignore"):
    """A question; `evidence` and `category_name` are used for the scores only."""

    question: str
    evidence: tuple[str, ...]
    category_name: str


class Conversation(Value):
    """A long conversation with questions about it."""

    id: str
    sessions: tuple[DialogueSession, ...]
    questions: tuple[DialogueQuestion, ...]


def evaluate_dialogue(file: Path, settings: Settings, items: Items) -> dict[str, Any]:
    """The scores of one file, as the data's README defines them."""
    embedder = load_embedder(settings.embedding_model)
    recalls: list[tuple[str, dict[int, float]]] = []
    for conversation in read_records(file, {"conversation": Conversation}):
        index = _index(conversation, embedder)
        for question in conversation.questions:
            if items.limit is None or len(recalls) < items.limit:
                ranked = [hit.id for hit in index.retrieve(question.question, max(DEPTHS))]
                gold = set(question.evidence)
                recall = {depth: len(gold & set(ranked[:depth])) / len(gold) if gold else 0.0 for depth in DEPTHS}
                recalls.append((question.category_name, recall))
    categories = sorted({category for category, _ in recalls})
    overall = {f"recall@{depth}": mean([recall[depth] for _, recall in recalls]) for depth in DEPTHS}
    return {
        "questions": len(recalls),
        **overall,
        "by_category": {
            category: {
                f"recall@{depth}": mean([recall[depth] for name, recall in recalls if name == category])
                for depth in DEPTHS
            }
            for category in categories
        },
    }


def _index(conversation: Conversation, embedder: Embedder) -> DialogueIndex:
    turns = [
        IndexedTurn(
            id=turn.dia_id,
            speaker=turn.speaker,
            text=f"{turn.text} {turn.image_caption or ''}".strip(),
            sitting=str(number),
            on=single_day(session.date_time),
        )
        for number, session in enumerate(conversation.sessions)
        for turn in session.turns
    ]
    return DialogueIndex(turns, embedder)


def single_day(date_time: str) -> date | None:
    """The day of a time as written in the data, "4:04 pm on 20 January, 2023"; None if it names no single day."""
    return next((days.first for days in days_named(date_time, date.max) if days.first == days.last), None)
