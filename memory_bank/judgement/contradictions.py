"""Which statements are compared, and whether two of them contradict each other.

Every statement is compared with a bounded number of others, the nearest by embedding, so that the cost grows with the
number of statements and not with its square. What is compared is judged both ways round, since a contradiction has no
direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import BEFORE_CHARACTERS, Statement
from memory_bank.modules.embedding import Embedder
from memory_bank.one_line import one_line
from memory_bank.values.values import written_otherwise

NEAREST = 6
"""With how many statements of the other list each one is compared."""
LEAST_LIKENESS = 0.2
"""Cosine under which two statements are about different things."""
WORTH_TURNING = 0.3
"""Probability, judged one way round, from which a pair is judged the other way round too."""
QUOTED = 90
"""Characters of either side in the description of a contradiction."""


def judge_both_ways(pairs: Sequence[tuple[Statement, Statement]], judge: PairJudge) -> NDArray[np.float32]:
    """How likely each pair contradicts, the mean of both directions; of unlikely ones one direction is enough.

    Equal words and equal values are never a contradiction, however they are written and whatever the model says.
    """
    found = np.array([one.contradicts for one in judge.judge(pairs)], np.float32)
    likely = [n for n in range(len(pairs)) if found[n] >= WORTH_TURNING]
    turned = judge.judge([pairs[n][::-1] for n in likely])
    for n, other in zip(likely, turned, strict=True):
        first, second = pairs[n]
        equal = _words(first) == _words(second) or written_otherwise(first.text, second.text)
        found[n] = 0 if equal else (found[n] + other.contradicts) / 2
    return found


def candidates(
    firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder, back: int = NEAREST
) -> list[tuple[int, int]]:
    """The pairs worth judging: the nearest of each statement in the other list, and equal ones left out.

    `back` is how many each of `seconds` has in `firsts`; fewer do where `firsts` are few, and other few follow.
    """
    if not firsts or not seconds:
        return []
    inside = firsts is seconds
    likeness = _likeness(firsts, seconds, embedder)
    if inside:
        np.fill_diagonal(likeness, -1.0)
    pairs = {(i, j) for i, row in enumerate(likeness) for j in _best(row, NEAREST)}
    pairs |= {(i, j) for j, column in enumerate(likeness.T) for i in _best(column, back)}
    if inside:
        pairs = {(min(pair), max(pair)) for pair in pairs}
        pairs = {(i, j) for i, j in pairs if not (_follows(firsts[i], firsts[j]) or _follows(firsts[j], firsts[i]))}
    return sorted((i, j) for i, j in pairs if _words(firsts[i]) != _words(seconds[j]))


def nearest_of_each(
    firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder, nearest: int
) -> list[tuple[int, int]]:
    """The pairs of each first statement with the nearest of the second list, which may be long; equal ones left out."""
    if not firsts or not seconds:
        return []
    a, b = (embedder.embed([one.text for one in statements]) for statements in (firsts, seconds))
    pairs = ((i, j) for i, vector in enumerate(a) for j in _best(b @ vector, nearest))
    return [(i, j) for i, j in pairs if _words(firsts[i]) != _words(seconds[j])]


def described(first: str, second: str) -> str:
    """A contradiction in a line: both sides in their own words, cut where they are long."""
    return " – ".join(
        f"“{line if len(line) <= QUOTED else line[:QUOTED].rstrip() + '…'}”" for line in map(one_line, (first, second))
    )


def _best(row: NDArray[np.float32], nearest: int) -> list[int]:
    chosen = np.argpartition(-row, nearest - 1)[:nearest] if len(row) > nearest else range(len(row))
    return [int(n) for n in chosen if row[n] >= LEAST_LIKENESS]


def _likeness(firsts: Sequence[Statement], seconds: Sequence[Statement], embedder: Embedder) -> NDArray[np.float32]:
    """Cosines of the statements' words: firsts × seconds."""
    a = embedder.embed([one.text for one in firsts])
    b = a if firsts is seconds else embedder.embed([one.text for one in seconds])
    cosines: NDArray[np.float32] = a @ b.T
    return cosines


def _follows(one: Statement, other: Statement) -> bool:
    """Whether the one stands right after the other in its document: what goes on from a sentence seldom denies it."""
    return bool(one.context) and one.context.endswith(" ".join(other.text.split())[-BEFORE_CHARACTERS:])


def _words(statement: Statement) -> str:
    return " ".join(statement.text.casefold().split())
