"""A question that needs a fact of each of two documents is answered with a passage of both."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.engines.offline.answering.question import answer
from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.memory import Memory
from tests.judgement.rule_judge import RuleJudge
from tests.judgement.rule_reader import RuleReader

QUESTION = "On which days can one ring the proposer of a later bus?"
MINUTES = "A later bus was the proposal of Greta Dorn. Glass broke at Market."
LEAFLET = "Greta Dorn answers on Tuesdays and Thursdays. The line has eleven stops."


class ReaderOfBoth(RuleReader):
    """Takes a statement for an answer that has both facts, and any with all of `alone`."""

    alone = "nothing"

    def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        del question
        return [
            FoundAnswer(
                0.8 if self.alone in one.text else 0.7 if "later" in one.text and "Tuesdays" in one.text else 0.1,
                0,
                len(one.text),
            )
            for one in statements
        ]


def quoted(documents: dict[str, str], reader: RuleReader) -> list[list[str]]:
    memory = Memory(documents)
    result = answer(memory.prompt(QUESTION), memory, HashEmbedder(), RuleJudge(), reader)
    return [[quote.text for quote in one.quotes] for one in result.statements]


def test_passages_of_two_documents_on_the_same_person_answer_together() -> None:
    assert quoted({"minutes.txt": MINUTES, "leaflet.txt": LEAFLET}, ReaderOfBoth()) == [
        ["A later bus was the proposal of Greta Dorn.", "Greta Dorn answers on Tuesdays and Thursdays."]
    ]


@pytest.mark.parametrize(
    "leaflet",
    ["The office answers on Tuesdays and Thursdays.", "Jan Roth answers on Tuesdays, on which days one can ring."],
)
def test_passages_with_nothing_in_common_but_the_question_are_not_joined(leaflet: str) -> None:
    assert quoted({"minutes.txt": MINUTES, "leaflet.txt": leaflet}, ReaderOfBoth()) == []


def test_passages_of_one_document_are_not_joined() -> None:
    assert quoted({"minutes.txt": f"{MINUTES} {LEAFLET}"}, ReaderOfBoth()) == []


def test_a_likelier_passage_answers_alone() -> None:
    reader = ReaderOfBoth()
    reader.alone = "eleven stops"
    assert quoted({"minutes.txt": MINUTES, "leaflet.txt": LEAFLET}, reader) == [["The line has eleven stops."]]


def test_what_a_reference_source_contradicts_is_not_joined() -> None:
    memory = Memory({"minutes.txt": MINUTES, "leaflet.txt": LEAFLET}, {"list.txt": MINUTES.replace("was", "was not")})
    result = answer(memory.prompt(QUESTION), memory, HashEmbedder(), RuleJudge(), ReaderOfBoth())
    assert result.statements == ()


def test_what_is_in_dispute_is_not_joined() -> None:
    memory = Memory({"minutes.txt": MINUTES, "leaflet.txt": LEAFLET})
    memory.disagree("Greta Dorn answers", "Glass broke", "inconclusive")
    result = answer(memory.prompt(QUESTION), memory, HashEmbedder(), RuleJudge(), ReaderOfBoth())
    assert not any("Tuesdays" in quote.text for one in result.statements for quote in one.quotes)
