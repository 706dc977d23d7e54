"""Which passages of several documents are chosen to answer, given how likely each of them is to do so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import (
    CERTAIN,
    MAY_ANSWER,
    OTHER_SUBJECT_FACTOR,
    Candidate,
    choose,
    perhaps,
    rank_by_answer,
    unless_certain,
)
from memory_bank.judgement.judge import NoJudge
from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import MULTILINGUAL_MODEL
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.text.span import Span
from tests.builders import make_entry
from tests.judgement.rule_reader import RuleReader


def candidate(document: str, text: str, probability: float, answer: str = "") -> Candidate:
    entry = make_entry(f"e{document}", text).model_copy(update={"metadata": {"source": f"{document}.txt"}})
    return Candidate(CandidatePassage(entry, Span(0, len(text))), probability, answer)


def chosen(kind: TaskKind, *candidates: Candidate, apart: bool = False, aside: str = "") -> list[str]:
    ranked = sorted(candidates, key=lambda one: -one.probability)
    set_aside = {one.passage for one in candidates if one.passage.document == aside}
    return [one.passage.document for one in choose(kind, ranked, set_aside, NoJudge(), lambda *_: apart)]


def test_a_name_asked_for_may_stand_anywhere_in_the_document_of_the_passage() -> None:
    def passage(number: int, source: str, text: str) -> CandidatePassage:
        entry = make_entry(f"e{number}", text).model_copy(update={"metadata": {"source": source}})
        return CandidatePassage(entry, Span(0, len(text)))

    pool = [
        passage(1, "diary.md", "We came to Nelson after dark."),
        passage(2, "diary.md", "The trains kept me awake all night."),
        passage(3, "other.md", "The trains kept her awake all night."),
    ]
    ranked = rank_by_answer("What kept me awake all night in Nelson?", pool, HashEmbedder(), SureReader())
    assert {one.passage.entry.id: one.probability for one in ranked} == {"e1": 1, "e2": 1, "e3": OTHER_SUBJECT_FACTOR}


class SureReader(RuleReader):
    """Takes every passage for an answer."""

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        return [FoundAnswer(1.0, 0, len(question))] * len(statements)


def test_in_german_the_relevant_passage_is_likelier_and_less_is_certain() -> None:
    texts = ["Der Hund darf nur angeleint auf die Anlage.", "Die Anlage ist im Winter geschlossen."]
    pool = [candidate(str(n), text, 1.0).passage for n, text in enumerate(texts)]
    embedder = HashEmbedder()
    embedder.name = MULTILINGUAL_MODEL
    ranked = rank_by_answer("Darf der Hund auf die Anlage?", pool, embedder, LikelyReader())
    assert [one.passage.text for one in ranked] == texts
    assert ranked[1].probability < ranked[0].probability < CERTAIN < LikelyReader.probability


class LikelyReader(RuleReader):
    """Takes every passage for a likely answer."""

    probability = 0.9

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        return [FoundAnswer(self.probability, 0, len(question))] * len(statements)


HALL = candidate("a", "The hall holds 200 people.", 0.95, "200 people")


@pytest.mark.parametrize(
    ("probability", "answer", "documents"),
    [
        (0.4, "as many as the barn", ["a.txt"]),
        (0.6, "as many as the barn", ["a.txt", "b.txt"]),
        (0.6, "140 people", ["a.txt"]),  # rather of something else
        (0.8, "140 people", ["a.txt", "b.txt"]),
    ],
)
@pytest.mark.parametrize("kind", [TaskKind.FACT, TaskKind.HOW])
def test_another_document_answers_too_where_it_may_and_with_another_value_where_it_likely_does(
    kind: TaskKind, probability: float, answer: str, documents: list[str]
) -> None:
    assert chosen(kind, HALL, candidate("b", f"It holds {answer}.", probability, answer)) == documents


def test_a_document_on_another_thing_answers_with_another_value_too() -> None:
    other = candidate("b", "It holds 140 people.", 0.6, "140 people")
    assert chosen(TaskKind.FACT, HALL, other, apart=True) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(("apart", "documents"), [(True, ["b.txt"]), (False, [])])
def test_beside_an_answer_in_dispute_only_one_about_another_thing_stands(*, apart: bool, documents: list[str]) -> None:
    other = candidate("b", "It holds 140 people.", 0.6, "140 people")
    assert chosen(TaskKind.FACT, HALL, other, apart=apart, aside="a.txt") == documents


def test_a_less_likely_answer_stands_only_where_it_is_of_the_name_and_about_another_thing_than_all_others() -> None:
    churches = [
        candidate(name, f"It dates from {year}.", p, year)
        for name, year, p in (("a", "1850", 0.9), ("b", "1900", 0.35), ("c", "1910", 0.3))
    ]
    about = {"a.txt": "A", "b.txt": "B", "c.txt": "B"}

    def apart(one: CandidatePassage, other: CandidatePassage) -> bool:
        return about[one.document] != about[other.document]

    for named, documents in ((True, ["a.txt", "b.txt"]), (False, ["a.txt"])):
        ranked = [replace(one, named=named) for one in churches]
        found = choose(TaskKind.FACT, ranked, set(), NoJudge(), apart)
        assert [one.passage.document for one in found] == documents


def test_an_answer_beside_a_dispute_is_not_made_sure_by_it() -> None:
    disputed = replace(HALL, heading="The documents say different things", opposed=True)
    beside = candidate("b", "It holds 140 people.", 0.6, "140 people")
    assert [one.unsure for one in unless_certain([beside, disputed], lambda _: False)] == [True, False]


def test_how_many_finds_no_unlikely_answer_where_the_likely_one_holds_no_figure() -> None:
    vague = candidate("a", "The hall holds very many people.", 0.9, "very many")
    seats = replace(candidate("b", "The hall seats 140.", 0.3, "140"), named=True)
    assert choose(TaskKind.COUNT, [vague, seats], set(), NoJudge(), lambda *_: True) == []


def test_nothing_is_chosen_where_even_the_best_is_unlikely() -> None:
    assert chosen(TaskKind.FACT, candidate("a", "The hall is old.", 0.4), candidate("b", "So is the barn.", 0.3)) == []


@pytest.mark.parametrize(
    ("kind", "text", "probability", "is_shown"),
    [
        (TaskKind.FACT, "The hall is old.", 0.4, True),
        (TaskKind.FACT, "The hall is old.", 0.2, False),
        (TaskKind.COUNT, "The hall is old.", 0.4, False),  # it holds no figure
        (TaskKind.COUNT, "The hall has six doors.", 0.4, True),
    ],
)
def test_where_nothing_surely_answers_the_likeliest_is_shown_as_what_may(
    kind: TaskKind, text: str, probability: float, *, is_shown: bool
) -> None:
    likeliest = candidate("a", text, probability)
    found = perhaps(kind, [likeliest, candidate("b", "So is the barn of 1900.", 0.1)], set())
    assert [(one.passage, one.unsure, one.heading) for one in found] == [
        (likeliest.passage, True, MAY_ANSWER) for _ in range(is_shown)
    ]
    assert perhaps(kind, [likeliest], {likeliest.passage}) == []


@pytest.mark.parametrize(
    ("answers", "unsure"),
    [
        ([candidate("a", "The hall is old.", 0.7), candidate("b", "It is of 1900.", 0.6)], True),
        ([candidate("a", "The hall is old.", 0.7), candidate("b", "It is of 1900.", 0.9)], False),  # one is certain
        ([replace(candidate("a", "The hall is old.", 0.7), heading="Most documents say")], False),
        ([replace(candidate("a", "It has 4.", 0.7), beside=(candidate("b", "It has 2.", 0.7).passage,))], False),
    ],
)
def test_answers_of_which_none_is_certain_are_shown_as_what_may_answer(
    answers: list[Candidate], *, unsure: bool
) -> None:
    shown = unless_certain(answers, lambda _: False)
    assert [one.passage for one in shown] == [one.passage for one in answers]
    assert [one.unsure for one in shown] == [unsure for _ in answers]
    assert [one.heading for one in shown] == [MAY_ANSWER if unsure else one.heading for one in answers]


def test_an_answer_on_which_a_verdict_was_given_is_shown_plainly() -> None:
    likely = candidate("a", "The hall is old.", 0.7)
    assert unless_certain([likely], lambda passage: passage == likely.passage) == [likely]
