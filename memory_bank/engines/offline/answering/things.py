"""Whether passages of two documents are about the same thing, or about two things of one name that a question fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.same_thing import MOST_STATEMENTS, TWO_THINGS, same_thing
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.values.values import differing_values


@dataclass(frozen=True)
class Things:
    """The documents behind some passages; tells whether two of them are about the same thing."""

    pool: Sequence[CandidatePassage]
    embedder: Embedder
    judge: PairJudge
    known: dict[frozenset[CandidatePassage], float] = field(default_factory=dict)

    def alike(self, one: CandidatePassage, other: CandidatePassage) -> float:
        """The probability that the documents of two passages are about the same thing where these stand."""
        if one.document == other.document:
            return 1.0
        pair = frozenset((one, other))
        if pair not in self.known:
            self.known[pair] = same_thing(self._around(one), self._around(other), self.embedder, self.judge)
        return self.known[pair]

    def apart(self, one: CandidatePassage, other: CandidatePassage) -> bool:
        """Whether two passages are likely about two things."""
        return self.alike(one, other) < TWO_THINGS

    def grouped(self, answers: Sequence[Candidate]) -> list[list[Candidate]]:
        """The answers, those about one thing together: each with the first that it is not likely apart from."""
        groups: list[list[Candidate]] = []
        for one in answers:
            same = next((group for group in groups if not self.apart(group[0].passage, one.passage)), None)
            if same is None:
                groups.append([one])
            else:
                same.append(one)
        return groups

    def labelled(self, answers: Sequence[Candidate]) -> list[Candidate]:
        """The answers, each under the name of its document where two give other values or tell of two things."""
        differing = (
            one.passage.document != other.passage.document and differing_values(one.answer, other.answer)
            for one, other in combinations(answers, 2)
        )
        if not any(differing) and len(self.grouped(answers)) < 2:
            return list(answers)
        return [one if one.label else replace(one, label=one.passage.source) for one in answers]

    def _around(self, passage: CandidatePassage) -> list[Statement]:
        """What stands around a passage in its document, itself included, in order."""
        own = sorted((one for one in self.pool if one.document == passage.document), key=lambda one: one.position)
        place = next((n for n, one in enumerate(own) if one == passage), None)
        if place is None:
            return [passage.statement]
        start = max(0, min(place - MOST_STATEMENTS // 2, len(own) - MOST_STATEMENTS))
        return [one.statement for one in own[start : start + MOST_STATEMENTS]]
