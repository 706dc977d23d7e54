"""Questions on real documents, for the answer model: `document_questions.jsonl`, read with a folder of the documents.

The documents are public ones of others and no part of the corpus; `document_origins.jsonl` says where each stands. The
folder holds one folder for each set, named as in the questions.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import load_embedder
from memory_bank.search.relevance import Relevance
from training.corpus import HERE, lines
from training.measure import Placed, bearing_of
from training.questions import Asked

QUESTIONS = HERE / "document_questions.jsonl"
MOST_READ, LIKELIEST, BY_CHANCE = 36, 14, 2
"""Of a set's statements the most relevant are read, as the engine does; of those that do not answer, the ones that the
small network takes likeliest for an answer are kept, which are what the large one reads, and some of the others."""
SEED = 3


def asked_of_documents(folder: Path | None, questions: Path = QUESTIONS) -> Iterator[Asked]:
    """The questions on a folder's sets, each with what bears its answer and the likeliest of the rest."""
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
        for item in by_set[name]:
            spans = [([*files].index(file), words) for file, words in item["passages"]]
            bearing = bearing_of(texts, spans, placed)
            if spans and not bearing:
                continue
            for n in (*sorted(bearing), *_others(item["q"], placed, bearing, chance)):
                statement, language = placed[n][1].statement, item["language"]
                yield Asked(item["q"], statement, n in bearing, None, language, name, number, "document questions")
            number += 1


def _others(question: str, placed: Sequence[Placed], bearing: Set[int], chance: random.Random) -> list[int]:
    """The statements likeliest to be taken for an answer of those that do not bear it, and some of the others."""
    statements = [one.statement for _, one in placed]
    relevance = Relevance([question], load_embedder()).of([f"{one.context} {one.text}" for one in statements])
    read = [int(n) for n in np.argsort(-relevance, kind="stable")[:MOST_READ] if n not in bearing]
    found = load_pair_model().small.answers(question, [statements[n] for n in read])
    likeliest = [read[n] for n in sorted(range(len(read)), key=lambda n: -found[n].probability)]
    rest = likeliest[LIKELIEST:]
    return likeliest[:LIKELIEST] + chance.sample(rest, min(BY_CHANCE, len(rest)))
