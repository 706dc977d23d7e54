"""The questions and orders of a task, and the parts of a question that asks several things."""

from __future__ import annotations

import re

from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.coreference.question import LONGEST, is_follow_up
from memory_bank.judgement.reader import Reader
from memory_bank.text.sentences import sentences

MOST_SAID, MOST_ASKED = 40, 8
"""Sentences of a task that are read, and questions in them, or parts of a question, that are answered."""
_PART_BREAK = re.compile(r"[?？;；]\s*|,\s*(?:and\s+)?(?=\w+ )|\s+and\s+|[，,]\s*(?=\S)", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:wh(?:at|ich|o|om|ose|en|ere|y)|how|w(?:er|en|em|as|ann|o|ie|arum|elche[rsnm]?)|wieviele?"
    r"|qu(?:i|e|and|els?|elles?|oi)|où|comment|combien|pourquoi)\b|谁|什么|哪|几|多少|怎|为何|何时",
    re.IGNORECASE,
)
"""Question words: several questions have several."""
_SHORTEST_PART = 6
"""Characters of the shortest part of a task that can be a question."""
_ORDER_KINDS = frozenset({TaskKind.SUMMARY, TaskKind.COMPARISON, TaskKind.CHANGES, TaskKind.LIST, TaskKind.DATES})
"""Kinds of task that are given as an order as often as they are asked."""


def parts_of(task: str, reader: Reader) -> dict[str, list[str]]:
    """Each question and order of a task with its parts, in its own words; without parts where it asks one thing."""
    asked = _questions_and_orders(task, reader)[:MOST_ASKED]
    return {sentence: _parts(sentence, reader)[:MOST_ASKED] for sentence in asked}


def asks(text: str) -> bool:
    """Whether a text is a question: by its mark, or, as people type it, by the question word that it begins with."""
    return text.rstrip().endswith(("?", "？")) or _ASKS.match(text.lstrip()) is not None


def _parts(sentence: str, reader: Reader) -> list[str]:
    pieces = [piece.strip() for piece in _PART_BREAK.split(sentence) if piece.strip()]
    is_several = len(_ASKS.findall(sentence)) > 1 and len(pieces) > 1 and reader.kind(sentence) is TaskKind.SEVERAL
    return [piece for piece in pieces if len(piece) >= _SHORTEST_PART and _ASKS.search(piece)] if is_several else []


def _questions_and_orders(task: str, reader: Reader) -> list[str]:
    """The sentences of a task that ask or order something; the whole task where these do not stand alone.

    Nor does a single question after what it is about: “I share a flat with one of the staff. Does that rule me out?”
    """
    texts = [span.of(task).strip() for span in sentences(task)]
    questions = [text for text in texts if text.endswith(("?", "？"))]
    if len(texts) == 1 or any(is_follow_up(question) for question in questions):
        return [task]
    asked = [text for text in texts[:MOST_SAID] if text in questions or reader.kind(text) in _ORDER_KINDS]
    is_after_situation = len(asked) == len(questions) == 1 and len(task) <= LONGEST
    return asked if asked and not is_after_situation else [task]
