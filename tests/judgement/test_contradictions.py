"""Which statements are compared, how many of them, and that the order of two makes no difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.judgement.contradictions import (
    FEW_CLAIMS,
    NEAREST,
    candidates,
    judge_both_ways,
    repeats,
    threshold_among,
)
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from tests.judgement.rule_judge import RuleJudge

EMBEDDER = HashEmbedder(64)
WORDS = st.lists(
    st.sampled_from("mill dam bridge river was built in 1905 1971 by Holt closed open".split()), min_size=1
)
STATEMENTS = st.lists(st.builds(Statement, WORDS.map(" ".join)), max_size=12)


@given(STATEMENTS, STATEMENTS, st.integers(1, 3))
def test_a_bounded_number_of_pairs_is_compared_each_once(
    left: list[Statement], right: list[Statement], back: int
) -> None:
    pairs = candidates(left, right, EMBEDDER, back)
    assert len(set(pairs)) == len(pairs) <= NEAREST * len(left) + back * len(right)
    assert all(left[i].text.split() != right[j].text.split() for i, j in pairs)


@given(STATEMENTS)
def test_inside_one_list_no_statement_is_compared_with_itself_or_twice(statements: list[Statement]) -> None:
    pairs = candidates(statements, statements, EMBEDDER)
    assert all(i < j for i, j in pairs)
    assert all(count == 1 for count in Counter(pairs).values())


def test_the_nearest_are_compared() -> None:
    left = [Statement(f"The mill was built in {year}.") for year in range(1905, 1905 + NEAREST)]
    right = [Statement("The mill was built in 1971."), Statement("Trains leave hourly.")]
    found = candidates(left, right, EMBEDDER, 1)
    assert all((n, 0) in found for n in range(NEAREST))
    assert not any(j for _, j in found)


@given(st.floats(0.01, 1), st.integers(0, 100_000), st.integers(0, 1_000))
def test_the_more_claims_the_surer_a_contradiction_must_be(threshold: float, claims: int, more: int) -> None:
    assert threshold_among(threshold, FEW_CLAIMS) == pytest.approx(threshold)
    assert threshold - 1e-9 <= threshold_among(threshold, claims) <= threshold_among(threshold, claims + more) <= 1


@given(st.floats(0.01, 1), st.integers(0, 1_000), st.integers(0, 1_000))
def test_without_sources_a_contradiction_must_be_surer_unless_there_are_few_claims(
    threshold: float, claims: int, more: int
) -> None:
    unchecked, of_more = (threshold_among(threshold, each, checkable=False) for each in (claims, claims + more))
    assert threshold_among(threshold, claims) - 1e-9 <= unchecked <= of_more + 1e-9
    assert threshold_among(threshold, 0, checkable=False) == pytest.approx(threshold)


def test_the_order_of_two_statements_makes_no_difference() -> None:
    pair = Statement("The pool is open."), Statement("The pool is not open.")
    judge = RuleJudge()
    (there,), (back,) = judge_both_ways([pair], judge), judge_both_ways([pair[::-1]], judge)
    assert there == pytest.approx(back)
    assert there > judge.conflict_between


def test_an_unlikely_pair_is_judged_one_way_round_alone() -> None:
    judge = RuleJudge()
    judge_both_ways([(Statement("The pool is open."), Statement("Trains leave hourly."))], judge)
    assert judge.asked == 1


class Alarmist(RuleJudge):
    """Takes every pair for a contradiction."""

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        return [PairJudgement(0.0, 0.0, 1.0)] * len(pairs)


def test_equal_values_are_no_contradiction_whatever_the_model_says() -> None:
    judge = Alarmist()
    converted = Statement("The bridge is 1.24 km long."), Statement("The bridge is 1,240 m long.")
    other = Statement("The bridge is 1.24 km long."), Statement("The bridge is 1,420 m long.")
    assert judge_both_ways([converted, other], judge).tolist() == [0.0, 1.0]


def test_no_pairs_are_no_work() -> None:
    assert judge_both_ways([], RuleJudge()).shape == (0,)
    assert candidates([], [Statement("A mill.")], EMBEDDER) == []
    assert isinstance(judge_both_ways([], RuleJudge()), np.ndarray)


class Contradicting(RuleJudge):
    """Takes every pair for a contradiction."""

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        return [PairJudgement(0.0, 0.0, 1.0)] * len(pairs)


@pytest.mark.parametrize(
    ("first", "second", "repeated"),
    [
        ("The mill was built in 1905.", "the mill was built, in 1905", True),
        ("Winter Island is tied to Salem by a causeway.", "is tied to Salem by a causeway.", True),
        ("As of 2000 there were 1,500 people.", "Demographics [edit] As of 2000 there were 1,500 people.", True),
        ("Not all of the members came.", "All of the members came.", False),
        (
            "He studied law at the University of Michigan",
            "He studied law at the University of Michigan from 1890.",
            True,
        ),
        (
            "The lodge stands in a rural area of the county, on Smith Road, a gravel",
            "History The lodge stands in a rural area of the county , on Smith Road , a gravel road to the south.",
            True,
        ),
        ("The campus hall was designed by him in 1921.", "The campus hall was designed by him in 1921 . [ 2 ]", True),
        ("Some 24,456 people live there now", "Some 24456 people live there now, so the school is full.", True),
        ("Some 24,456 people live there now", "Some 24466 people live there now, so the school is full.", False),
        ("They stop at every floor all day.", "They stop at every floor all day but Sunday.", False),
        ("Nobody but Jim saw it.", "Jim saw it.", False),
        ("The mill was built in 1905.", "The mill was built in 1906.", False),
    ],
)
def test_words_that_are_repeated_never_contradict(first: str, second: str, repeated: bool) -> None:  # noqa: FBT001
    pair = Statement(first), Statement(second)
    assert repeats(*pair) is repeats(*pair[::-1]) is repeated
    (probability,) = judge_both_ways([pair], Contradicting())
    assert bool(probability == 0) is repeated
