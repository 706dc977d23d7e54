"""Answers computed from several passages, shown with them."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.answering.computing import (
    WORTH_COMPUTING,
    computed_as_asked,
    computed_from_list,
    computed_from_parts,
)
from memory_bank.engines.offline.answering.passages import CandidatePassage, passages_of
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.text.values.arithmetic import Computation
from tests.engines.offline.fake_tools import FakeTools

HALL = (
    "The roof repair cost £4,200. The painting cost £950. The new door cost £800. It has a slate roof. "
    "The repair began on 3 February 2024. The hall reopened on 20 April 2024."
)


def pool(text: str) -> list[CandidatePassage]:
    return passages_of(["n1"], FakeTools({"hall.md": text}))


def of_parts(asked: str, text: str = HALL, probability: float = 0.5) -> tuple[str | None, list[str]] | None:
    found = computed_from_parts(asked, [Candidate(passage, probability) for passage in pool(text)], set())
    return (found.label, [found.passage.text, *(one.text for one in found.beside)]) if found else None


@pytest.mark.parametrize(
    ("asked", "label", "parts"),
    [
        ("What do the roof repair and the painting cost together?", "difference £3,250, sum £5,150", 2),
        ("What do the roof repair, the painting and the door cost together?", "sum £5,950", 3),
        (
            "How many days lie between the day it began and the day the hall reopened?",
            "difference 77 days",
            2,
        ),
    ],
)
def test_the_parts_of_a_question_are_computed_with(asked: str, label: str, parts: int) -> None:
    found = of_parts(asked)
    assert found is not None
    assert (found[0], len(found[1])) == (label, parts)


@pytest.mark.parametrize(
    "asked",
    ["What does the roof repair cost?", "What do the roof repair and the organ cost together?", "Why is it cold?"],
)
def test_nothing_is_computed_without_a_figure_for_each_part(asked: str) -> None:
    assert of_parts(asked) is None


def test_nothing_is_computed_of_passages_of_which_none_answers() -> None:
    assert of_parts("What do the roof repair and the painting cost together?", probability=0.4) is None


def test_figures_of_different_units_are_not_computed_with() -> None:
    assert (
        of_parts("What do the lamp and the bell have together?", "The lamp costs 49 euros. The bell weighs 3 kg.")
        is None
    )


@pytest.mark.parametrize(
    ("computation", "label"),
    [
        (Computation.DIFFERENCE, "difference £3,250"),
        (Computation.SUM, "sum £5,150"),
        (Computation.TIME, "difference 77 days"),
        (Computation.NONE, None),
    ],
)
def test_the_two_likeliest_passages_with_what_is_asked_are_computed_with(
    computation: Computation, label: str | None
) -> None:
    ranked = [Candidate(passage, 0.9 - n / 10) for n, passage in enumerate(pool(HALL))]
    found = computed_as_asked(computation, ranked, set())
    assert (found and found.label) == label


def test_neither_what_is_in_dispute_nor_what_is_unlikely_is_computed_with() -> None:
    first, second, third, *_ = (Candidate(passage, 0.9) for passage in pool(HALL))
    assert computed_as_asked(Computation.SUM, [first, second], {first.passage}) is None
    assert computed_as_asked(Computation.SUM, [first, Candidate(second.passage, WORTH_COMPUTING / 2)], set()) is None
    likely_at_most = [Candidate(one.passage, 0.4) for one in (first, second)]
    assert computed_as_asked(Computation.SUM, likely_at_most, set()) is None
    found = computed_as_asked(Computation.SUM, [first, second, third], {second.passage})
    assert found
    assert found.label == "sum £5,000"


def test_what_two_documents_tell_of_one_sum_is_not_added_up() -> None:
    tools = FakeTools({"offer.md": "The price is £900, tax included.", "letter.md": "It cost us £900."})
    ranked = [Candidate(passage, 0.9) for passage in passages_of(["n1", "n2"], tools)]
    assert len(ranked) == 2
    assert computed_as_asked(Computation.SUM, ranked, set()) is None


def test_passages_with_several_figures_of_one_unit_are_not_computed_with() -> None:
    ranked = [Candidate(one, 0.9) for one in pool("The hall cost £900 in May and £800 in June. The barn cost £500.")]
    assert computed_as_asked(Computation.DIFFERENCE, ranked, set()) is None


TABLE = "# Costs of the fair\n\n| Item | Cost | People |\n|---|---|---|\n| Tent | £120 | 4 |\n| Band | £300 | 5 |\n"


@pytest.mark.parametrize(
    ("asked", "text", "label"),
    [
        (
            "How many things do I bring?",
            "# Things to bring\n\n- a jar\n- labels with your name\n- a chair\n",
            "3 items",
        ),
        ("What does the fair cost in total?", TABLE, "2 items, sum £420"),
        ("What does the fair cost in total?", TABLE + "| Total | £420 | 9 |\n", "2 items, sum £420"),
        ("How high are the fees?", "# Fees\n\n- entry 2 euros\n- stall 10 euros\n", "2 items, sum 12 euros"),
        ("What does the tent cost?", TABLE, None),
        ("How many dogs are there?", TABLE, None),
        ("How many things do I bring?", "# Things to bring\n\n- a jar\n", None),
    ],
)
def test_a_list_under_the_heading_asked_about_is_counted_and_added_up(asked: str, text: str, label: str | None) -> None:
    found = computed_from_list(asked, pool(text))
    assert (found.label if found else None) == label
