"""A judge by a rule in place of the trained one: "not", or another figure, against the same words contradicts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement

SURE, UNSURE = 0.96, 0.02


class RuleJudge:
    """Same words but for "not" or for their figures: contradiction. All words of B in A: entailment. Else neither."""

    conflict_between, conflict_inside = 0.8, 0.9

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        self.asked += len(pairs)
        return [self._one(a.text, b.text) for a, b in pairs]

    @staticmethod
    def _one(a: str, b: str) -> PairJudgement:
        first, second = (set(re.findall(r"\d[\d,.]*\d|\w+", text.lower())) for text in (a, b))
        if first ^ second == {"not"}:
            return PairJudgement(UNSURE, UNSURE, SURE)
        figures, others = ({word for word in side if word[0].isdigit()} for side in (first, second))
        said, also = first - figures, second - others
        if figures and others and not figures & others and (said <= also or also <= said):
            return PairJudgement(UNSURE, UNSURE, SURE)
        if second <= first:
            return PairJudgement(SURE, UNSURE, UNSURE)
        return PairJudgement(UNSURE, SURE, UNSURE)
