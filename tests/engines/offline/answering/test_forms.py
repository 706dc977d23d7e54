"""The forms of answer: time lines, summaries, lists, what stands under a heading, and no answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.agents.react import StepResult
from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.answering.selection import MAY_ANSWER
from memory_bank.judgement.pair_model import FoundAnswer
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge
from tests.judgement.rule_reader import RuleReader

MINUTES = (
    "# Minutes\n\n## Hall\n\nThe hall was built in 1926 by the volunteers. "
    "The hall reopens on 20 April 2024 with music.\n\n"
    "## Bus\n\nThe bus stops at the school from 1 September 2024. Brandt writes to the company before 30 April. "
    "The evening bus has few passengers nowadays, she says."
)
LETTER = "The flower show is on 10 August 2024.\nThe evening bus stays until December 2024."
PAPERS = {"minutes.md": MINUTES, "letter.md": LETTER}


def ask(task: str, kind: TaskKind, documents: dict[str, str], references: dict[str, str] | None = None) -> StepResult:
    memory = FakeTools(documents, references)
    return answer(memory.prompt(task, kind=kind), memory, HashEmbedder(), RuleJudge(), RuleReader())


def quoted(result: StepResult) -> list[str]:
    return [quote.text for statement in result.statements for quote in statement.quotes]


def test_a_time_line_has_every_date_in_order_whatever_the_task_is_worded_like() -> None:
    result = ask("List all dates", TaskKind.DATES, PAPERS)
    assert [statement.value for statement in result.statements] == [
        "1926", "20 April 2024", "30 April", "10 August 2024", "1 September 2024", "December 2024",
    ]  # fmt: skip


def test_a_time_line_of_a_subject_has_the_dates_of_the_subject() -> None:
    result = ask("Draw up a time line of the flower show", TaskKind.DATES, PAPERS)
    assert [statement.value for statement in result.statements] == ["10 August 2024"]


def test_a_time_line_without_a_subject_has_every_date_though_one_sentence_has_the_words_of_the_task() -> None:
    documents = {"a.md": "All dates of this list hold until 3 May 2024.", "b.md": "The show is on 10 August 2024."}
    assert len(ask("List all dates", TaskKind.DATES, documents).statements) == 2


def test_a_date_in_a_heading_is_that_of_the_sentence_under_it() -> None:
    plan = "# Journey 2026\n\n## Sunday 3 May\n\nBoat to Tua. Dinner is at eight.\n\n## 2 May\n\nFlight to Porto."
    result = ask("List all dates", TaskKind.DATES, {"plan.md": plan})
    assert [(one.value, one.quotes[0].text) for one in result.statements] == [
        ("2 May", "Flight to Porto."), ("3 May", "Boat to Tua."),
    ]  # fmt: skip


def test_what_changed_of_a_subject_has_only_what_is_about_it() -> None:
    documents = {
        "march.md": "# Minutes\n\n## 1. Fair\n\nThe fair is on 11 July.\n\n## 2. Rents\n\nThe rent is £30 a plot.",
        "april.md": "# Minutes\n\n## 1. Fair\n\nThe fair is on 18 July.\n\n## 2. Rents\n\nThe rent is £35 a plot.",
    }
    about_all = ask("What changed between the two versions?", TaskKind.CHANGES, documents)
    of_fair = ask("What changed about the fair?", TaskKind.CHANGES, documents)
    assert {one.heading for one in about_all.statements} == {"1. Fair", "2. Rents"}
    assert quoted(of_fair) == ["The fair is on 11 July.", "The fair is on 18 July."]


def test_a_date_said_twice_stands_once_in_a_time_line() -> None:
    documents = {"a.md": "The show is on 10 August 2024.", "b.md": "The show is on 10 August 2024."}
    assert len(ask("List all dates", TaskKind.DATES, documents).statements) == 1


def test_a_date_in_dispute_is_not_in_the_time_line_and_its_dispute_is_named() -> None:
    memory = FakeTools(
        {"a.md": "The show is on 10 August 2024. Entry is free.", "b.md": "The show is on 11 August 2024."}
    )
    conflict = memory.disagree("10 August", "11 August", "inconclusive")
    prompt = memory.prompt("List all dates", kind=TaskKind.DATES)
    result = answer(prompt, memory, HashEmbedder(), RuleJudge(), RuleReader())
    assert (quoted(result), result.conflicts) == ([], (conflict.id,))


def test_a_summary_of_a_subject_has_only_what_is_about_it() -> None:
    result = ask("Summarise what is said about the bus", TaskKind.SUMMARY, PAPERS)
    assert len(quoted(result)) == 4
    assert not any("hall" in text or "flower" in text for text in quoted(result))
    assert {statement.heading for statement in result.statements} == {"minutes.md", "letter.md"}


def test_a_summary_of_one_document_is_under_its_sections() -> None:
    result = ask("Summarise the minutes", TaskKind.SUMMARY, PAPERS)
    assert {statement.heading for statement in result.statements} == {"Hall", "Bus"}
    assert {quote.source for statement in result.statements for quote in statement.quotes} == {"minutes.md"}


def test_a_summary_has_five_to_eight_sentences() -> None:
    text = " ".join(f"In year {n} the town of Holt built the {word} beside its river." for n, word in enumerate(
        ("mill", "church", "bridge", "school", "tower", "market", "harbour", "theatre", "library", "station"), 1901
    ))  # fmt: skip
    assert 5 <= len(quoted(ask("Summarise the documents", TaskKind.SUMMARY, {"holt.md": text}))) <= 8


RETURNS = (
    "## How do I return an item?\n\nPrint the label. Put everything in its box. Hand it in at a post office.\n\n"
    "## Do you ship abroad?\n\nYes, to all countries of the union."
)


def test_where_a_heading_is_the_question_what_follows_it_is_the_answer() -> None:
    result = ask("How do I return an item?", TaskKind.HOW, {"shop.md": RETURNS})
    assert quoted(result) == ["Print the label.", "Put everything in its box.", "Hand it in at a post office."]


def test_where_a_sentence_is_the_question_what_follows_it_is_the_answer() -> None:
    text = "Welcome. How do I return an item? Print the label. Do you ship abroad? Yes, to all countries of the union."
    assert quoted(ask("How do I return an item?", TaskKind.FACT, {"shop.md": text})) == ["Print the label."]


def test_the_items_of_a_list_belong_together() -> None:
    text = "# Things to bring to the show\n\n- a jam jar\n- labels\n- a folding chair\n\n# Prizes\n\n- a silver cup\n"
    result = ask("Which things to bring to the show", TaskKind.LIST, {"show.md": text})
    assert quoted(result) == ["a jam jar", "labels", "a folding chair"]


def test_how_many_is_not_answered_without_a_number() -> None:
    documents = {"a.md": "Many dogs live in the village."}
    assert quoted(ask("How many dogs live in the village?", TaskKind.COUNT, documents)) == []
    assert quoted(ask("Which dogs live in the village?", TaskKind.FACT, documents)) != []


def test_how_many_is_answered_in_words_where_no_words_for_numbers_can_be_read() -> None:
    documents = {"a.md": "Der Eintritt kostet für alle Gäste vier Euro."}
    assert quoted(ask("Was kostet der Eintritt für alle Gäste?", TaskKind.COUNT, documents)) != []


def test_a_german_noun_is_no_name_that_an_answer_must_have() -> None:
    documents = {"a.md": "Karten kosten zwölf Euro und gelten den ganzen Tag."}
    assert quoted(ask("Was kosten Karten, die den ganzen Tag gelten, am Schalter?", TaskKind.FACT, documents)) != []
    named = "Was kosten Karten, die den ganzen Tag gelten, bei Anna Huber?"
    assert quoted(ask(named, TaskKind.FACT, documents)) == []


def test_a_sum_is_shown_with_its_parts() -> None:
    documents = {"a.md": "The roof repair cost £4,200. The painting cost £950. It has a slate roof."}
    (statement,) = ask("What do the roof repair and the painting cost together?", TaskKind.COUNT, documents).statements
    assert statement.value == "difference £3,250, sum £5,150"
    assert [quote.text for quote in statement.quotes] == ["The roof repair cost £4,200.", "The painting cost £950."]


def test_where_two_figures_are_asked_for_they_are_not_added_up() -> None:
    documents = {"a.md": "The roof repair cost £4,200. The painting cost £950. It has a slate roof."}
    asked = "How much did the roof repair cost, and how much did the painting cost?"
    result = ask(asked, TaskKind.SEVERAL, documents)
    assert {"The roof repair cost £4,200.", "The painting cost £950."} <= set(quoted(result))
    assert all(statement.value is None for statement in result.statements)


def test_what_a_reference_contradicts_is_not_affirmed_but_the_reference_is_quoted() -> None:
    references = {"register.txt": "The hall was built in 1931 by the volunteers."}
    result = ask("Summarise what is said about the hall", TaskKind.SUMMARY, {"minutes.md": MINUTES}, references)
    assert "The hall was built in 1931 by the volunteers." in quoted(result)
    assert not any("1926" in text for text in quoted(result))
    of_reference = [one for one in result.statements if one.quotes[0].source == "register.txt"]
    assert [one.heading for one in of_reference] == [None], "the headings are those of the minutes"


def test_two_values_of_one_document_are_not_affirmed_side_by_side() -> None:
    documents = {"a.md": "The hall cost £4,200. The hall cost £4,800."}
    assert len(quoted(ask("How much did the hall cost?", TaskKind.COUNT, documents))) == 1


def test_without_an_answer_the_nearest_passages_are_named() -> None:
    result = ask("Who painted the ceiling?", TaskKind.WHO, PAPERS)
    assert result.statements == ()
    assert "Searched: minutes.md, letter.md" in result.answer
    assert len(result.nearest) == 3


def test_a_question_of_the_documents_is_answered_by_all_that_follows_it_with_a_short_reply_too() -> None:
    faq = "# Pump\n\n### Can the water run off through a hose?\n\nYes. Push a water hose on. It must fall.\n"
    documents = {"faq.md": faq, "other.md": "The other pump empties the tank."}
    result = ask("Can the water run off through a hose?", TaskKind.FACT, documents)
    assert quoted(result) == ["Yes. Push a water hose on.", "It must fall."]


def test_a_list_is_read_as_one_with_its_label() -> None:
    text = "Gill obtained three quotes for shed insurance:\n- Greenway: £168\n- Norfolk: £195\n\nThe meeting closed."
    result = ask("Which quotes for shed insurance did Gill obtain?", TaskKind.LIST, {"minutes.md": text})
    assert quoted(result) == ["Greenway: £168", "Norfolk: £195"]


def test_a_list_under_a_like_heading_that_does_not_answer_is_none() -> None:
    class Silent(RuleReader):
        def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
            return [one._replace(probability=0.1) for one in super().answers(question, statements)]

    text = "# Race\n\n## Aid stations of the race\n\n- Wear a vest at all times\n- Take all litter home\n"
    memory = FakeTools({"rules.md": text})
    prompt = memory.prompt("Which aid stations of the race?", kind=TaskKind.LIST)
    for reader, found in ((RuleReader(), ["Wear a vest at all times", "Take all litter home"]), (Silent(), [])):
        assert quoted(answer(prompt, memory, HashEmbedder(), RuleJudge(), reader)) == found


def test_what_may_be_the_answer_is_not_told_as_one_in_the_plan_either() -> None:
    documents = {"a.md": "The ceiling of the old library was painted by Ann. The hall is new."}
    result = ask("Who painted the chapel ceiling white?", TaskKind.WHO, documents)
    assert [one.unsure for one in result.statements] == [True]
    assert result.answer.startswith(f"{MAY_ANSWER}: The ceiling")


@pytest.mark.parametrize(("kind", "count"), [(TaskKind.HOW, 3), (TaskKind.WHY, 0)])
def test_where_no_passage_answers_a_list_may_as_a_whole(kind: TaskKind, count: int) -> None:
    duties = ["shut all windows", "put out the lamps", "bring in the sign"]
    text = "Whoever locks the clubhouse late must see to this:\n" + "\n".join(f"- {duty}" for duty in duties)
    result = ask("How are windows, lamps and sign of the clubhouse left?", kind, {"rules.md": text})
    assert len([one for one in quoted(result) if one in duties]) == count


def test_a_list_that_answers_for_certain_is_affirmed_another_one_may_answer() -> None:
    class Doubtful(RuleReader):
        def answers(self, question: str, statements: Sequence[Statement]) -> list[FoundAnswer]:
            found = super().answers(question, statements)
            return [one._replace(probability=0.7 * one.probability) for one in found]

    text = "Whoever locks the clubhouse must see to windows and lamps:\n- shut these\n- put out those"
    memory = FakeTools({"rules.md": text})
    prompt = memory.prompt("How are windows and lamps of the clubhouse left?", kind=TaskKind.HOW)
    for reader, unsure in ((RuleReader(), False), (Doubtful(), True)):
        result = answer(prompt, memory, HashEmbedder(), RuleJudge(), reader)
        assert [(quote, one.unsure) for quote, one in zip(quoted(result), result.statements, strict=True)] == [
            ("shut these", unsure),
            ("put out those", unsure),
        ]


def test_a_point_in_dispute_is_no_row_of_a_comparison_but_is_named() -> None:
    memory = FakeTools(
        {"a.md": "The fee is 5 euros. The room is blue.", "b.md": "The fee is 6 euros. The room is red."}
    )
    conflict = memory.disagree("5 euros", "6 euros", "inconclusive")
    prompt = memory.prompt("Compare the documents.", kind=TaskKind.COMPARISON)
    result = answer(prompt, memory, HashEmbedder(), RuleJudge(), RuleReader())
    assert quoted(result) == ["The room is blue.", "The room is red."]
    assert result.conflicts == (conflict.id,)


def test_a_question_for_a_day_is_answered_by_what_stands_under_that_day() -> None:
    plan = "# Journey 2026\n\n## 2 May\n\nThe nights are at Casa Bolhao.\n\n## 4 May\n\nThe nights are at Ermida."
    result = ask("Where are the nights of 4 May?", TaskKind.FACT, {"plan.md": plan})
    assert quoted(result) == ["The nights are at Ermida."]


def test_a_summary_is_no_single_sentence_where_others_have_words_of_its_subject_too() -> None:
    text = (
        "Drivers expect the bridge closed for repair. The bridge closes at dawn in early spring. "
        "The repair takes ten weeks until summer. Drivers go round by Sallow Lane. "
        "The county council pays the repair bill. Bakers sell fresh white bread."
    )
    task = "Summarise what drivers expect while the bridge is closed for repair"
    assert len(quoted(ask(task, TaskKind.SUMMARY, {"letter.md": text}))) == 5


def test_a_summary_takes_numbered_paragraphs_for_prose_and_names_what_is_in_dispute() -> None:
    minutes = (
        "1. The roof of the barn was mended in May by two masons from the village. They stayed a week.\n"
        "2. The orchard gave less fruit than in other years because of a late frost.\n"
        "3. The fee for members is 5 euros.\n"
        "- Apples\n- Pears\n"
    )
    memory = FakeTools({"minutes.md": minutes, "letter.md": "The fee for members is 6 euros."})
    conflict = memory.disagree("5 euros", "6 euros", "inconclusive")
    prompt = memory.prompt("Summarise the minutes.", kind=TaskKind.SUMMARY)
    result = answer(prompt, memory, HashEmbedder(), RuleJudge(), RuleReader())
    text = " ".join(quoted(result))
    assert "two masons" in text
    assert "late frost" in text
    assert "Apples" not in text
    assert "euros" not in text
    assert result.conflicts == (conflict.id,)


def test_a_summary_leaves_out_lists_of_names_and_other_fields_of_a_form() -> None:
    minutes = (
        "# Minutes\n\nPresent: Ann Hale (chair), Ben Stone, Cora Dow; Apologies: Eve Long, Finn Moor\n"
        "Minutes taken by: Cora Dow\n\nThe committee renews the fence along the brook. "
        "Ben Stone asks three firms for an offer.\n\nNext meeting: 8 April 2024\n"
    )
    sheet = "Name: Garden pump\nVoltage: 230 V\nColours: red, blue"
    alone, beside = (
        quoted(ask("Summarise the documents.", TaskKind.SUMMARY, documents))
        for documents in ({"minutes.md": minutes}, {"minutes.md": minutes, "sheet.txt": sheet})
    )
    assert alone == ["The committee renews the fence along the brook.", "Ben Stone asks three firms for an offer."]
    assert beside[:2] == alone
    assert len(beside) > 2, "a document of fields only is summed up by these"


def test_the_rows_of_a_table_are_listed_though_a_sentence_introduces_it() -> None:
    text = (
        "# Club\n\nFees are due in March each year.\n\n## Boats\n\nAll of these lie in the shed by the river.\n\n"
        "| Name | Seats |\n|---|---|\n| Heron | 4 |\n| Otter | 8 |\n"
    )
    assert quoted(ask("List all boats", TaskKind.LIST, {"club.md": text})) == ["| Heron | 4 |", "| Otter | 8 |"]
