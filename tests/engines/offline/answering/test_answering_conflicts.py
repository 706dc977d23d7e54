"""Only disputes that bear on a question are shown under it."""

from __future__ import annotations

import pytest

from memory_bank.agents.react import StepResult
from memory_bank.engines.offline.answering.question import answer
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge
from tests.judgement.rule_reader import RuleReader

REFUSAL = "The planning permission was refused for the launch in March because of the old beech."
ENGINE = "The launch was refused a new engine."
OTHER = "The launch was given a new engine in May."


def ask(question: str) -> StepResult:
    memory = FakeTools({"minutes.txt": REFUSAL, "a.txt": ENGINE, "b.txt": OTHER})
    memory.disagree(ENGINE, OTHER, "inconclusive")
    return answer(memory.prompt(question), memory, HashEmbedder(), RuleJudge(), RuleReader())


@pytest.mark.parametrize(
    ("question", "quoted", "disputes"),
    [
        ("Why was permission refused for the launch?", [REFUSAL], 0),
        ("Was the launch given a new engine?", [], 1),
    ],
)
def test_a_dispute_is_shown_where_its_sides_answer_as_likely_as_the_best_passage(
    question: str, quoted: list[str], disputes: int
) -> None:
    result = ask(question)
    assert [one.quotes[0].text for one in result.statements] == quoted
    assert len(result.conflicts) == disputes
