"""What kind of task a person's sentences are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.app.demo import load_demo
from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.selection import ANSWERS
from memory_bank.judgement.pair_model import FoundAnswer, PairModel
from memory_bank.judgement.reader import SecondReader, shared_reader
from memory_bank.judgement.statement import Statement
from memory_bank.text.values.arithmetic import Computation


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_questions_of_the_demo_are_several(language: str) -> None:
    assert shared_reader().kind(load_demo(language).task) is TaskKind.SEVERAL


def test_one_question_after_a_statement_is_no_several() -> None:
    assert shared_reader().kind("The mill was sold. How many people work in the mill?") is TaskKind.COUNT


@pytest.mark.parametrize(
    ("question", "computation"),
    [
        ("By how much does the claim exceed the estimate?", Computation.DIFFERENCE),
        ("How much did we spend in all on paint, brushes and ladders?", Computation.SUM),
        ("What do the three invoices add up to?", Computation.SUM),
        ("Roughly how many metres of passage does the cave have?", Computation.NONE),
        ("How many days lay between the order and the delivery?", Computation.TIME),
        ("What does the room cost?", Computation.NONE),
        ("两份报价相差多少钱？", Computation.DIFFERENCE),
    ],
)
def test_what_a_question_asks_to_be_computed_is_told(question: str, computation: Computation) -> None:
    assert shared_reader().computation(question) is computation


class Networks:
    """Both networks in place of the trained ones: every statement answers with .6; the large one is asked nothing."""

    @property
    def small(self) -> Networks:
        return self

    @property
    def large(self) -> Networks:
        return self

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        del question
        return [FoundAnswer(0.6, 0, len(one.text)) for one in statements]

    def kind(self, task: str) -> TaskKind:
        del task
        return TaskKind.FACT

    def computation(self, question: str) -> Computation:
        del question
        return Computation.NONE

    def second_reading(self, question: str, statements: Sequence[Statement]) -> NDArray[np.float32]:
        del question
        assert not statements
        return np.zeros(0, np.float32)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("谁修好了钟楼的钟？", "钟楼的钟上个月修好了。"),
        ("Wer hat die Uhr im Turm repariert?", "Die Uhr im Turm wurde im vergangenen Monat repariert."),
    ],
)
def test_an_answer_that_the_large_network_cannot_read_must_be_surer(question: str, text: str) -> None:
    reader = SecondReader(cast(PairModel, Networks()))
    (found,) = reader.answers(question, [Statement(text)])
    assert found.probability < ANSWERS


def test_both_networks_tell_an_answer_from_a_statement_on_the_same_subject() -> None:
    question = "How much does a day ticket for the museum cost?"
    statements = [
        Statement("A day ticket costs nine euros for adults.", "Town museum"),
        Statement("Day tickets are sold at the desk in the entrance hall.", "Town museum"),
    ]
    answer, other = shared_reader().answers(question, statements)
    assert answer.probability >= ANSWERS > other.probability
