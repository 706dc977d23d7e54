"""What a task asks and orders, and the parts of a question that asks several things."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.answering.task_parts import asks, parts_of
from tests.judgement.rule_reader import RuleReader


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("When was the mill built?", {"When was the mill built?": []}),
        (
            "When was the mill built, and who owns it now?",
            {"When was the mill built, and who owns it now?": ["When was the mill built", "who owns it now"]},
        ),
        ("The mill is old. When was it built?", {"The mill is old. When was it built?": []}),
        (
            "I share a flat with one of the staff. May a flatmate apply?",
            {"I share a flat with one of the staff. May a flatmate apply?": []},
        ),
        (f"{'The staff like tea. ' * 20}May a flatmate apply?", {"May a flatmate apply?": []}),
        (
            "The mill is old. When was the mill built? Who owns the mill?",
            {"When was the mill built?": [], "Who owns the mill?": []},
        ),
        (
            "Holt Mill is old. When was Holt Mill built? List the owners of Holt Mill.",
            {"When was Holt Mill built?": [], "List the owners of Holt Mill.": []},
        ),
    ],
)
def test_each_question_and_order_is_told_with_its_parts(task: str, parts: dict[str, list[str]]) -> None:
    assert parts_of(task, RuleReader()) == parts


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("Is the mill old?", True),
        ("what will there be to eat", True),
        ("几点关门", True),
        ("Write an essay on what there is to eat.", False),
    ],
)
def test_a_question_has_its_mark_or_begins_with_a_question_word(text: str, *, is_question: bool) -> None:
    assert asks(text) is is_question
