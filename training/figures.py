"""What a network gets right of what is held out: pairs by supply and language, questions, tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from training.corpus import Label
from training.network import Network
from training.rows import LANGUAGES, Kind

if TYPE_CHECKING:
    from training.train import RowsOnDevice

FEWEST, MOST = 20, 2_000
"""Rows of a supply from which there is a figure, and of how many it is: of more, a part drawn by chance."""

Figures = dict[str, float]


def figures(network: Network, on_device: RowsOnDevice) -> dict[str, Figures]:
    """By supply and language, of the rows that are held out."""
    rows, made = on_device.rows, {}
    for supply, name in enumerate(rows.names):
        for number, language in enumerate(LANGUAGES):
            chosen = np.flatnonzero(rows.held_out & (rows.supplies == supply) & (rows.languages == number))
            if len(chosen) > MOST:
                asks = rows.kinds[chosen[0]] == Kind.QUESTION
                chosen = _part_of(chosen, rows.questions[chosen] if asks else chosen)
            if len(chosen) >= FEWEST:
                kind = Kind(rows.kinds[chosen[0]])
                scores = on_device.scores(network, chosen, kind)
                made[f"{name} {language}"] = _figures(kind, scores, rows.labels[chosen], rows.questions[chosen])
    return made


def _part_of(chosen: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64]:
    """About `MOST` of the rows; those of one unit, such as a question, stay together."""
    own = np.unique(units)
    kept = np.random.default_rng(len(own)).choice(own, round(len(own) * MOST / len(chosen)), replace=False)
    return chosen[np.isin(units, kept)]


def _figures(
    kind: Kind, scores: NDArray[np.float32], labels: NDArray[np.uint8], questions: NDArray[np.int32]
) -> Figures:
    if kind is Kind.PAIR:
        return _of_pairs(scores, labels)
    if kind is Kind.QUESTION:
        return _of_questions(scores[:, 0], labels.astype(bool), questions)
    return {"n": len(scores), "right": _share(scores.argmax(-1) == labels)}


def _of_pairs(scores: NDArray[np.float32], labels: NDArray[np.uint8]) -> Figures:
    """Accuracy over three classes, and of contradiction or not; precision and recall of contradictions."""
    said = scores[:, Label.CONTRADICTS] >= np.logaddexp(scores[:, Label.ENTAILS], scores[:, Label.NEUTRAL])
    contradicts, known = labels == Label.CONTRADICTS, labels < Label.COMPATIBLE
    found = {
        "three": _share((scores.argmax(-1) == labels)[known]),
        "two": _share(said == contradicts),
        "P": _share(contradicts[said]),
        "R": _share(said[contradicts]),
    }
    return {"n": len(scores)} | found


def _of_questions(scores: NDArray[np.float32], answers: NDArray[np.bool_], questions: NDArray[np.int32]) -> Figures:
    """Questions whose best statement answers; pairs of one with an answer and one without that the best tells apart."""
    of_each = [np.flatnonzero(questions == number) for number in np.unique(questions)]
    best = [(own[scores[own].argmax()], answers[own].any()) for own in of_each]
    answered = np.array([n for n, any_ in best if any_], int)
    unanswered = np.array([n for n, any_ in best if not any_], int)
    apart = scores[answered][:, None] > scores[unanswered]
    return {"n": len(best), "first answers": _share(answers[answered]), "told apart": _share(apart)}


def _share(held: NDArray[np.bool_]) -> float:
    return round(float(held.mean()), 3) if held.size else float("nan")
