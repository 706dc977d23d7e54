"""What documents say in a few sentences, for a task that asks for no more: the most central one of each."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.summary import most_central
from memory_bank.modules.tokens import tokenize

MOST_SENTENCES = 8
TELLING = 4
"""Content words from which a sentence can stand for its document."""
ALIKE = 0.8


def overview(passages: Sequence[Passage]) -> list[Passage]:
    """The sentence most central to each document, and then to its other entries; entries in the order of their time."""
    entries: dict[str, list[Passage]] = {}
    for passage in sorted(passages, key=lambda one: one.entry.created_at):
        if len(tokenize(passage.text)) >= TELLING:
            entries.setdefault(passage.entry.id, []).append(passage)
    central = [group[most_central([one.text for one in group])] for group in entries.values()]
    first: dict[str, Passage] = {}
    for passage in central:
        first.setdefault(passage.document, passage)
    chosen: list[Passage] = []
    for passage in dict.fromkeys([*first.values(), *central]):
        if len(chosen) < MOST_SENTENCES and not any(_alike(passage, other) for other in chosen):
            chosen.append(passage)
    return chosen


def _alike(passage: Passage, other: Passage) -> bool:
    words, others = set(tokenize(passage.text)), set(tokenize(other.text))
    return len(words & others) >= ALIKE * max(min(len(words), len(others)), 1)
