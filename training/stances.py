"""Fits how a statement stands on a conflict: `python -m training.stances` writes `stances.json`.

Of every contradiction between two documents of a held-out dossier, the statements of the others stand on it as the
dossier says: one that contradicts a side, or says the same, was listed. The networks were not trained on these.
It says first, by cross-validation over dossiers, how many of the stances are told.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from memory_bank.judgement.pair_model import load_pair_model
from memory_bank.judgement.parts import disputed_parts
from memory_bank.judgement.stances import FITTED, Stance, features
from memory_bank.judgement.statement import statements_of
from memory_bank.search.embedding import load_embedder
from training.corpus import DATA, HERE, lines
from training.measure import Span, covers
from training.supplies import is_held_out

NEAREST = 8
"""Statements of a document that are judged, as the engine does."""
PENALTY = 0.1
"""How weakly large weights are held back."""
FOLDS = 10
Rows = list[tuple[NDArray[np.float64], list[int], str]]
"""Of each contradiction, and of each with its sides swapped: the features and the class of each statement of the other
documents, and the dossier."""


def main() -> None:
    """Fit, say what is told of what was not fitted, and write the weights."""
    cases = _cases()
    rows = np.concatenate([features for features, _, _ in cases])
    classes = np.concatenate([classes for _, classes, _ in cases])
    groups = np.concatenate([[group] * len(classes) for _, classes, group in cases])
    none = FITTED.index(None)
    chances = cross_val_predict(
        _regression(), rows, classes, groups=groups, cv=GroupKFold(FOLDS), method="predict_proba"
    )
    told = (chances.max(axis=1) >= 0.5) & (chances.argmax(axis=1) != none)
    counts = Counter(is_one=int((classes != none).sum()), told=int(told.sum()))
    counts["right"] = int((told & (chances.argmax(axis=1) == classes)).sum())
    print(f"{len(cases) // 2} contradictions, each with its sides swapped too; stances: {dict(counts)}")
    scaler, regression = _regression().fit(rows, classes).named_steps.values()
    weights = (regression.coef_ / scaler.scale_).T
    bias = regression.intercept_ - scaler.mean_ @ weights
    written = json.dumps({"weights": weights.round(4).tolist(), "bias": bias.round(4).tolist()})
    (DATA / "stances.json").write_text(f"{written}\n", encoding="utf-8")


def _regression() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1000))


def _cases() -> Rows:
    return [
        rows
        for path in sorted(HERE.glob("dossiers-*.jsonl"))
        for number, dossier in enumerate(lines(path))
        if "questions" in dossier and dossier["language"] == "en"  # these have a reference
        if is_held_out(group := f"{path.stem}.{number}", "dossiers")
        for rows in _of_dossier(dossier, group)
    ]


def _of_dossier(dossier: dict[str, Any], group: str) -> Rows:
    """The rows of the contradictions between its documents, the last of which is the reference."""
    embedder, judge = load_embedder(), load_pair_model()
    texts = [document["text"] for document in dossier["documents"]]
    placed = [statements_of(text) for text in texts]
    reference = len(texts) - 1
    related = dict[Span, list[tuple[str, Span]]]()
    for relation in ("contradictions", "same"):
        for i, a, j, b in dossier[relation]:
            related.setdefault((i, a), []).append((relation, (j, b)))
            related.setdefault((j, b), []).append((relation, (i, a)))
    cases: Rows = []
    for i, a, j, b in dossier["contradictions"]:
        quoted = [
            next((one for one in placed[n] if covers(texts, (n, words), (n, one))), None)
            for n, words in ((i, a), (j, b))
        ]
        if reference in (i, j) or i == j or None in quoted:
            continue
        sides = disputed_parts((quoted[0].statement, quoted[1].statement), judge, embedder)
        near = embedder.embed([side.text for side in sides]).T
        others = [
            (n, placed[n][k])
            for n in range(len(texts))
            if n not in (i, j) and placed[n]
            for k in np.argsort(-(embedder.embed([one.statement.text for one in placed[n]]) @ near).max(axis=1))[
                :NEAREST
            ]
        ]
        statements = [one.statement for _, one in others]
        first, second = (features(statements, side, embedder, judge) for side in sides)
        is_reference = np.array([[n == reference] for n, _ in others], float)
        relations = [
            [
                {
                    relation
                    for relation, quotation in related[side]
                    if quotation[0] == n and covers(texts, quotation, (n, one))
                }
                for side in ((i, a), (j, b))
            ]
            for n, one in others
        ]
        cases.append((np.hstack([first, second, is_reference]), [_class(*each) for each in relations], group))
        cases.append((np.hstack([second, first, is_reference]), [_class(*each[::-1]) for each in relations], group))
    return cases


def _class(of_first: set[str], of_second: set[str]) -> int:
    """The class of a statement by its relations to either side."""
    not_first, not_second = ("contradictions" in each for each in (of_first, of_second))
    if not_first and not_second:
        return FITTED.index(Stance.NEITHER)
    if not_second or ("same" in of_first and not not_first):
        return FITTED.index(Stance.FIRST)
    return FITTED.index(Stance.SECOND if not_first or "same" in of_second else None)


if __name__ == "__main__":
    main()
