"""Real documentation, which hardly ever contradicts itself: pairs of statements out of descriptions of packages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.metadata import distributions

from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import load_embedder
from training.corpus import Label, Pair

SHORTEST = 1500
"""Characters of a description that is worth reading."""
NEAREST = 3
MOST = 25_000
SEED = 3


def description_pairs() -> list[Pair]:
    """What the engine would compare in the descriptions of the installed packages, `MOST` of it by chance."""
    pairs = list(_nearest())
    return random.Random(SEED).sample(pairs, min(MOST, len(pairs)))


def _nearest() -> Iterator[Pair]:
    """Nearest statements inside each description, and between each and the one before."""
    embedder, before = load_embedder(), []
    for name, text in descriptions():
        said = [placed.statement for placed in statements_of(text, name)]
        for others, nearest in ((said, NEAREST), (before, 1)):
            for i, j in candidates(said, others, embedder, nearest):
                yield Pair(said[i], others[j], Label.COMPATIBLE, "nearest", "en", "descriptions", f"description {name}")
        before = said


def descriptions() -> list[tuple[str, str]]:
    """Names and descriptions of the installed packages, by name."""
    found = {}
    for one in distributions():
        text = one.metadata.get_payload() or one.metadata.get("Description") or ""
        if isinstance(text, str) and len(text) >= SHORTEST:
            found[one.metadata["Name"].lower()] = text
    return sorted(found.items())
