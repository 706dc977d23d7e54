"""Judge pairs of statements: whether they contradict, and whether they say the same.

`PairJudge` is the interface of the pair model. `NoJudge` stands in for a model that cannot be loaded: it finds nothing,
so that sessions go on without that judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.bank.errors import ModelFileError
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.pair_model import PairJudgement, load_pair_model
from memory_bank.judgement.statement import Statement
from memory_bank.text.wording import Wording

SAME = 0.6
"""Probability of entailment, in either direction, from which two statements say the same."""


class PairJudge(Protocol):
    """Judges pairs of statements.

    `conflict_between` is the probability of a contradiction from which statements of two documents are in conflict;
    `conflict_inside` the same for two statements of one document, which contradict each other seldom.
    """

    conflict_between: float
    conflict_inside: float

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        """Whether the first statement of each pair entails or contradicts the second."""


class NoJudge:
    """Judges every pair neutral: no pair contradicts, none says the same."""

    conflict_between = conflict_inside = 1.0

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        """Neutral for every pair."""
        return [PairJudgement(0.0, 1.0, 0.0)] * len(pairs)


def shared_judge() -> PairJudge:
    """The bundled model, or `NoJudge` where it cannot be loaded (`model_load_error` says why)."""
    try:
        return load_pair_model()
    except ModelFileError:
        return NoJudge()


def model_load_error() -> str | None:
    """Why contradictions and answers are not judged here, in one line; None where they are."""
    try:
        load_pair_model()
    except ModelFileError as error:
        return Wording("Contradictions and answers are not looked for: {reason}.", reason=error)
    return None


def statement_of(claim: Claim) -> Statement:
    """A claim as a statement for the models."""
    return Statement(claim.text, claim.context)


def says_any(ones: Sequence[Statement], others: Sequence[Statement], judge: PairJudge) -> list[bool]:
    """For each statement, whether it says the same as one of the others.

    What says the same by its words alone is not judged, and the other way round only what the first way leaves open.
    """
    words = {tuple(other.text.casefold().split()) for other in others}
    same = [tuple(one.text.casefold().split()) in words for one in ones]
    for turned in (False, True):
        left = [(n, one, other) for n, one in enumerate(ones) if not same[n] for other in others]
        judgements = judge.judge([(other, one) if turned else (one, other) for _, one, other in left])
        for (n, _, _), judgement in zip(left, judgements, strict=True):
            same[n] = same[n] or judgement.entails >= SAME
    return same


def says_the_same(one: Statement, other: Statement, judge: PairJudge) -> bool:
    """Whether one of two statements entails the other, or their words are the same."""
    return says_any([one], [other], judge)[0]
