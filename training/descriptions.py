"""Mines pairs that a first model takes for contradictions and that are none: `python -m training.mine MODEL OUT`.

Two supplies: descriptions of the packages that are installed (real documentation, which hardly ever contradicts
itself), and sentences of the corpus's dossiers that are not listed as contradicting. Of each the pairs that the engine
would look at are judged; those judged worst are kept, and as many others by chance.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import distributions
from pathlib import Path

from memory_bank.judgement.contradictions import candidates
from memory_bank.judgement.pair_model import CALIBRATION, SMALL, Network, PairModel
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import load_embedder
from training.corpus import Label, dossier_pairs
from training.supplies import nearest

SHORTEST = 1500
"""Characters of a description that is worth reading."""
NEAREST = 3
SEED = 11

Candidate = tuple[Statement, Statement, str]
"""Two statements and where they are from."""


def descriptions() -> list[tuple[str, str]]:
    """Names and descriptions of the installed packages, by name."""
    found = {}
    for one in distributions():
        text = one.metadata.get_payload() or one.metadata.get("Description") or ""
        if isinstance(text, str) and len(text) >= SHORTEST:
            found[one.metadata["Name"].lower()] = text
    return sorted(found.items())


def of_descriptions() -> Iterator[Candidate]:
    """Nearest statements inside each description, and between each and the next one."""
    embedder, before = load_embedder(), []
    for name, text in descriptions():
        said = [placed.statement for placed in statements_of(text, name)]
        for i, j in candidates(said, said, embedder, NEAREST):
            yield said[i], said[j], f"description {name}"
        for i, j in candidates(said, before, embedder, 1):
            yield said[i], before[j], f"description {name}"
        before = said


def _contradicts(folder: Path) -> Callable[[Sequence[tuple[Statement, Statement]]], list[float]]:
    """Probabilities of a contradiction: of both networks where there are two and calibrated, else of the small one."""
    if (folder / CALIBRATION).is_file():
        model = PairModel(folder)
        return lambda pairs: [one.contradicts for one in model.judge(pairs)]
    network = Network(folder, SMALL, temperature=1.0)
    return lambda pairs: network.probabilities(pairs)[:, 2].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--judged", type=int, default=40_000, help="how many of each supply are looked at, by chance")
    parser.add_argument("--worst", type=int, default=3500, help="how many of each supply are kept for being misjudged")
    parser.add_argument("--others", type=int, default=1500, help="how many of each supply are kept by chance")
    given = parser.parse_args()
    judged_by, chance = _contradicts(given.model), random.Random(SEED)
    unlisted = ((pair.a, pair.b, pair.group) for pair in dossier_pairs(nearest) if pair.supply == "dossier negatives")
    with given.out.open("w", encoding="utf-8") as file:
        for name, supply in (("descriptions", of_descriptions()), ("dossiers", unlisted)):
            rows = list(supply)
            rows = chance.sample(rows, min(given.judged, len(rows)))
            judged = judged_by([(a, b) for a, b, _ in rows])
            order = sorted(range(len(rows)), key=lambda n: -judged[n])
            kept = order[: given.worst] + chance.sample(
                order[given.worst :], min(given.others, max(0, len(order) - given.worst))
            )
            taken = sum(one > 0.5 for one in judged)
            print(f"{name}: {len(rows)} pairs, {taken} taken for contradictions; kept {len(kept)}", flush=True)
            for n in kept:
                a, b, group = rows[n]
                row = {"a": asdict(a), "b": asdict(b), "label": Label.COMPATIBLE.name, "group": group}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
