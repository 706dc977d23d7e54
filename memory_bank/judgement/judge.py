"""What an engine asks the pair model: do two statements contradict, do they say the same?

`PairJudge` is what the model does; `NoJudge` stands in for a model that cannot be loaded: it finds nothing, so that
sessions go on without that judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.bank.query_graph import Claim
from memory_bank.errors import ModelFileError
from memory_bank.judgement.pair_model import Judgement, load_pair_model
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


class NoJudge:
    """Knows nothing: no pair contradicts, none says the same."""

    conflict_between = conflict_inside = 1.0

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Judgement]:
        """Neither, of every pair."""
        return [Judgement(0.0, 1.0, 0.0)] * len(pairs)


def shared_judge() -> PairJudge:
    """The model that comes with the program, or `NoJudge` where it cannot be loaded (`why_without` says why)."""
    try:
        return load_pair_model()
    except ModelFileError:
        return NoJudge()


def why_without() -> str | None:
    """Why contradictions are not judged here, in a line; None where they are."""
    try:
        load_pair_model()
    except ModelFileError as error:
        return f"Contradictions are not looked for: {error}."
    return None


def statement_of(claim: Claim) -> Statement:
    """A claim as a model reads it."""
    return Statement(claim.text, claim.context)


def says_the_same(one: Claim, other: Claim, judge: PairJudge) -> bool:
    """Whether either claim follows from the other, or their words are the same."""
    if _words(one.text) == _words(other.text):
        return True
    a, b = statement_of(one), statement_of(other)
    return max(found.entails for found in judge.judge([(a, b), (b, a)])) >= SAME


def _words(text: str) -> list[str]:
    return text.casefold().split()
