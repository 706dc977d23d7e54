"""The stance of a statement on a conflict: a logistic regression on what the pair model says of it and of each side.

`training.stances` fits it on held-out dossiers of the corpus, whose references settle some of their contradictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.pair_model import Pair
from memory_bank.judgement.regression import fitted
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder


class Stance(StrEnum):
    """One side of a conflict holds, neither does, or both do."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"
    BOTH = "both"


FITTED = (Stance.FIRST, Stance.SECOND, Stance.NEITHER, None)
"""The classes of the regression. Statements that bear out both sides are too rare to fit: that is computed."""
LEAST = 1e-3
"""Probability below which the log odds make no difference."""


def stances(
    statements: Sequence[Statement], are_references: Sequence[bool], sides: Pair, embedder: Embedder, judge: PairJudge
) -> NDArray[np.float64]:
    """The probability of each stance of each statement: statements × stances. The order of the sides makes none."""
    of_sides = [features(statements, side, embedder, judge) for side in sides]
    references = np.array(are_references, float)[:, None]
    there, back = (_chances(np.hstack([one, other, references])) for one, other in (of_sides, of_sides[::-1]))
    first, second, neither = ((there + back[:, [1, 0, 2, 3]]) / 2).T[:3]
    follows = [1 / (1 + np.exp(-of_side[:, [0, 2]])) for of_side in of_sides]
    both = follows[0].mean(axis=1) * follows[1].mean(axis=1)
    return np.stack([*((1 - both) * each for each in (first, second, neither)), both], axis=1)


def features(
    statements: Sequence[Statement], side: Statement, embedder: Embedder, judge: PairJudge
) -> NDArray[np.float64]:
    """Of each statement and a side: log odds that it follows, and is excluded, in context and alone; their cosine.

    Each pair is judged with and without context: both are known to speak of the same subject here, but the titles of
    two documents can make it look like two.
    """
    judged = []
    for pairs in (
        [(statement, side) for statement in statements],
        [(Statement(statement.text), Statement(side.text)) for statement in statements],
    ):
        follows = [judgement.entails for judgement in judge.judge(pairs)]
        judged += [np.array(follows), np.asarray(judge_both_ways(pairs, judge))]
    cosines = embedder.embed([statement.text for statement in statements]) @ embedder.embed([side.text])[0]
    clipped = [np.clip(each, LEAST, 1 - LEAST) for each in judged]
    return np.stack([*(np.log(each / (1 - each)) for each in clipped), cosines], axis=1)


def _chances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of the classes of the regression: rows × classes."""
    weights, bias = fitted("stances")
    exponentials = np.exp(rows @ weights + bias)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities
