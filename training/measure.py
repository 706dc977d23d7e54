"""Measures a pair model over whole documents, for `training.calibrate`.

Precision and recall of contradictions between the documents of a dossier, at several thresholds, as the engine looks
for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.pair_model import PairModel
from memory_bank.judgement.statement import PlacedStatement, statements_of
from memory_bank.search.embedding import Embedder
from training.corpus import lines

Span = tuple[int, str]
"""A document of a dossier, and words of it."""
Placed = tuple[int, PlacedStatement]
"""A statement of a document, by its number."""
Dossier = tuple[list[str], list[tuple[Span, Span]]]
"""The texts of its documents, and the spans that contradict: (document, words) against (document, words)."""


def read_dossiers(path: Path) -> list[Dossier]:
    """Dossiers of the corpus."""
    return [
        ([d["text"] for d in one["documents"]], [((a, s), (b, t)) for a, s, b, t in one["contradictions"]])
        for one in lines(path)
    ]


def scored_pairs(dossier: Dossier, model: PairModel, embedder: Embedder) -> tuple[list[tuple[float, int | None]], int]:
    """Every judged pair: probability, and which planted contradiction it is (-1: touches one, None: none)."""
    texts, planted = dossier
    documents = [statements_of(text) for text in texts]
    rows = []
    for first, second in combinations(range(len(texts)), 2):
        left, right = ([one.statement for one in documents[n]] for n in (first, second))
        pairs = candidates(left, right, embedder)
        judged = judge_both_ways([(left[i], right[j]) for i, j in pairs], model)
        for (i, j), probability in zip(pairs, judged, strict=True):
            which = _which(texts, planted, (first, documents[first][i]), (second, documents[second][j]))
            rows.append((float(probability), which))
    return rows, len(planted)


def _which(texts: list[str], planted: list[tuple[Span, Span]], a: Placed, b: Placed) -> int | None:
    touched = None
    for number, sides in enumerate(planted):
        on = [[covers(texts, side, placed) for side in sides] for placed in (a, b)]
        if (on[0][0] and on[1][1]) or (on[0][1] and on[1][0]):
            return number
        touched = -1 if any(map(any, on)) else touched
    return touched


def covers(texts: Sequence[str], side: Span, placed: Placed) -> bool:
    """Whether a statement holds a quotation from a document, or most of the shorter of both."""
    document, one = placed
    return document == side[0] and is_quoted(texts[document], one.start, one.end, side[1])


def is_quoted(text: str, start: int, end: int, quotation: str) -> bool:
    """Whether `text[start:end]` and a quotation from the text share at least half of the shorter one."""
    at = text.find(quotation)
    shared = min(end, at + len(quotation)) - max(start, at)
    return at >= 0 and shared >= 0.5 * min(end - start, len(quotation))


def bearing_of(texts: Sequence[str], spans: Iterable[Span], placed: Sequence[Placed]) -> set[int]:
    """Which statements hold one of some quotations, by their place among `placed`."""
    spans = list(spans)
    return {n for n, one in enumerate(placed) if any(covers(texts, span, one) for span in spans)}


def table(rows: Iterable[tuple[int, list]], thresholds: Iterable[float]) -> list[dict[str, float]]:
    """Of dossiers with their judged pairs: found, false and near at each threshold."""
    rows = list(rows)
    planted = sum(count for count, _ in rows)
    made = []
    for least in thresholds:
        found = false = near = 0
        for _count, pairs in rows:
            reported = [which for probability, which in pairs if probability >= least]
            found += len({which for which in reported if which is not None and which >= 0})
            false += sum(which is None for which in reported)
            near += sum(which == -1 for which in reported)
        recall, precision = round(found / max(1, planted), 3), round(found / max(1, found + false), 3)
        line = {"least": round(least, 3), "recall": recall, "precision": precision}
        made.append(line | {"found": found, "false": false, "near": near})
    return made
