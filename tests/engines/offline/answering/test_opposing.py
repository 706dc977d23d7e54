"""What other documents say against an answer is quoted beside it, neither affirmed, unless a source settles it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.agents.react import StepResult
from memory_bank.engines.offline.answering import setting_aside
from memory_bank.engines.offline.answering.opposing import DENIES, DIFFERENT, MOST_SAY, OTHERS_SAY
from memory_bank.engines.offline.answering.question import answer
from memory_bank.judgement.judge import NoJudge, PairJudge
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import SURE, UNSURE, RuleJudge
from tests.judgement.rule_reader import RuleReader

QUESTION = "Who paid for the new bridge?"
COURIER = "The quarry paid for the new bridge. Brass bands played."
MINUTES = "Half of the new bridge was paid for by the parish. Otters were seen."
ACCOUNTS = "Half the bill for the bridge fell to the parish. Otters were seen."
REGISTER = "The parish bore one half, as it paid for the new bridge."
OPPOSED = {("quarry", "Half"), ("quarry", "one half")}


class JudgeOfAnswers(RuleJudge):
    """Suspects that the quarry and a half contradict each other, not surely enough for a conflict."""

    def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
        return [
            PairJudgement(UNSURE, 1 - UNSURE - DENIES, DENIES) if _opposed(*pair) else plain
            for pair, plain in zip(pairs, super().judge(pairs), strict=True)
        ]


def _opposed(one: Statement, other: Statement) -> bool:
    return any((a in one.text and b in other.text) or (b in one.text and a in other.text) for a, b in OPPOSED)


def ask(memory: FakeTools, judge: PairJudge | None = None) -> StepResult:
    return answer(memory.prompt(QUESTION), memory, HashEmbedder(), judge or JudgeOfAnswers(), RuleReader())


def test_another_document_that_denies_the_answer_is_quoted_beside_it_and_neither_is_affirmed() -> None:
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES}))
    assert [(one.value, one.quotes[0].text, one.heading, one.opposed) for one in result.statements] == [
        ("courier.txt", "The quarry paid for the new bridge.", DIFFERENT, True),
        ("minutes.txt", "Half of the new bridge was paid for by the parish.", DIFFERENT, True),
    ]


@pytest.mark.parametrize(
    ("alike", "expected"),
    [
        (0.3, [("courier.txt", None, False), ("minutes.txt", None, False)]),
        (0.7, [("courier.txt", DIFFERENT, True), ("minutes.txt", DIFFERENT, True)]),
    ],
)
def test_answers_about_two_things_of_one_name_stand_side_by_side(
    monkeypatch: pytest.MonkeyPatch, alike: float, expected: list[tuple[str, str | None, bool]]
) -> None:
    monkeypatch.setattr(setting_aside, "same_thing", lambda *_: alike)
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES}))
    assert [(one.value, one.heading, one.opposed) for one in result.statements] == expected


def test_other_values_deny_each_other_where_the_documents_are_surely_about_one_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = FakeTools({"a.txt": "The bridge cost 900 crowns.", "b.txt": "The bridge cost 450 crowns, it is said."})
    prompt = memory.prompt("What did the bridge cost?")
    opposed = []
    for alike in (0.7, 0.97):
        monkeypatch.setattr(setting_aside, "same_thing", lambda *_, alike=alike: alike)
        result = answer(prompt, memory, HashEmbedder(), NoJudge(), RuleReader())
        opposed.append([one.opposed for one in result.statements])
        assert [one.value for one in result.statements] == ["a.txt", "b.txt"]
    assert opposed == [[False, False], [True, True]]


def test_what_two_independent_documents_say_is_affirmed_against_one() -> None:
    letter = "Half of the new bridge was paid for by the parish, as we heard. Hay was dear."
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES, "letter.txt": letter}))
    assert {(one.value, one.heading, one.opposed) for one in result.statements} == {
        ("minutes.txt", MOST_SAY, False),
        ("letter.txt", MOST_SAY, False),
        ("courier.txt", OTHERS_SAY, True),
    }


def test_a_copy_of_a_document_gives_it_no_second_voice() -> None:
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES, "copy.txt": f"{MINUTES} Seen by all."}))
    assert {one.heading for one in result.statements} == {DIFFERENT}


def test_a_document_that_denies_nothing_is_not_quoted_against_the_answer() -> None:
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES}), RuleJudge())
    assert [one.heading for one in result.statements] == [None, None]


def test_a_passage_that_hardly_answers_is_not_quoted_against_the_answer() -> None:
    result = ask(FakeTools({"courier.txt": COURIER, "accounts.txt": ACCOUNTS}))
    assert [(one.quotes[0].text, one.opposed) for one in result.statements] == [
        ("The quarry paid for the new bridge.", False)
    ]


def test_a_reference_source_that_denies_one_side_leaves_the_other() -> None:
    result = ask(FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES}, {"register.txt": REGISTER}))
    assert [(one.quotes[0].text, one.heading, one.opposed) for one in result.statements] == [
        ("Half of the new bridge was paid for by the parish.", None, False),
        (REGISTER, None, False),
    ]


def test_a_side_that_is_in_dispute_on_another_point_is_not_quoted_against_the_answer() -> None:
    memory = FakeTools({"courier.txt": COURIER, "minutes.txt": MINUTES})
    memory.disagree("Half of", "Brass bands", "inconclusive")
    assert not any("Half" in one.quotes[0].text for one in ask(memory).statements)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many crowns did the bridge cost?", "The bridge cost 11 crowns.", "The new bridge cost eleven crowns."),
        (
            "When was the bridge completed?",
            "The bridge was completed in 1970.",
            "The new bridge was completed on 21 July 1970 and inaugurated in January 1971.",
        ),
    ],
)
def test_a_document_whose_values_agree_is_not_quoted_whatever_the_network_says(
    question: str, first: str, second: str
) -> None:
    class Contrary(RuleJudge):
        def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
            return [PairJudgement(UNSURE, UNSURE, SURE)] * len(pairs)

    memory = FakeTools({"a.txt": f"{first} Otters were seen.", "b.txt": second})
    result = answer(memory.prompt(question), memory, HashEmbedder(), Contrary(), RuleReader())
    assert result.statements
    assert not any(one.opposed for one in result.statements)
