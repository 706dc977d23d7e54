"""The lines of an answer, and the numbers that end them."""

from __future__ import annotations

import time

import pytest

from memory_bank.bank.answer import NO_PASSAGE, UNCONFIRMED, UNCONFIRMEDS, Answer, Citation, Dispute
from memory_bank.session.answer_lines import answer_statements, comparison_table, sides

DISPUTE = Dispute(conflict_id="x1", sides=("a.md: “6,650 km” [2]", "b.md: “6,853\nkm” [1]"))
DISPUTED = "\n\nIn dispute, with no evidence that settles it:\n- a.md: “6,650 km” [2]\n- b.md: “6,853\nkm” [1]"


def answer(text: str, *disputed: Dispute) -> Answer:
    citations = tuple(Citation(number=n, entry_id="e1", start=0, end=1, source="a.md") for n in (1, 2))
    return Answer(text=text, affirmed="", disputed=disputed, citations=citations)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("It was 1970. [1]", [("It was 1970.", [1], True)]),
        ("It was 1970. [1][2]\nIt is long. [2]", [("It was 1970.", [1, 2], True), ("It is long.", [2], True)]),
        ("“A row\nand another.” [1]", [("“A row and another.”", [1], True)]),
        ("“Built in 1970 [2]\nand cost much.” [1]", [("“Built in 1970 [2] and cost much.”", [1], True)]),
        (
            "“Built [2]\n\nin\n- 1970 [2]\nat last.” [1]\n1970: “So [1]\nit is.” [2]",
            [("“Built [2] in - 1970 [2] at last.”", [1], True), ("1970: “So [1] it is.”", [2], True)],
        ),
        (f"“So [1]\nit is.” {NO_PASSAGE}\nIt is. [1]", [("“So [1] it is.”", [], False), ("It is.", [1], True)]),
        ("“He said “no” [1]\n“Why” [2]", [("“He said “no”", [1], True), ("“Why”", [2], True)]),
        ("It reads “1970 [1]\nIt is long. [2]", [("It reads “1970", [1], True), ("It is long.", [2], True)]),
        ("It reads “1970”. [1]\nIt is “long”. [2]", [("It reads “1970”.", [1], True), ("It is “long”.", [2], True)]),
        ("As [1] says, it is so. [2]", [("As [1] says, it is so.", [2], True)]),
        ("Nobody knows [7]", [("Nobody knows [7]", [], True)]),
        (f"It may be. {NO_PASSAGE}\nIt is. [1]", [("It may be.", [], False), ("It is.", [1], True)]),
        (
            f"It may be. [1][2] {UNCONFIRMED}\nEs sei. [1] {UNCONFIRMEDS['zh']}\nIt is. [1]",
            [("It may be.", [1, 2], False), ("Es sei.", [1], False), ("It is.", [1], True)],
        ),
        (f"“So [1]\nit is.” [1] {UNCONFIRMED}\nIt is. [1]", [("“So [1] it is.”", [1], False), ("It is.", [1], True)]),
        (f"Nobody knows [7] {UNCONFIRMED}", [("Nobody knows [7]", [], False)]),
        (f"Nobody knows [1] {NO_PASSAGE}", [("Nobody knows [1]", [], False)]),
        ("", []),
    ],
)
def test_an_answer_falls_into_statements_with_their_numbers(
    text: str, lines: list[tuple[str, list[int], bool]]
) -> None:
    found = answer_statements(answer(text))
    assert [(line.text, [one.number for one in line.citations], line.founded) for line in found] == lines


@pytest.mark.parametrize("text", ["“a [1]\n", "“[1]\n", "[1]", "”\n\n“"])
def test_an_answer_that_somebody_made_up_falls_apart_quickly(text: str) -> None:
    began = time.process_time()
    answer_statements(answer(text * 40_000 + "”"))
    assert time.process_time() - began < 2


def test_disputes_are_said_apart() -> None:
    given = answer(f"It was 1970. [1]{DISPUTED}", DISPUTE)
    assert [line.text for line in answer_statements(given)] == ["It was 1970."]
    assert [(line.text, line.citations[0].number) for line in sides(DISPUTE, given)] == [
        ("a.md: “6,650 km”", 2),
        ("b.md: “6,853 km”", 1),
    ]


def test_a_heading_stands_above_its_statements_and_is_none_itself() -> None:
    found = answer_statements(answer("## Only in a.md\n\n“It is long.” [1]\n\n## Changed\n\na.md: “So.” [2]"))
    assert [(line.text, line.heading) for line in found] == [
        ("Only in a.md", True),
        ("“It is long.”", False),
        ("Changed", True),
        ("a.md: “So.”", False),
    ]


COMPARED = (
    "## Fee\n\nA: “It is 5.” [1]\nB: “It is 6.” [2]\n\n## Time\n\nA: “An hour.” [1]\n\n"
    "## Size\n\nA: “Big.” [1]\nB: “Small.” [2]\n\n"
    "## Rest\n\nB: “Red.” [2]\nA: “Blue.” [1]"
)


def test_quotations_of_two_things_under_headings_are_a_table() -> None:
    table = comparison_table(answer_statements(answer(COMPARED)))
    assert table is not None
    assert table.columns == ("A", "B")
    assert [(row, [cell.text for cell in cells]) for row, cells in table.rows] == [
        ("Fee", ["“It is 5.”", "“It is 6.”"]),
        ("Size", ["“Big.”", "“Small.”"]),
    ]
    assert all(cell.citations for _, cells in table.rows for cell in cells)


def test_what_only_one_of_the_two_says_stands_below_the_table() -> None:
    table = comparison_table(answer_statements(answer(COMPARED)))
    assert table is not None
    assert [(line.text, line.heading) for line in table.rest] == [
        ("Time", True),
        ("A: “An hour.”", False),
        ("Rest", True),
        ("B: “Red.”", False),
        ("A: “Blue.”", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Fee\n\nA: “It is 5.” [1]\nB: “It is 6.” [2]",
        "## Fee\n\nA: “It is 5.” [1]\n\n## Time\n\n“An hour.” [2]",
        "## Fee\n\nA: “It is 5.” [1]\n\n## Time\n\nA: “An hour.” [2]",
        "## Fee\n\nA: “It is 5.” [1]\n\n## Time\n\nB: “An hour.” [2]",
        "3 May: “It opened.” [1]\n4 May: “It closed.” [2]",
    ],
)
def test_other_answers_are_no_table(text: str) -> None:
    assert comparison_table(answer_statements(answer(text))) is None
