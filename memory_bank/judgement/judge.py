"""What an engine asks the pair model: whether two statements contradict, whether they say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.pair_model import Judgement
from memory_bank.judgement.statement import Statement

SAME = 0.6
"""Probability of following from another from which a statement says the same."""


class PairJudge(Protocol):
    """Whoever judges pairs of statements."""

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Judgement]:
        """How the second statement of each pair stands to the first."""
        ...

    @property
    def conflict_between(self) -> float:
        """Probability of a contradiction from which two documents are in conflict."""
        ...

    @property
    def conflict_inside(self) -> float:
        """The same for two statements of one document, which seldom contradict."""
        ...


def statement_of(claim: Claim) -> Statement:
    """A claim as a model reads it."""
    return Statement(claim.text, claim.context)


def says_the_same(one: Statement, other: Statement, judge: PairJudge) -> bool:
    """Whether either statement follows from the other, or their words are the same."""
    if one.text.casefold().split() == other.text.casefold().split():
        return True
    return max(found.entails for found in judge.judge([(one, other), (other, one)])) >= SAME
