"""Questions on real documents, for the answer model: `document_questions.jsonl`, read with a folder of the documents.

The documents are public ones of others and no part of the corpus; `document_origins.jsonl` says where each stands. The
folder holds one folder for each set, named as in the questions.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import load_embedder
from memory_bank.search.relevance import Relevance
from training.corpus import HERE, lines
from training.measure import bearing_of
from training.questions import Asked

QUESTIONS = HERE / "document_questions.jsonl"
NEAREST, AMONG, NEXT, BY_CHANCE = 8, 48, 5, 1
"""Statements of a set that do not answer a question: the most relevant to it, some of the next ones up to `AMONG`, and
one of the rest."""
SEED = 3


def asked_of_documents(folder: Path | None, questions: Path = QUESTIONS) -> Iterator[Asked]:
    """The questions on a folder's sets, each with what bears its answer and with the most relevant of the rest."""
    if folder is None:
        return
    by_set: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in lines(questions):
        by_set[item["set"]].append(item)
    number, chance = 0, random.Random(SEED)
    for name in sorted(by_set.keys() & {path.name for path in folder.iterdir()}):
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / name).iterdir())}
        texts = [*files.values()]
        # as the engine reads them for an answer
        placed = [
            (n, one) for n, text in enumerate(texts) for one in statements_of(text, short_items=True, short_joined=True)
        ]
        read = [f"{one.context} {one.text}" for one in (one.statement for _, one in placed)]
        for item in by_set[name]:
            spans = [([*files].index(file), words) for file, words in item["passages"]]
            bearing = bearing_of(texts, spans, placed)
            if spans and not bearing:
                continue
            relevance = Relevance([item["q"]], load_embedder()).of(read)
            order = [int(n) for n in np.argsort(-relevance, kind="stable") if n not in bearing]
            for n in (*sorted(bearing), *_others(order, chance)):
                statement, language = placed[n][1].statement, item["language"]
                yield Asked(item["q"], statement, n in bearing, None, language, name, number, "document questions")
            number += 1


def _others(order: Sequence[int], chance: random.Random) -> list[int]:
    """Of the statements that do not answer, the most relevant first, those that are trained on."""
    drawn = (order[NEAREST:AMONG], NEXT), (order[AMONG:], BY_CHANCE)
    return [*order[:NEAREST], *(n for some, most in drawn for n in chance.sample(some, min(most, len(some))))]
