"""Measures a pair model over whole documents: `python -m training.measure FOLDER --dossiers DATA [--articles DATA]`.

Precision and recall of contradictions between the documents of a dossier, at several thresholds, as the engine looks
for them; and alarms in pairs of documents that do not contradict each other.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np

from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.pair_model import PairModel
from memory_bank.judgement.statement import PlacedStatement, statements_of
from memory_bank.search.embedding import Embedder, load_embedder

Span = tuple[int, str]
Placed = tuple[int, PlacedStatement]
"""A statement of a document, by its number."""
Dossier = tuple[list[str], list[tuple[Span, Span]]]
"""The texts of its documents, and the spans that contradict: (document, words) against (document, words)."""


def read_dossiers(path: Path) -> list[Dossier]:
    """Dossiers of the corpus (JSON Lines), or a folder of them in the form of the evaluation data."""
    if path.is_dir():
        return [_of_folder(json.loads(file.read_text(encoding="utf-8"))) for file in sorted(path.glob("*.json"))]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        ([d["text"] for d in one["documents"]], [((a, s), (b, t)) for a, s, b, t in one["contradictions"]])
        for one in lines
    ]


def _of_folder(item: dict) -> Dossier:
    names = [document["name"] for document in item["documents"]]
    sides = [tuple((names.index(c[s]["document"]), c[s]["span"]) for s in "ab") for c in item["contradictions"]]
    return [document["text"] for document in item["documents"]], sides


def scored_pairs(
    dossier: Dossier, model: PairModel, embedder: Embedder
) -> tuple[list[tuple[float, int | None, str, str]], int]:
    """Every judged pair: probability, which planted contradiction it is (-1: touches one, None: none), words."""
    texts, planted = dossier
    documents = [statements_of(text) for text in texts]
    rows = []
    for first, second in combinations(range(len(texts)), 2):
        left, right = ([one.statement for one in documents[n]] for n in (first, second))
        pairs = candidates(left, right, embedder)
        judged = judge_both_ways([(left[i], right[j]) for i, j in pairs], model)
        for (i, j), probability in zip(pairs, judged, strict=True):
            a, b = documents[first][i], documents[second][j]
            rows.append(
                (
                    float(probability),
                    _which(texts, planted, (first, a), (second, b)),
                    a.statement.text,
                    b.statement.text,
                )
            )
    return rows, len(planted)


def _which(texts: list[str], planted: list[tuple[Span, Span]], a: Placed, b: Placed) -> int | None:
    touched = None
    for number, sides in enumerate(planted):
        on = [[_covers(texts, side, placed) for side in sides] for placed in (a, b)]
        if (on[0][0] and on[1][1]) or (on[0][1] and on[1][0]):
            return number
        touched = -1 if any(map(any, on)) else touched
    return touched


def _covers(texts: list[str], side: Span, placed: Placed) -> bool:
    document, one = placed
    start = texts[document].find(side[1]) if document == side[0] else -1
    shared = min(one.end, start + len(side[1])) - max(one.start, start)
    return start >= 0 and shared >= 0.5 * min(one.end - one.start, len(side[1]))


def table(rows: Iterable[tuple[int, list]], thresholds: Iterable[float]) -> list[dict[str, float]]:
    """Of dossiers with their judged pairs: found, false and near at each threshold."""
    rows = list(rows)
    planted = sum(count for count, _ in rows)
    made = []
    for least in thresholds:
        found = false = near = 0
        for _count, pairs in rows:
            reported = [which for probability, which, *_ in pairs if probability >= least]
            found += len({which for which in reported if which is not None and which >= 0})
            false += sum(which is None for which in reported)
            near += sum(which == -1 for which in reported)
        made.append(
            {
                "least": round(least, 3),
                "recall": round(found / max(1, planted), 3),
                "precision": round(found / max(1, found + false), 3),
                "found": found,
                "false": false,
                "near": near,
            }
        )
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--dossiers", type=Path, nargs="+", default=[])
    parser.add_argument("--show", type=float, help="print what is false from this probability on")
    given = parser.parse_args()
    model, embedder = PairModel(given.model), load_embedder()
    for path in given.dossiers:
        scored = [scored_pairs(dossier, model, embedder) for dossier in read_dossiers(path)]
        print(path)
        for line in table(
            [(planted, pairs) for pairs, planted in scored],
            (*np.arange(0.5, 0.9, 0.1), 0.9, 0.93, 0.95, 0.97, 0.98, 0.99),
        ):
            print(" ", line)
        if given.show:
            for pairs, _ in scored:
                for probability, which, a, b in sorted(pairs, reverse=True, key=lambda one: one[0]):
                    if which is None and probability >= given.show:
                        print(f"  {probability:.2f} {a[:150]!r} // {b[:150]!r}")


if __name__ == "__main__":
    main()
