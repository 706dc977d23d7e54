"""Questions on real documents, for the answer model: `document_questions.jsonl`, read with a folder of the documents.

The documents are public ones of others and no part of the corpus; `document_origins.jsonl` says where each stands. The
folder holds one folder for each set, named as in the questions.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import load_embedder
from memory_bank.search.relevance import Relevance
from training.corpus import HERE, lines
from training.questions import Asked

QUESTIONS = HERE / "document_questions.jsonl"
MOST_READ, LIKELIEST, BY_CHANCE = 36, 14, 2
"""Of a set's statements the most relevant are read, as the engine does; of those that do not answer, the ones that the
small network takes likeliest for an answer are kept, which are what the large one reads, and some of the others."""
SEED = 3


def asked_of_documents(folder: Path | None, questions: Path = QUESTIONS) -> Iterator[Asked]:
    """The questions on a folder's sets, each with what bears its answer and the likeliest of the rest."""
    by_set: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in lines(questions) if folder else ():
        by_set[item["set"]].append(item)
    number, chance = 0, random.Random(SEED)
    for name, items in sorted(by_set.items()):
        if folder and (folder / name).is_dir():
            placed = _statements(folder / name)
            for item in items:
                for statement, answers in _of_set(item, placed, chance):
                    yield Asked(item["q"], statement, answers, None, item["language"], name, number,
                                "document questions")  # fmt: skip
                number += 1


def _statements(folder: Path) -> list[tuple[str, Statement]]:
    """Every statement of a set, as the engine reads it for an answer, with the name of its file."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return [
        (path.name, placed.statement)
        for path in files
        for placed in statements_of(path.read_text(encoding="utf-8"), short_items=True, short_joined=True)
    ]


def _of_set(
    item: dict[str, Any], placed: Sequence[tuple[str, Statement]], chance: random.Random
) -> Iterator[tuple[Statement, bool]]:
    bearing = {n for n, one in enumerate(placed) if any(_bears(passage, one) for passage in item["passages"])}
    if item["passages"] and not bearing:
        return
    relevance = Relevance([item["q"]], load_embedder()).of([f"{one.context} {one.text}" for _, one in placed])
    read = [int(n) for n in np.argsort(-relevance, kind="stable")[:MOST_READ] if n not in bearing]
    found = load_pair_model().small.answers(item["q"], [placed[n][1] for n in read])
    order = sorted(range(len(read)), key=lambda n: -found[n].probability)
    rest = [read[n] for n in order]
    others = rest[:LIKELIEST] + chance.sample(rest[LIKELIEST:], min(BY_CHANCE, len(rest[LIKELIEST:])))
    yield from ((placed[n][1], n in bearing) for n in (*sorted(bearing), *others))


def _bears(passage: tuple[str, str], one: tuple[str, Statement]) -> bool:
    """Whether a statement holds a quotation of its file, or is a part of it."""
    quoted, said = _flat(passage[1]), _flat(one[1].text)
    return passage[0] == one[0] and bool(said) and (quoted in said or said in quoted)


def _flat(text: str) -> str:
    """Letters and digits alone: quotations may leave marks out."""
    return re.sub(r"\W+|_", "", text).lower()
