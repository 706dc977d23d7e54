"""What kind of task a person's sentences are."""

from __future__ import annotations

import pytest

from memory_bank.app.demo import load_demo
from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.reader import shared_reader


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_questions_of_the_demo_are_several(language: str) -> None:
    assert shared_reader().kind(load_demo(language).task) is TaskKind.SEVERAL


def test_one_question_after_a_statement_is_no_several() -> None:
    assert shared_reader().kind("The mill was sold. How many people work in the mill?") is TaskKind.COUNT
