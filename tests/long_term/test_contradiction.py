from __future__ import annotations

import pytest

from memory_bank.long_term.memory import contradiction, may_say_the_same, values_differ
from tests.judgement.rule_judge import RuleJudge
from tests.long_term.kept import fact

SAID = [
    ("The budget is 100 euros.", "The budget is 120 euros.", "“The budget is 100 euros.” – “The budget is 120 euros.”"),
    ("Ann is not at home.", "Ann is at home.", "“Ann is not at home.” – “Ann is at home.”"),
    ("Ann likes hiking.", "Ann likes swimming.", None),
    ("The kettle is blue.", "The kettle is blue.", None),
]


@pytest.mark.parametrize(("stored", "new", "reason"), SAID)
def test_two_facts_contradict_each_other_as_the_judge_says(stored: str, new: str, reason: str | None) -> None:
    assert contradiction(fact("ann", stored), fact("ann", new), RuleJudge()) == reason


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [("Hawaii trip", "Hawaii trip", True), ("Hawaii trip", "Italy trip", False), ("Hawaii trip", "", False)],
)
def test_only_facts_of_one_context_are_compared(first: str, second: str, *, told: bool) -> None:
    stored = fact("ann", "budget is $10,000", context=first)
    new = fact("ann", "budget is $12,000", context=second)
    assert (contradiction(stored, new, RuleJudge()) is not None) is told
    assert (contradiction(new, stored, RuleJudge()) is not None) is told


@pytest.mark.parametrize(
    ("stored", "new", "other"),
    [
        ("I was born in 1980.", "I was born in 1981.", True),
        ("The budget is $10,000.", "The budget is $10,000 dollars.", False),
        ("I like tea.", "I like green tea.", False),
        ("Ann lives in Leeds.", "Ann lives in Leeds and works in York.", False),
    ],
)
def test_facts_with_a_value_each_of_their_own_are_two(stored: str, new: str, *, other: bool) -> None:
    assert values_differ(stored, new) is other


@pytest.mark.parametrize(
    ("stored", "new", "same"),
    [
        ("Ann prefers trains.", "ann prefers trains", True),
        ("Ann prefers trains.", "Ann likes trains best.", True),
        ("I prefer tea over coffee.", "I prefer coffee over tea.", False),
        ("我喜欢喝咖啡", "我喜欢喝茶", False),
        ("我喜欢喝茶", "我喜欢喝茶。", True),
    ],
)
def test_only_what_may_say_the_same_is_told_again(stored: str, new: str, *, same: bool) -> None:
    assert may_say_the_same(stored, new) is same
