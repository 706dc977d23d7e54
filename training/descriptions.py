"""Real documents, which hardly ever contradict each other: pairs of statements out of descriptions of packages.

And out of a folder with a folder for each body whose documents were collected.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import load_embedder
from training.corpus import Label, Pair

SHORTEST = 1500
"""Characters of a description that is worth reading."""
LONGEST = 12_000
"""Characters of a document that are read."""
BESIDE = 3
"""Documents, itself among them, that each is compared with."""
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


def document_pairs(folder: Path) -> list[Pair]:
    """What the engine would compare in each document and between it and others of its folder, `MOST` by chance."""
    pairs = [pair for own in sorted(folder.iterdir()) for pair in _of_folder(own)]
    return random.Random(SEED).sample(pairs, min(MOST, len(pairs)))


def _of_folder(folder: Path) -> Iterator[Pair]:
    texts = [(path.stem, path.read_text(encoding="utf-8", errors="replace")) for path in sorted(folder.iterdir())]
    said = [[placed.statement for placed in statements_of(text[:LONGEST], name)] for name, text in texts]
    for n, own in enumerate(said):
        for others in said[n : n + BESIDE]:
            for i, j in candidates(own, others, load_embedder(), 2):
                yield Pair(
                    own[i], others[j], Label.COMPATIBLE, "nearest", "en", "documents", f"documents {folder.name}"
                )


def descriptions() -> list[tuple[str, str]]:
    """Names and descriptions of the installed packages, by name."""
    found = {}
    for one in distributions():
        text = one.metadata.get_payload() or one.metadata.get("Description") or ""
        if isinstance(text, str) and len(text) >= SHORTEST:
            found[one.metadata["Name"].lower()] = text
    return sorted(found.items())
