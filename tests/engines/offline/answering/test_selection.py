"""Which passages of several documents are chosen to answer, given how likely each of them is to do so."""

from __future__ import annotations

import pytest

from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import MAY_ANSWER, Candidate, choose, perhaps
from memory_bank.judgement.judge import NoJudge
from memory_bank.text.span import Span
from tests.builders import make_entry


def candidate(document: str, text: str, probability: float, answer: str = "") -> Candidate:
    entry = make_entry(f"e{document}", text).model_copy(update={"metadata": {"source": f"{document}.txt"}})
    return Candidate(CandidatePassage(entry, Span(0, len(text))), probability, answer)


def chosen(kind: TaskKind, *candidates: Candidate) -> list[str]:
    ranked = sorted(candidates, key=lambda one: -one.probability)
    return [one.passage.document for one in choose(kind, ranked, set(), NoJudge())]


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
    ("between", "probability", "count"), [(" ", 0.6, 2), ("\n", 0.6, 2), ("\n\n", 0.6, 1), (" ", 0.4, 1)]
)
def test_the_next_sentence_of_the_paragraph_belongs_to_the_answer_where_it_answers_too(
    between: str, probability: float, count: int
) -> None:
    first, second = "Tell the team early.", "For a week that is two weeks ahead."
    entry = make_entry("e1", f"{first}{between}{second}")
    start = len(entry.text) - len(second)
    spans = (Span(0, len(first)), Span(start, len(entry.text)))
    ranked = [
        Candidate(CandidatePassage(entry, span), one) for span, one in zip(spans, (0.95, probability), strict=True)
    ]
    assert len(choose(TaskKind.WHEN, ranked, set(), NoJudge())) == count
