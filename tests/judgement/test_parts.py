"""Of sentences that say several things the parts about one thing are judged too."""

from __future__ import annotations

from memory_bank.judgement.parts import UNLIKELY, disputed_parts, judge_with_parts
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from tests.judgement.rule_judge import RuleJudge

EMBEDDER, JUDGE = HashEmbedder(), RuleJudge()
PLAN = Statement("The dining hall opens on 1 October and the cellar seats 120 guests.", "Plan")
MAIL = Statement("Rain or shine the dining hall opens on 3 October.", "Mail")


def test_a_fact_that_stands_in_one_sentence_with_others_is_judged() -> None:
    assert JUDGE.judge([(PLAN, MAIL)])[0].contradicts < JUDGE.conflict_between
    (judged,) = judge_with_parts([(PLAN, MAIL)], JUDGE, EMBEDDER)
    assert judged.probability >= JUDGE.conflict_between
    assert judged.first.of(PLAN.text) == "The dining hall opens on 1 October"
    assert judged.second.of(MAIL.text) == MAIL.text


def test_the_parts_of_sentences_that_hardly_contradict_each_other_are_not_judged() -> None:
    judge = RuleJudge(unsure=UNLIKELY)
    (judged,) = judge_with_parts([(PLAN, MAIL)], judge, EMBEDDER)
    assert judge.asked == 1
    assert (judged.first.of(PLAN.text), judged.second.of(MAIL.text)) == (PLAN.text, MAIL.text)


def test_sentences_of_one_clause_are_judged_once() -> None:
    judge = RuleJudge()
    pair = (Statement("Trains leave hourly."), MAIL)
    (judged,) = judge_with_parts([pair], judge, EMBEDDER)
    assert (judge.asked, judged.first, judged.second) == (1, (0, len(pair[0].text)), (0, len(MAIL.text)))


def test_the_part_in_dispute_keeps_its_context() -> None:
    assert disputed_parts((PLAN, MAIL), JUDGE, EMBEDDER) == (
        Statement("The dining hall opens on 1 October", "Plan"),
        MAIL,
    )


def test_where_no_part_contradicts_by_itself_the_whole_sentences_are_in_dispute() -> None:
    pair = (Statement("The mill is open and it has four floors."), Statement("Trains leave hourly."))
    assert disputed_parts(pair, JUDGE, EMBEDDER) == pair


def test_nothing_to_judge_is_nothing_judged() -> None:
    assert judge_with_parts([], JUDGE, EMBEDDER) == []
