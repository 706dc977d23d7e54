"""Whether statements say the same: which pairs are judged for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.judgement.contradictions import judge_both_ways
from memory_bank.judgement.judge import SAME, says_any
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement

OLD, OLDER, NEW = (Statement(f"The mill is {word}.") for word in ("old", "older than the dam", "new"))


class Recording:
    """Judges the listed pairs as given and all others neutral; records what it is asked."""

    conflict_between = conflict_inside = 0.5

    def __init__(self, *judged: tuple[Statement, Statement, PairJudgement]) -> None:
        self._judged = {(one, other): judgement for one, other, judgement in judged}
        self.asked: list[tuple[Statement, Statement]] = []

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        self.asked += pairs
        return [self._judged.get(pair, PairJudgement(0, 1, 0)) for pair in pairs]


def test_either_direction_of_entailment_says_the_same_and_the_second_is_asked_only_if_needed() -> None:
    judge = Recording((OLDER, OLD, PairJudgement(SAME, 1 - SAME, 0)))
    assert says_any([OLDER, OLD, NEW], [OLD], judge) == [True, True, False]
    assert judge.asked == [(OLDER, OLD), (NEW, OLD), (OLD, NEW)]
    assert says_any([OLD], [OLDER], judge) == [True]
    assert judge.asked[3:] == [(OLD, OLDER), (OLDER, OLD)]
    assert says_any([OLD], [], judge) == [False]


def test_the_second_direction_of_a_contradiction_is_asked_only_if_their_mean_can_reach_what_matters() -> None:
    judge = Recording((OLD, NEW, PairJudgement(0, 0.6, 0.4)), (NEW, OLD, PairJudgement(0, 0, 1)))
    assert judge_both_ways([(OLD, NEW)], judge)[0] == pytest.approx(0.7)
    judge.asked.clear()
    assert judge_both_ways([(OLD, NEW)], judge, least=0.75)[0] < 0.75
    assert judge.asked == [(OLD, NEW)]
