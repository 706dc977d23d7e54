"""Which pairs a run is trained on, and which are held out to measure it on."""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from memory_bank.judgement.statement import HEADING_CHARACTERS, Statement, context
from memory_bank.search.embedding import load_embedder
from training.corpus import HERE, Pair, authored_pairs, cropped_pairs, dossier_pairs, family_pairs, lines, snli_pairs
from training.descriptions import description_pairs, document_pairs

SNLI = Path(__file__).parents[1] / "../shared/data/train/snli_dev_test.jsonl"
HELD_OUT = 0.05
"""Share of the groups of the corpus that no run trains on."""
HELD_OUT_OF = {
    "dossiers": 0.2,
    "dossier negatives": 0.2,
    "accounts": 0.2,
    "account negatives": 0.2,
    "cropped": 0.2,
    "dossier questions": 0.2,
    "account questions": 0.2,
    "document questions": 0.1,
    "snli": 0.02,
    "descriptions": 0.0,
    "documents": 0.0,
}
"""The same for single supplies: of dossiers more, since thresholds are chosen on them."""
NEAREST = 3
"""Of each statement, so many of the other document's nearest statements are looked at."""


POOLS = frozenset({"dossier negatives", "account negatives", "descriptions", "documents"})
"""Supplies of pairs that do not contradict, far more than are needed."""


def supplies(languages: set[str], documents: Path | None = None) -> list[Pair]:
    """Every pair of the corpus and of real documentation in these languages, and of the documents of a folder."""
    found = [
        *family_pairs(),
        *dossier_pairs(nearest),
        *cropped_pairs(),
        *authored_pairs(),
        *snli_pairs(SNLI),
        *description_pairs(),
    ]
    found += document_pairs(documents) if documents else []
    return [pair for pair in found if pair.language in languages]


TITLED = frozenset({"families", "light", "authored"})
"""Supplies whose pairs are also trained on with the titles of two documents before their contexts.

In all others documents have titles, and nearly all of them are compatible: a title would tell.
"""


def titled(pair: Pair, titles: list[tuple[str, str]], chance: random.Random) -> Pair:
    """The pair as if it stood in two documents on one subject, each with its title and heading."""
    (title, heading), (other, below) = chance.sample(titles, 2)
    a = Statement(pair.a.text, context(title, heading, pair.a.context))
    b = Statement(pair.b.text, context(other, below, pair.b.context))
    return replace(pair, a=a, b=b)


def document_titles() -> dict[str, list[list[tuple[str, str]]]]:
    """By language, of each dossier of the corpus the titles of its documents, each with one of its headings or none."""
    found = defaultdict(list)
    for path in sorted(HERE.glob("dossiers-*.jsonl")):
        for dossier in lines(path):
            pairs = []
            for document in dossier["documents"]:
                parts = [line.strip("# ").strip() for line in document["text"].splitlines() if line.strip()]
                headings = [line for line in parts[1:] if len(line) <= HEADING_CHARACTERS and not line.endswith(".")]
                pairs.append((parts[0], headings[0] if headings else ""))
            found[dossier["language"]].append(pairs)
    return found


def held_out(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """What is trained on, and what is measured on: whole groups, chosen by name, so that it is always the same."""
    kept, apart = [], []
    for pair in pairs:
        (apart if is_held_out(pair.group, pair.supply) else kept).append(pair)
    return kept, apart


def is_held_out(group: str, supply: str) -> bool:
    """Whether a group of a supply is measured on."""
    return zlib.crc32(group.encode()) % 1000 / 1000 < HELD_OUT_OF.get(supply, HELD_OUT)


def nearest(left: Sequence[Statement], right: Sequence[Statement]) -> list[tuple[int, int]]:
    """For each statement the nearest of the other list, both ways, by the embedding of their words."""
    if not left or not right:
        return []
    a, b = (load_embedder().embed([one.text for one in side]) for side in (left, right))  # loaded once
    likeness = a @ b.T
    pairs = {(i, int(j)) for i, row in enumerate(likeness) for j in np.argsort(-row)[:NEAREST]}
    pairs |= {(int(i), j) for j, column in enumerate(likeness.T) for i in np.argsort(-column)[:NEAREST]}
    return sorted(pairs)
