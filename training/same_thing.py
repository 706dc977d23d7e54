"""Fits whether two texts are about the same thing: `python -m training.same_thing` writes `same_thing.json`.

It learns from the texts on namesakes (`namesakes-*.jsonl`), from documents of the dossiers that contradict each other,
which are about one thing, and from documents of two dossiers on like matters, which are not. It says first, by
cross-validation over groups, how many pairs of each kind are told apart.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from memory_bank.judgement.judge import shared_judge
from memory_bank.judgement.same_thing import likeness_of
from memory_bank.judgement.statement import Statement, statements_of
from memory_bank.search.embedding import MULTILINGUAL_MODEL, load_embedder
from training.corpus import DATA, HERE, lines

ONE_THING, TWO_DOSSIERS = 400, 200
"""Pairs of documents of one dossier, and of two, that are learned from."""
LIKEST = 3
"""Of a dossier, so many of those that are most like it are chosen from."""
OFTENER = 4.0
"""By how much oftener documents that are given together are about one thing than pairs of the corpus are. Without it 44
in 100 pairs of documents of dossiers by others that contradict each other are likelier about two things."""
PENALTY = 0.1
"""How weakly large weights are held back."""
FOLDS = 8
THRESHOLDS = (0.2, 0.3, 0.4, 0.5)


class TwoTexts(NamedTuple):
    """Two texts, whether they are about one thing, their language, their group, and where they come from."""

    first: str
    second: str
    language: str
    group: str
    supply: str
    same: bool


def main() -> None:
    """Fit, say what is told of what was not fitted, and write the weights."""
    given = [*namesakes(), *_of_dossiers()]
    rows = np.array([_read(one) for one in given])
    same, groups = np.array([one.same for one in given]), [one.group for one in given]
    chances = cross_val_predict(_regression(), rows, same, groups=groups, cv=GroupKFold(FOLDS), method="predict_proba")
    odds = OFTENER * chances[:, 1] / chances[:, 0]
    kinds = np.array([f"{one.supply}, {'the same' if one.same else 'another'}" for one in given])
    for kind in sorted(set(kinds)):
        below = {least: round(float((odds[kinds == kind] < least / (1 - least)).mean()), 2) for least in THRESHOLDS}
        print(kind, int((kinds == kind).sum()), {"below": below})
    scaler, regression = _regression().fit(rows, same).named_steps.values()
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - scaler.mean_ @ weights) + math.log(OFTENER)
    written = json.dumps({"weights": weights.round(4).tolist(), "bias": round(bias, 4)})
    (DATA / "same_thing.json").write_text(f"{written}\n", encoding="utf-8")


def _regression() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1000))


def _read(one: TwoTexts) -> np.ndarray:
    embedder = load_embedder() if one.language == "en" else load_embedder(MULTILINGUAL_MODEL)
    return likeness_of(_statements(one.first), _statements(one.second), embedder, shared_judge())


def _statements(text: str) -> list[Statement]:
    return [placed.statement for placed in statements_of(text)] or [Statement(text)]


def namesakes() -> Iterator[TwoTexts]:
    """Every two texts of a group on things that share a name or a kind."""
    for path in sorted(HERE.glob("namesakes-*.jsonl")):
        for number, group in enumerate(lines(path)):
            for one, other in combinations(group["documents"], 2):
                same = one["thing"] == other["thing"]
                texts = (one["text"], other["text"])
                yield TwoTexts(*texts, group["language"], f"{path.stem}.{number}", "namesakes", same=same)


def _of_dossiers() -> Iterator[TwoTexts]:
    chance = random.Random(1)
    dossiers = [
        (f"{path.stem}.{number}", dossier)
        for path in sorted(HERE.glob("dossiers-*.jsonl"))
        for number, dossier in enumerate(lines(path))
    ]
    one_thing = [
        TwoTexts(*(dossier["documents"][n]["text"] for n in places), dossier["language"], group, "dossiers", same=True)
        for group, dossier in dossiers
        for places in sorted({tuple(sorted((i, j))) for i, _, j, _ in dossier["contradictions"]})
    ]
    yield from chance.sample(one_thing, ONE_THING)
    yield from _crossed([(group, dossier) for group, dossier in dossiers if dossier["language"] == "en"], chance)


def _crossed(dossiers: list[tuple[str, dict[str, Any]]], chance: random.Random) -> Iterator[TwoTexts]:
    """A document of a dossier, and one of another dossier on a like matter."""
    openings = [f"{dossier['domain']}. {dossier['documents'][0]['text'][:200]}" for _, dossier in dossiers]
    vectors = load_embedder().embed(openings)
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    for n in chance.sample(range(len(dossiers)), TWO_DOSSIERS):
        (group, dossier), (_, other) = dossiers[n], dossiers[int(np.argsort(-likeness[n])[chance.randrange(LIKEST)])]
        texts = (chance.choice(each["documents"])["text"] for each in (dossier, other))
        yield TwoTexts(*texts, "en", group, "dossiers", same=False)


if __name__ == "__main__":
    main()
