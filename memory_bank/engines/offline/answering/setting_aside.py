"""What an answer must not affirm: claims that were refuted or are in dispute, wherever a document states them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import SAME, PairJudge, statement_of
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize

NEAREST = 3
"""Of the claims that may not be affirmed, how many a passage is compared with."""
NEAR = 0.5
"""Cosine from which a passage may restate a claim."""
FEW = 4
"""Words up to which the difference of two claims is the point in dispute, and not another wording."""


@dataclass(frozen=True)
class Judged:
    """The conflicts of a memory, as they bear on what may be quoted."""

    conflicts: Sequence[Conflict]
    embedder: Embedder
    judge: PairJudge

    def decided(self, passage: Passage) -> bool:
        """Whether a verdict was given on what a passage says."""
        return any(
            claim.overlaps(passage.entry.id, *passage.span)
            for conflict in self.conflicts
            if not conflict.undecided
            for claim in conflict.parties
        )

    def aside(self, passages: Sequence[Passage]) -> set[Passage]:
        """Those that stand in a sentence that states what was refuted or is in dispute."""
        barred = [
            (claim, others)
            for conflict in self.conflicts
            for side, others in (conflict.sides, conflict.sides[::-1])
            for claim in side
            if claim in conflict.barred
        ]
        points = [(claim, _point(claim, others)) for claim, others in barred]
        found = {
            passage
            for passage in passages
            if any(
                claim.overlaps(passage.entry.id, *passage.span) or _repeats(passage, claim, point)
                for claim, point in points
            )
        }
        return found | self._restating([passage for passage in passages if passage not in found], barred)

    def _restating(self, passages: Sequence[Passage], barred: Sequence[Barred]) -> set[Passage]:
        """Those that say in other words what a claim says of the point in dispute; on others the sides may agree."""
        if not passages or not barred:
            return set()
        vectors = self.embedder.embed([passage.text for passage in passages])
        claims = self.embedder.embed([claim.text for claim, _others in barred])
        likeness = vectors @ claims.T
        near = [(i, j) for i, row in enumerate(likeness) for j in np.argsort(-row)[:NEAREST] if row[j] >= NEAR]
        said = [passage.statement for passage in passages]
        same = self.judge.judge([(said[i], statement_of(barred[j][0])) for i, j in near])
        restating = [pair for pair, judged in zip(near, same, strict=True) if judged.entails >= SAME]
        opposed = [(i, other) for i, j in restating for other in barred[j][1]]
        against = judge_both_ways([(said[i], statement_of(other)) for i, other in opposed], self.judge)
        return {passages[i] for (i, _), one in zip(opposed, against, strict=True) if one >= self.judge.conflict_between}


Barred = tuple[Claim, Sequence[Claim]]
"""A claim that may not be affirmed, and those that stand against it."""


def _point(claim: Claim, others: Sequence[Claim]) -> set[str]:
    """The few words by which a claim differs from those against it; none where they are many."""
    differing = set(tokenize(claim.text)).difference(*(tokenize(other.text) for other in others))
    return differing if len(differing) <= FEW else set()


def _repeats(passage: Passage, claim: Claim, point: set[str]) -> bool:
    """Whether a claim's document says the point in dispute elsewhere, in other words."""
    return bool(point) and passage.source == claim.source and point <= set(tokenize(passage.text))
