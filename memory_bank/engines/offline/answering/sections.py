"""Where a heading or a question of a document says what is asked, the answer is what stands under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

import numpy as np

from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import ANSWERS
from memory_bank.judgement.reader import Reader
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.search.relevance import Relevance

MATCHES = 0.7
"""Relevance of a question or heading from which what stands under it answers."""
NAMES_LIST = 0.5
"""The same of the heading of a list, for a task that asks for a list."""
MOST_SENTENCES, MOST_ITEMS = 4, 12


def under_matching_lead(
    kind: TaskKind, question: str, pool: Sequence[CandidatePassage], embedder: Embedder
) -> list[CandidatePassage]:
    """The first sentences, or the list, under the heading or question that says what is asked; none where none does."""
    sections = by_section(pool)
    if not sections:
        return []
    relevance = Relevance([question], embedder).of([lead for _, lead in sections])
    best = int(np.argmax(relevance))
    section = sorted(list(sections.values())[best], key=lambda passage: passage.span.start)
    if kind is TaskKind.LIST:  # a sentence may introduce the list
        section = [passage for passage in section if passage.item] or section
    is_list = section[0].item
    if relevance[best] < (NAMES_LIST if is_list and kind is TaskKind.LIST else MATCHES):
        return []
    return list(takewhile(lambda passage: passage.item, section))[:MOST_ITEMS] if is_list else section[:MOST_SENTENCES]


def answering_list(question: str, pool: Sequence[CandidatePassage], reader: Reader) -> list[CandidatePassage]:
    """The items of the list that answers, read as one sentence with its heading; none where none does."""
    lists = [items for section in by_section(pool).values() if len(items := [one for one in section if one.item]) > 1]
    answers = reader.answers(question, [as_sentence(items) for items in lists])
    best = max(range(len(lists)), key=lambda n: answers[n].probability, default=None)
    if best is None or answers[best].probability < ANSWERS:
        return []
    return sorted(lists[best], key=lambda item: item.span.start)[:MOST_ITEMS]


def as_sentence(items: Sequence[CandidatePassage]) -> Statement:
    """A list as one sentence with its heading."""
    return Statement(f"{items[0].lead}: {'; '.join(item.text for item in items)}", items[0].context)


def by_section(pool: Iterable[CandidatePassage]) -> dict[tuple[str, str], list[CandidatePassage]]:
    """The passages by the heading, question or label that they stand under, without those that have none."""
    sections: dict[tuple[str, str], list[CandidatePassage]] = {}
    for passage in pool:
        if passage.lead:
            sections.setdefault(passage.section, []).append(passage)
    return sections
