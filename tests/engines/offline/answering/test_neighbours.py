"""What belongs to an answer of the statements around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.neighbours import REACH, around, belonging
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from memory_bank.text.span import Span
from tests.builders import make_entry
from tests.judgement.rule_reader import RuleReader

FIRST, SECOND = "Tell the team early.", "For a week that is two weeks ahead."


class Told(RuleReader):
    """Says of each statement how likely it answers as it was told."""

    def __init__(self, told: Mapping[str, float]) -> None:
        self.told = told

    def answers(self, _question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
        return [FoundAnswer(self.told[one.text], 0, len(one.text)) for one in statements]


@pytest.mark.parametrize(
    ("kind", "between", "probability", "belongs"),
    [
        (TaskKind.HOW, " ", 0.6, True),
        (TaskKind.HOW, "\n", 0.6, True),
        (TaskKind.HOW, "\n\n", 0.001, False),  # another paragraph
        (TaskKind.WHO, " ", 0.001, False),  # a name needs no second sentence
    ],
)
def test_the_next_sentence_belongs_to_the_answer_as_its_place_its_likelihood_and_the_question_say(
    kind: TaskKind, between: str, probability: float, *, belongs: bool
) -> None:
    entry = make_entry("e1", f"{FIRST}{between}{SECOND}")
    start = len(entry.text) - len(SECOND)
    answer, second = (CandidatePassage(entry, span) for span in (Span(0, len(FIRST)), Span(start, len(entry.text))))
    reader = Told({FIRST: 0.95, SECOND: probability})
    found = belonging(kind, "When are holidays asked for?", answer, [second, answer], reader)
    assert [one.passage for one in found] == [second][:belongs]


@given(st.lists(st.sampled_from(["a.md", "b.md"]), min_size=1, max_size=12), st.data())
def test_only_what_stands_near_in_the_same_document_is_looked_at(names: list[str], data: st.DataObject) -> None:
    pool = [
        CandidatePassage(
            make_entry(f"e{n}", f"The hall has {n} doors.").model_copy(
                update={"metadata": {"source": name, "start": n}}
            ),
            Span(0, len(f"The hall has {n} doors.")),
        )
        for n, name in enumerate(names)
    ]
    answer = data.draw(st.sampled_from(pool))
    near = around(answer, pool)
    places = [one.position[1] for one in pool if one.document == answer.document]
    place = places.index(answer.position[1])
    assert answer in near
    assert [one.position[1] for one in near] == places[max(0, place - REACH) : place + REACH + 1]
    assert {one.document for one in near} == {answer.document}
    belong = belonging(TaskKind.FACT, "", answer, pool, Told({one.text: 0.99 for one in pool}))
    assert {one.passage for one in belong} <= set(near) - {answer}
