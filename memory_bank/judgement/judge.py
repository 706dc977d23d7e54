"""What an engine asks the pair model: whether two statements contradict, whether they say the same.

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
    """Why contradictions and answers are not judged here, in a line; None where they are."""
    try:
        load_pair_model()
    except ModelFileError as error:
        return f"Contradictions and answers are not looked for: {error}."
    return None


def statement_of(claim: Claim) -> Statement:
    """A claim as a model reads it."""
    return Statement(claim.text, claim.context)


def says_any(ones: Sequence[Statement], others: Sequence[Statement], judge: PairJudge) -> list[bool]:
    """Of each statement, whether it says the same as one of the others; all pairs are judged at once."""
    pairs = [(one, other) for one in ones for other in others if not _equal(one, other)]
    entailed = judge.judge([turned for pair in pairs for turned in (pair, pair[::-1])])
    same = {pair for n, pair in enumerate(pairs) if max(entailed[2 * n].entails, entailed[2 * n + 1].entails) >= SAME}
    return [any(_equal(one, other) or (one, other) in same for other in others) for one in ones]


def says_the_same(one: Statement, other: Statement, judge: PairJudge) -> bool:
    """Whether either statement follows from the other, or their words are the same."""
    return says_any([one], [other], judge)[0]


def _equal(one: Statement, other: Statement) -> bool:
    return one.text.casefold().split() == other.text.casefold().split()
