"""What new nodes are compared with: nodes and claims by number, and the pairs that are likely contradictions.

Memory is numbered first and oldest first, so that the prompts of one session begin alike. Of a large memory only the
claims that bear on a new one are shown.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from memory_bank.agents.analysis import AnalysisInput
from memory_bank.engines.llm.window import NumberedClaim
from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.search.embedding import Embedder

LIKELY_PROBABILITY = 0.3
"""Probability by the pair model from which two claims are a candidate."""
MOST_LIKELY = 16
MOST_CLAIMS = 60
"""Up to this number of claims in memory all are shown; of more, those near a new claim."""
NEAREST = 3
"""Claims in memory shown for each new claim where not all are."""
NEAREST_INSIDE = 4
"""With how many claims of its own document each claim is compared."""


@dataclass(frozen=True)
class LikelyPair:
    """A claim of a new node and another one that are likely to contradict each other, by number."""

    new: int
    other: int
    probability: float


class Comparison:
    """Nodes and claims by number: `claims` holds each with the number of its node. `memory` is best first."""

    def __init__(self, inputs: Sequence[AnalysisInput], embedder: Embedder, judge: PairJudge) -> None:
        new_ids = [each.node.id for each in inputs]
        known = {view.id: view for each in inputs for view in each.candidates if view.id not in new_ids}
        oldest_first = sorted(known.values(), key=lambda view: (len(view.id), view.id))
        self.nodes = dict(enumerate([*oldest_first, *(each.node for each in inputs)], start=1))
        numbers = {view.id: number for number, view in self.nodes.items()}
        self.memory = [(numbers[node_id], view) for node_id, view in known.items()]
        self.new = [(numbers[each.node.id], each.node) for each in inputs]
        self._compared = frozenset[frozenset[str]]().union(*(each.compared for each in inputs))
        self._others = {numbers[each.node.id]: _others(each, new_ids[:n], numbers) for n, each in enumerate(inputs)}
        claims = [(number, claim) for number, node in self.nodes.items() for claim in node.claims]
        self.claims = dict(enumerate(claims, start=1))
        self.likely = self._likely(embedder, judge) if inputs[0].phase != "related" else []
        self._limit(embedder)

    @property
    def comparable(self) -> set[tuple[int, int]]:
        """The pairs of a new node and another one, or itself, that may be judged."""
        return {(number, other) for number, _ in self.new for other in self.others_of(number)}

    def others_of(self, number: int) -> list[int]:
        """The nodes that a new node is compared with, in order."""
        return [other for other in self._others[number] if other in self.nodes]

    def claims_of(self, node: int) -> list[NumberedClaim]:
        """The claims of a node by number."""
        return [(number, claim) for number, (owner, claim) in self.claims.items() if owner == node]

    def pair_of_nodes(self, one: int, another: int) -> tuple[int, int] | None:
        """Two different nodes as a new one and the other; None where they are not to be judged."""
        pairs = self.comparable
        return next((p for p in ((one, another), (another, one)) if p in pairs and one != another), None)

    def ordered(self, one: int, another: int) -> tuple[int, int]:
        """Two claims, that of the newer node first; inside one node the later one."""
        return max(one, another), min(one, another)

    def inside(self, one: int, another: int) -> bool:
        """Whether two claims are of one document."""
        return self.claims[one][1].source == self.claims[another][1].source

    def only(self, shown: Collection[str]) -> Comparison:
        """The nodes, claims and pairs that the model was shown."""
        part = copy.copy(self)
        part.nodes = {number: node for number, node in self.nodes.items() if node.id in shown}
        part.claims = {number: (owner, claim) for number, (owner, claim) in self.claims.items() if claim.id in shown}
        return part

    def _likely(self, embedder: Embedder, judge: PairJudge) -> list[LikelyPair]:
        """The likeliest pairs of a new claim and one of the nearest others, in the order of their numbers.

        Ordered by probability, a prompt would change with each rounding of the pair model.
        """
        comparable = self.comparable
        news, olds = self._new_and_old()
        left, right = ([statement_of(claim) for _, claim in each] for each in (news, olds))
        near = [(news[i][0], olds[j][0]) for i, j in candidates(left, right, embedder, reverse=0)]
        near += [
            self.ordered(news[i][0], news[j][0]) for i, j in candidates(left, left, embedder, NEAREST_INSIDE, reverse=0)
        ]
        # Claims of different sources in one merged node were compared before the merge, as two nodes.
        pairs = [
            (new, other)
            for new, other in near
            if (owners := (self.claims[new][0], self.claims[other][0])) in comparable
            and (owners[0] != owners[1] or self.inside(new, other))
            and frozenset(self.claims[n][1].entry_id for n in (new, other)) not in self._compared
        ]
        statements = [(statement_of(self.claims[other][1]), statement_of(self.claims[new][1])) for new, other in pairs]
        probabilities = judge_both_ways(statements, judge)
        order = [n for n in np.argsort(-probabilities, kind="stable") if probabilities[n] >= LIKELY_PROBABILITY]
        likeliest = sorted(order[:MOST_LIKELY], key=pairs.__getitem__)
        return [LikelyPair(pairs[n][0], pairs[n][1], float(probabilities[n])) for n in likeliest]

    def _limit(self, embedder: Embedder) -> None:
        """Of many claims in memory keep those that are near a new one."""
        news, olds = self._new_and_old()
        if len(olds) <= MOST_CLAIMS:
            return
        left, right = ([statement_of(claim) for _, claim in each] for each in (news, olds))
        near = {olds[j][0] for _, j in candidates(left, right, embedder, NEAREST, reverse=0)}
        kept = near | {pair.other for pair in self.likely} | {number for number, _ in news}
        self.claims = {number: each for number, each in self.claims.items() if number in kept}

    def _new_and_old(self) -> tuple[list[NumberedClaim], list[NumberedClaim]]:
        """The claims of the new nodes, and those in memory."""
        new_numbers = {number for number, _ in self.new}
        news = [(number, claim) for number, (owner, claim) in self.claims.items() if owner in new_numbers]
        olds = [(number, claim) for number, (owner, claim) in self.claims.items() if owner not in new_numbers]
        return news, olds


def _others(each: AnalysisInput, earlier: Sequence[str], numbers: dict[str, int]) -> list[int]:
    """The nodes that an input's node is compared with: its candidates, and the new nodes before it."""
    ids = dict.fromkeys([*(view.id for view in each.candidates), *earlier])
    return [numbers[node_id] for node_id in ids if node_id in numbers]
