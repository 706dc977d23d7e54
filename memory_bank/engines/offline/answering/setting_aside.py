"""What an answer must take care with: claims refuted or in dispute, and documents about two things of one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.judge import SAME, PairJudge, statement_of
from memory_bank.judgement.same_thing import MOST_STATEMENTS, TWO_THINGS, same_thing
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import differing_values, figures, is_among

NEAREST = 3
"""Most barred claims that a passage is compared with by the pair model."""
NEAR = 0.5
"""Cosine from which a passage may restate a claim."""
FEW = 4
"""Words up to which the difference of two claims is the point in dispute, and not another wording."""
Barred = tuple[Claim, Sequence[Claim]]
"""A claim that may not be affirmed, and the claims of the other side."""


@dataclass(frozen=True)
class JudgedPassages:
    """The conflicts of a memory and the passages of a task: which may be quoted, and which are about one thing."""

    conflicts: Sequence[Conflict]
    embedder: Embedder
    judge: PairJudge
    pool: Sequence[CandidatePassage]
    known: dict[frozenset[CandidatePassage], float] = field(default_factory=dict)
    """How likely two passages are about one thing, as far as that was judged already."""

    def decided(self, passage: CandidatePassage) -> bool:
        """Whether a verdict was given on what a passage says."""
        return any(not conflict.undecided for conflict in self._about(passage))

    def disputed(self, passage: CandidatePassage) -> bool:
        """Whether what a passage says is in dispute, and nothing of it was refuted."""
        about = self._about(passage)
        return bool(about) and all(conflict.undecided for conflict in about)

    def _about(self, passage: CandidatePassage) -> list[Conflict]:
        """The conflicts that a passage is a side of."""
        return [each for each in self.conflicts if any(passage.states(claim) for claim in each.parties)]

    def stating_barred(self, passages: Sequence[CandidatePassage]) -> set[CandidatePassage]:
        """The passages that state a barred claim: they overlap it, repeat its point, or say it in other words."""
        barred = [
            (claim, opposing)
            for conflict in self.conflicts
            for side, opposing in (conflict.sides, conflict.sides[::-1])
            for claim in side
            if claim in conflict.barred
        ]
        points: list[tuple[Claim, set[str]]] = []
        for claim, opposing in barred:  # the few words by which it differs from the other side
            own = set(tokenize(claim.text)).difference(*(tokenize(other.text) for other in opposing))
            points.append((claim, own if len(own) <= FEW else set()))
        stating = {
            passage
            for passage in passages
            if any(passage.states(claim) or _repeats_point(passage, claim, point) for claim, point in points)
        }
        return stating | self._restating([passage for passage in passages if passage not in stating], barred)

    def _restating(self, passages: Sequence[CandidatePassage], barred: Sequence[Barred]) -> set[CandidatePassage]:
        """The passages that say a barred claim in other words.

        They must also contradict the other side: a claim may hold more than the point in dispute, and the sides may
        agree on the rest.
        """
        if not passages or not barred:
            return set()
        passage_vectors = self.embedder.embed([passage.text for passage in passages])
        claim_vectors = self.embedder.embed([claim.text for claim, _opposing in barred])
        cosines = passage_vectors @ claim_vectors.T
        near = [(i, j) for i, row in enumerate(cosines) for j in np.argsort(-row)[:NEAREST] if row[j] >= NEAR]
        statements = [passage.statement for passage in passages]
        judgements = self.judge.judge([(statements[i], statement_of(barred[j][0])) for i, j in near])
        restating = [pair for pair, judgement in zip(near, judgements, strict=True) if judgement.entails >= SAME]
        opposed = [(i, claim) for i, j in restating for claim in barred[j][1]]
        contradicts = judge_both_ways([(statements[i], statement_of(claim)) for i, claim in opposed], self.judge)
        threshold = self.judge.conflict_between
        return {
            passages[i] for (i, _), probability in zip(opposed, contradicts, strict=True) if probability >= threshold
        }

    def contradicting(
        self, passages: Sequence[CandidatePassage], references: Sequence[CandidatePassage]
    ) -> dict[CandidatePassage, CandidatePassage]:
        """The passages that a reference source contradicts, each with the sentence that does so most surely."""
        firsts, seconds = ([one.statement for one in side] for side in (passages, references))
        pairs = candidates(firsts, seconds, self.embedder, reverse=0)
        probabilities = judge_both_ways([(firsts[i], seconds[j]) for i, j in pairs], self.judge)
        against: dict[CandidatePassage, CandidatePassage] = {}
        for n in np.argsort(-probabilities, kind="stable"):
            i, j = pairs[n]
            if probabilities[n] >= self.judge.conflict_between:
                against.setdefault(passages[i], references[j])
        return against

    def alike(self, one: CandidatePassage, other: CandidatePassage) -> float:
        """The probability that the documents of two passages are about the same thing where these stand."""
        if one.document == other.document:
            return 1.0
        pair = frozenset((one, other))
        if pair not in self.known:
            self.known[pair] = same_thing(self._around(one), self._around(other), self.embedder, self.judge)
        return self.known[pair]

    def about_two_things(self, one: CandidatePassage, other: CandidatePassage) -> bool:
        """Whether two passages are likely about two things."""
        return self.alike(one, other) < TWO_THINGS

    def grouped(self, answers: Sequence[Candidate]) -> list[list[Candidate]]:
        """The answers, those about one thing together: each with the first that it is not about another thing than."""
        groups: list[list[Candidate]] = []
        for one in answers:
            same = next((group for group in groups if not self.about_two_things(group[0].passage, one.passage)), None)
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


def _repeats_point(passage: CandidatePassage, claim: Claim, point: set[str]) -> bool:
    """Whether another sentence of the claim's document has the words in dispute, their figures in the same unit."""
    if not point or passage.source != claim.source or not point <= set(tokenize(passage.text)):
        return False
    values = [value for value in figures(claim.text) if point.intersection(tokenize(value.text))]
    return all(is_among(value, figures(passage.text)) for value in values)
