"""What belongs to an answer of the statements around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.spoken import SpokenTurn
from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.neighbours import REACH, around, belonging, with_belonging
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate
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


def passage(number: int, text: str, start: int = 0, name: str = "a.md", day: str = "") -> CandidatePassage:
    entry = make_entry(f"e{number}", text).model_copy(update={"metadata": {"source": name, "start": start}})
    return CandidatePassage(entry, Span(0, len(text)), lead=day)


def in_a_row(*texts: str, name: str = "a.md") -> list[CandidatePassage]:
    """Passages of a document, each in an entry of its own that begins where the one before ends."""
    starts = [sum(map(len, texts[:n])) for n in range(len(texts))]
    return [passage(n, text, start, name) for n, (text, start) in enumerate(zip(texts, starts, strict=True))]


@pytest.mark.parametrize(
    ("kind", "between", "belongs"),
    [
        (TaskKind.HOW, " ", True),
        (TaskKind.HOW, "\n", True),
        (TaskKind.HOW, "\n\n", False),  # another paragraph
        (TaskKind.WHO, " ", False),  # a name needs no second sentence
    ],
)
def test_the_next_sentence_belongs_to_the_answer_as_its_place_and_the_question_say(
    kind: TaskKind, between: str, *, belongs: bool
) -> None:
    entry = make_entry("e1", f"{FIRST}{between}{SECOND}")
    start = len(entry.text) - len(SECOND)
    answer, second = (CandidatePassage(entry, span) for span in (Span(0, len(FIRST)), Span(start, len(entry.text))))
    found = belonging(kind, "When are holidays asked for?", answer, [second, answer], Told({FIRST: 0.95, SECOND: 0.08}))
    assert [one.passage for one in found] == [second][:belongs]


@given(st.lists(st.sampled_from(["a.md", "b.md"]), min_size=1, max_size=12), st.data())
def test_what_stands_near_in_the_same_document_belongs_where_it_answers_as_surely(
    names: list[str], data: st.DataObject
) -> None:
    texts = [f"The hall has {n} doors." for n in range(len(names))]
    pool = [
        one
        for document in ("a.md", "b.md")
        for one in in_a_row(*(text for text, name in zip(texts, names, strict=True) if name == document), name=document)
    ]
    answer = data.draw(st.sampled_from(pool))
    own = [one for one in pool if one.document == answer.document]
    near = own[max(0, own.index(answer) - REACH) : own.index(answer) + REACH + 1]
    assert around(answer, data.draw(st.permutations(pool))) == near
    belong = belonging(TaskKind.LIST, "", answer, pool, Told(dict.fromkeys(texts, 0.6)))
    assert [one.passage for one in belong] == [one for one in near if one != answer]


def test_nothing_is_near_beyond_a_gap_or_in_another_turn() -> None:
    first, _, third = in_a_row(FIRST, "A line that memory did not find.", SECOND)
    assert around(first, [first, third]) == [first]
    turns = [SpokenTurn(start=0, said=0, end=20, speaker=name) for name in ("Ada", "Bo")]
    said, reply = (replace(one, turn=turn) for one, turn in zip(in_a_row(FIRST, SECOND), turns, strict=True))
    assert around(said, [said, reply]) == [said]


def test_what_stands_under_a_heading_of_another_day_does_not_belong() -> None:
    texts = ("The board met in Bern.", "The board met in Lille.")
    answer, other = (
        replace(one, lead=day) for one, day in zip(in_a_row(*texts), ("12 May 2024", "13 May 2024"), strict=True)
    )
    for question, count in (("Where did the board meet?", 1), ("Where did the board meet on 12 May 2024?", 0)):
        found = belonging(TaskKind.LIST, question, answer, [answer, other], Told(dict.fromkeys(texts, 0.6)))
        assert len(found) == count


@pytest.mark.parametrize(
    ("kind", "order"), [(TaskKind.HOW, [0, 1, 2, 3]), (TaskKind.LIST, [0, 1, 2, 3]), (TaskKind.WHY, [2, 1, 3, 0])]
)
def test_steps_and_lists_stand_in_their_order_and_other_answers_first(kind: TaskKind, order: list[int]) -> None:
    row = [Candidate(one, 0.9) for one in in_a_row("Mix it.", "Knead it.", "Let it rest.", "Bake it.")]
    assert with_belonging(kind, [row[2], row[0]], row[2], [row[3], row[1]]) == [row[n] for n in order]
