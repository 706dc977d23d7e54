"""What an answer must not affirm: claims that were refuted or are in dispute, wherever a document states them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.claims.claims import ClaimText
from memory_bank.engines.offline.contradiction.comparison import Relation, compare
from memory_bank.modules.tokens import tokenize

FEW = 4
"""Words up to which the difference of two claims is the point in dispute, and not another wording."""


@dataclass(frozen=True)
class Judged:
    """The conflicts of a memory, as they bear on what may be quoted."""

    conflicts: Sequence[Conflict]

    @property
    def compatible(self) -> set[frozenset[str]]:
        """Pairs of documents that were found to be both right."""
        return {
            frozenset((one.source, other.source))
            for conflict in self.conflicts
            if conflict.verdict == "both"
            for one, other in product(*conflict.sides)
        }

    def against(self, passage: Passage) -> bool:
        """Whether a passage stands in a sentence that states what was refuted or is in dispute."""
        for conflict in self.conflicts:
            barred = set(conflict.barred)
            for side, others in (conflict.sides, conflict.sides[::-1]):
                for claim in barred.intersection(side):
                    if _states(passage, claim, others) or _repeats(passage, claim, others):
                        return True
        return False


def _states(passage: Passage, claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether a passage is a claim, or says what it says of the point in dispute; on others the two may agree."""
    if claim.overlaps(passage.entry.id, *passage.span):
        return True
    if _relation(passage, claim.text) is not Relation.AGREE:
        return False
    return any(_relation(passage, other.text) is Relation.CONTRADICT for other in others)


def _repeats(passage: Passage, claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether a document says elsewhere, in other words, the few words by which its claim differs from the other."""
    if passage.source != claim.source:
        return False
    words = set(tokenize(claim.text))
    differing = words.difference(*(tokenize(other.text) for other in others))
    return 0 < len(differing) <= FEW and differing <= set(tokenize(passage.text))


def _relation(passage: Passage, text: str) -> Relation:
    return compare(ClaimText(passage.text, passage.topic), ClaimText(text, passage.topic)).relation
