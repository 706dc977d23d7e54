"""A judge by a rule in place of the trained one: "not", or another figure, against the same words contradicts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement

SURE, UNSURE = 0.96, 0.06
"""`UNSURE` is likely enough for the parts of two statements to be judged."""


class RuleJudge:
    """Same words but for "not" or for their figures: contradiction. All words of B in A: entailment. Else neither."""

    conflict_between, conflict_inside = 0.8, 0.9

    def __init__(self, unsure: float = UNSURE) -> None:
        self.asked = 0
        self._unsure = unsure

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        self.asked += len(pairs)
        return [self._one(a.text, b.text) for a, b in pairs]

    def _one(self, a: str, b: str) -> PairJudgement:
        first, second = (set(re.findall(r"\d[\d,.]*\d|\w+", text.lower())) for text in (a, b))
        if first ^ second == {"not"}:
            return PairJudgement(self._unsure, self._unsure, SURE)
        figures, others = ({word for word in side if word[0].isdigit()} for side in (first, second))
        said, also = first - figures, second - others
        if figures and others and not figures & others and (said <= also or also <= said):
            return PairJudgement(self._unsure, self._unsure, SURE)
        if second <= first:
            return PairJudgement(SURE, self._unsure, self._unsure)
        return PairJudgement(self._unsure, SURE, self._unsure)
