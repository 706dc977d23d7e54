"""Answering without a model, from a small memory: exact quotations, and no answer rather than an irrelevant one."""

from __future__ import annotations

import pytest

from memory_bank.agents.react import AnswerStatement, StepResult
from memory_bank.bank.conflict import Evidence, Verdict
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.engines.offline.answering.opposing import DIFFERENT
from memory_bank.engines.offline.answering.question import NO_CONTRADICTION, answer
from memory_bank.engines.offline.answering.selection import MOST_ITEMS, MOST_OF_SEVERAL
from memory_bank.judgement.judge import NoJudge
from memory_bank.judgement.reader import NoReader
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge
from tests.judgement.rule_reader import RuleReader

MILL = (
    "Beacon Mill is a smock mill near Benenden in Kent. Beacon Mill was built in 1772 by Humphrey Parrish. "
    "The mill has four floors and is 21 m tall. Its sails were removed after a storm. It last worked in 1955."
)
DAM = (
    "The Aswan High Dam stands on the Nile. It was completed in 1970 after ten years of work. "
    "The dam is 3,830 m long and 111 m high. About 90,000 people had to move. Its reservoir is Lake Nasser."
)
DOCUMENTS = {"mill.txt": MILL, "dam.txt": DAM}


def ask(question: str, memory: FakeTools | None = None) -> tuple[StepResult, list[str], FakeTools]:
    """The step's result, its quotations, and the memory."""
    memory = memory or FakeTools(DOCUMENTS)
    result = answer(memory.prompt(question), memory, HashEmbedder(), RuleJudge(), RuleReader())
    texts = {entry.id: entry.text for entry in memory.entries.values()} | {
        name: text for _, name, text in memory.references
    }
    return result, [_quoted(one, texts) for one in result.statements], memory


def _quoted(statement: AnswerStatement, texts: dict[str, str]) -> str:
    """The passage of a statement; also checks that it is in its entry or reference."""
    (quote,) = statement.quotes
    assert texts[quote.entry_id or quote.source][quote.start : quote.end] == quote.text
    return quote.text


# -- what answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When was Beacon Mill built?", ["Beacon Mill was built in 1772 by Humphrey Parrish."]),
        ("When was Beacon Mill built, and how long is the dam?", ["Beacon Mill was built in 1772", "3,830 m long"]),
        ("When was Beacon Mill built and how long is the dam and how high is it?", ["in 1772", "111 m high"]),
        ("Summarise it. When was Beacon Mill built?", ["Beacon Mill", "Dam", "Beacon Mill was built in 1772"]),
    ],
)
def test_each_part_is_answered_with_whole_sentences(question: str, wanted: list[str]) -> None:
    _, quotes, _ = ask(question)
    quoted = " ".join(quotes)
    assert all(text in quoted for text in wanted)
    assert len(set(quotes)) == len(quotes)


def test_a_list_has_its_items_in_document_order() -> None:
    memory = FakeTools(
        {"a.txt": "Rooms of the mill: one is for wheat. Rooms of the mill: two are for rye. Cats sleep here."}
    )
    assert ask("List rooms of the mill", memory)[1] == [
        "Rooms of the mill: one is for wheat.",
        "Rooms of the mill: two are for rye.",
    ]


@pytest.mark.parametrize(("number", "left_out"), [(MOST_ITEMS, []), (MOST_ITEMS + 3, ["3"])])
def test_a_list_that_is_cut_off_tells_how_many_items_are_left_out(number: int, left_out: list[str]) -> None:
    rooms = "\n".join(f"- Rooms of the mill: number {n} is for wheat." for n in range(number))
    result, quotes, _ = ask("List rooms of the mill", FakeTools({"a.txt": f"Rooms of the mill:\n\n{rooms}"}))
    assert len(quotes) == MOST_ITEMS
    assert [remark.kind for remark in result.remarks] == ["left_out"] * len(left_out)
    assert [remark.what.rsplit(" ", 1)[1] for remark in result.remarks] == left_out


def test_dates_are_in_time_order() -> None:
    memory = FakeTools(
        {"a.txt": "The mill burnt in 1911. The mill was built in 1772. The mill is red. The mill closed in 1955."}
    )
    quotes = ask("All dates of the mill", memory)[1]
    assert [quote[-5:-1] for quote in quotes] == ["1772", "1911", "1955"]


def test_a_time_line_has_each_date_before_its_sentence() -> None:
    memory = FakeTools({"a.txt": "The mill burnt on 3 May 1911. The mill was built in 1772."})
    result, _, _ = ask("All dates of the mill", memory)
    assert [one.value for one in result.statements] == ["1772", "3 May 1911"]


def test_what_asks_for_an_overview_gets_one_though_a_passage_answers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RuleReader, "kind", lambda *_: TaskKind.SUMMARY)
    quotes = ask("When was Beacon Mill built, and what became of it?")[1]
    assert len(quotes) > 1
    assert "Beacon Mill was built in 1772 by Humphrey Parrish." in quotes


def test_a_part_without_an_answer_is_named() -> None:
    result, quotes, _ = ask("When was Beacon Mill built, and who painted the Mona Lisa?")
    assert len(quotes) == 1
    assert result.unanswered == ("who painted the Mona Lisa",)


def test_only_evidence_for_the_verdict_is_quoted() -> None:
    memory = FakeTools(DISAGREE)
    passages = [("wrong.txt", "Built 1869.", "second"), ("register.txt", "Beacon Mill was built in 1801.", "neither")]
    evidence = tuple(Evidence(source=name, passage=text, supports=side) for name, text, side in passages)
    conflict = memory.disagree("1772", "1869", "neither")
    memory.found[0] = conflict.model_copy(update={"evidence": evidence})
    result = answer(memory.prompt("When was Beacon Mill built?"), memory, HashEmbedder(), RuleJudge(), RuleReader())
    assert [one.quotes[0].text for one in result.statements] == ["Beacon Mill was built in 1801."]


def test_without_the_networks_the_answer_gives_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memory_bank.engines.offline.answering.question.model_load_error", lambda: "the file is damaged"
    )
    memory = FakeTools(DOCUMENTS)
    result = answer(memory.prompt("When was the mill built?"), memory, HashEmbedder(), NoJudge(), NoReader())
    assert result.answer.startswith("No answer could be given: the file is damaged")


def test_steps_follow_the_first_of_them() -> None:
    text = "# Sails\n\nSet the sails by turning the cap. Then let the sails out.\n\n# Cats\n\nCats sleep."
    quotes = ask("How do I set the sails?", FakeTools({"a.md": text}))[1]
    assert quotes[:2] == ["Set the sails by turning the cap.", "Then let the sails out."]
    assert "Cats sleep." not in quotes


def test_a_part_that_the_answer_to_the_whole_question_leaves_open_is_answered_or_named() -> None:
    memory = FakeTools(
        {"a.md": "The new mill was built by Hale in 1772. The owner of the pub is Ada Brown. Cats sleep."}
    )
    result, quotes, _ = ask("Who built the new mill, and who is the owner of the pub?", memory)
    assert set(quotes) == {"The new mill was built by Hale in 1772.", "The owner of the pub is Ada Brown."}
    assert not result.unanswered
    result, quotes, _ = ask("Who built the new mill, and who wrote the opera?", memory)
    assert quotes == ["The new mill was built by Hale in 1772."]
    assert result.unanswered == ("who wrote the opera",)


def test_a_writing_task_is_refused() -> None:
    result, quotes, _ = ask("Write a poem")
    assert (quotes, result.answer) == ([], UNDERSTOOD[TaskKind.BEYOND])


def test_a_question_that_a_passage_answers_is_not_refused_whatever_it_is_taken_for() -> None:
    memory = FakeTools({"rules.txt": "Write the name of the designer on the sign."})
    assert ask("Write the name of the designer on the sign?", memory)[1]
    assert not ask("Write the name of the designer on the sign", memory)[1]


def test_the_evidence_that_settled_a_dispute_is_cited() -> None:
    memory = FakeTools({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."})
    evidence = Evidence(source="register.txt", passage="Built 1772, says the register.", supports="first")
    conflict = memory.disagree("1772", "1869", "first")
    memory.found[0] = conflict.model_copy(update={"evidence": (evidence,)})
    result = answer(memory.prompt("When was Beacon Mill built?"), memory, HashEmbedder(), RuleJudge(), RuleReader())
    assert [statement.quotes[0].source for statement in result.statements] == ["a.txt", "register.txt"]


def test_evidence_against_both_sides_is_the_answer() -> None:
    memory = FakeTools(DISAGREE)
    evidence = Evidence(source="register.txt", passage="Beacon Mill was built in 1801.", supports="neither")
    conflict = memory.disagree("1772", "1869", "neither")
    memory.found[0] = conflict.model_copy(update={"evidence": (evidence,)})
    result = answer(memory.prompt("When was Beacon Mill built?"), memory, HashEmbedder(), RuleJudge(), RuleReader())
    assert [one.quotes[0].text for one in result.statements] == ["Beacon Mill was built in 1801."]


# -- exact, short, and not twice -------------------------------------------------------------------------


def test_every_quote_is_a_whole_sentence_of_its_entry() -> None:
    for question in ("When was Beacon Mill built?", "What is the Aswan High Dam?", "Where is Beacon Mill?"):
        _, quotes, _ = ask(question)
        assert quotes
        assert all(quote in MILL or quote in DAM for quote in quotes)
        assert all(quote.endswith(".") and quote[0].isupper() for quote in quotes)


@pytest.mark.parametrize(
    ("second", "headings"),
    [
        ("The roof of the hall cost £4,800 to repair.", [DIFFERENT, DIFFERENT]),
        ("To repair it, the roof of the hall cost 4,200 pounds, they say.", [None]),
    ],
)
def test_two_documents_with_different_values_have_a_heading_that_says_so(
    second: str, headings: list[str | None]
) -> None:
    memory = FakeTools({"minutes.md": "The roof of the hall cost £4,200.", "letter.md": second})
    result, quotes, _ = ask("How much did the roof of the hall cost?", memory)
    assert len(quotes) == len(headings)
    assert [one.heading for one in result.statements] == headings
    if headings[0]:
        assert {one.value for one in result.statements} == {"minutes.md", "letter.md"}


def test_of_documents_that_give_an_equal_value_one_is_quoted() -> None:
    documents = {
        "a.txt": "The Nile flows through 11 countries.",
        "b.txt": "North to the sea the Nile flows through eleven countries.",
    }
    result, quotes, _ = ask("How many countries does the Nile flow through?", FakeTools(documents))
    assert len(quotes) == len(result.statements) == 1


def test_headings_are_not_answers() -> None:
    memory = FakeTools({"a.md": "# When was Beacon Mill built?\n\nBeacon Mill was built in 1772."})
    assert ask("When was Beacon Mill built?", memory)[1] == ["Beacon Mill was built in 1772."]


def test_the_record_of_a_verification_is_not_quoted() -> None:
    memory = FakeTools({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "First: Beacon Mill was built in 1999."})
    record = memory.entries["n2"]
    metadata = record.metadata | {"conflict_id": "x1"}
    memory.entries["n2"] = record.model_copy(update={"metadata": metadata})
    assert ask("When was Beacon Mill built?", memory)[1] == ["Beacon Mill was built in 1772."]


# -- conflicts -------------------------------------------------------------------------------------------

DISAGREE = {"guide.txt": MILL, "leaflet.txt": "Beacon Mill was built in 1869. It grinds wheat and rye."}


@pytest.mark.parametrize(("verdict", "kept"), [("first", ["1772"]), ("second", ["1869"]), ("neither", [])])
def test_a_refuted_claim_is_never_quoted_and_its_conflict_is_named(verdict: Verdict, kept: list[str]) -> None:
    memory = FakeTools(DISAGREE)
    conflict = memory.disagree("1772", "1869", verdict)
    result, quotes, _ = ask("When was Beacon Mill built?", memory)
    text = " ".join(quotes)
    assert [year for year in ("1772", "1869") if year in text] == kept
    assert result.conflicts == (conflict.id,)
    assert "1869" not in result.answer or "1869" in kept


def test_a_refuted_claim_is_not_quoted_from_another_document_either() -> None:
    memory = FakeTools(
        DISAGREE
        | {"diary.txt": "In 1869 Beacon Mill was built, so they say at the inn. In 1869 Beacon Mill was built."}
    )
    memory.disagree("1772", "Beacon Mill was built in 1869", "first")
    _, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert quotes
    assert not any("In 1869 Beacon Mill was built." in quote for quote in quotes)


def test_a_step_that_finds_a_verdict_alone_tells_it() -> None:
    """Here the refuted side would answer, while what stands is too unlike the question to be quoted."""
    memory = FakeTools(
        {"guide.txt": "Beacon Mill dates from 1772.", "leaflet.txt": "The Holt family built Beacon Mill in 1869."}
    )
    conflict = memory.disagree("1772", "1869", "first")
    result, quotes, _ = ask("In which year was it that the Holt family built Beacon Mill?", memory)
    assert (quotes, result.conflicts, result.lines) == ([], (conflict.id,), ())
    assert result.answer == "Beacon Mill dates from 1772."


def test_both_sides_of_a_compatible_pair_are_quoted() -> None:
    memory = FakeTools(DISAGREE)
    memory.disagree("1772", "1869", "both")
    _, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert ["1772" in " ".join(quotes), "1869" in " ".join(quotes)] == [True, True]


def test_a_conflict_in_dispute_is_named_and_neither_side_is_quoted() -> None:
    memory = FakeTools(DISAGREE)
    conflict = memory.disagree("1772", "1869", "inconclusive")
    result, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert not any(year in " ".join(quotes) for year in ("1772", "1869"))
    assert result.conflicts == (conflict.id,)


def test_what_answers_less_than_the_sides_of_a_dispute_is_no_answer() -> None:
    built = "The old smock mill near Benenden in Kent was built for wheat by Humphrey Parrish in the year {}."
    painted = built.format(1890).replace("built", "painted")
    asked = "In which year was the old smock mill near Benenden in Kent built for wheat by Humphrey Parrish?"
    assert ask(asked, FakeTools({"paint.txt": painted}))[1] == [painted]
    memory = FakeTools({"paint.txt": painted, "guide.txt": built.format(1772), "leaflet.txt": built.format(1869)})
    conflict = memory.disagree("1772", "1869", "inconclusive")
    result, quotes, _ = ask(asked, memory)
    assert quotes == []
    assert result.conflicts == (conflict.id,)


def test_a_dispute_over_something_else_is_not_mentioned() -> None:
    memory = FakeTools(DISAGREE | {"dam.txt": DAM})
    memory.disagree("1772", "1869", "inconclusive")
    result, quotes, _ = ask("How long is the dam?", memory)
    assert "3,830 m" in quotes[0]
    assert result.conflicts == ()


# -- when memory does not hold the answer ----------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Who won the football World Cup in 1998?",
        "When was the Eiffel Tower built?",
        "when was the eiffel tower built?",
        "How many legs does a spider have?",
        "How deep is Lake Baikal?",
        "谁是唐朝的第一个皇帝？",
        "When was Holt Mill painted white?",
    ],
)
def test_nothing_irrelevant_is_quoted(question: str) -> None:
    result, quotes, _ = ask(question)
    assert quotes == []
    assert result.answer.startswith("No answer to this was found in the documents.")


def test_with_an_empty_memory_nothing_is_known() -> None:
    result, quotes, _ = ask("When was Beacon Mill built?", FakeTools({}))
    assert (quotes, result.conflicts) == ([], ())
    assert result.answer.startswith("No answer to this was found in the documents.")


def test_the_reference_library_answers_what_memory_does_not() -> None:
    references = {f"r{number}.txt": f"Holt Mill was painted white in 190{number}." for number in range(5)}
    result, _, _ = ask("When was Holt Mill painted white?", FakeTools(DOCUMENTS, references))
    cited = {quote.source for statement in result.statements for quote in statement.quotes}
    assert cited
    assert cited <= references.keys()
    assert {one.source for one in result.messages if one.role == "tool" and not one.from_memory} == cited


def test_the_reference_library_is_not_quoted_where_it_agrees_with_memory() -> None:
    references = {"r.txt": "Holt Mill was painted white in 1900."}
    _, quotes, memory = ask("When was Beacon Mill built?", FakeTools(DOCUMENTS, references))
    assert quotes
    assert not any(message.source for message in ask("When was Beacon Mill built?", memory)[0].messages)


def test_a_reference_with_another_value_replaces_the_answer_from_memory() -> None:
    references = {"r.txt": "Register: Beacon Mill was built in 1799."}
    _, quotes, _ = ask("When was Beacon Mill built?", FakeTools(DOCUMENTS, references))
    assert quotes == ["Register: Beacon Mill was built in 1799."]


def test_passages_from_memory_are_marked_so_that_they_are_not_stored_again() -> None:
    result, quotes, _ = ask("When was Beacon Mill built?")
    read = [message for message in result.messages if message.role == "tool"]
    assert [message.content for message in read] == quotes
    assert all(message.from_memory for message in read)
    assert result.messages[0].content == "When was Beacon Mill built?"
    assert result.messages[-1].content == result.answer


# -- an overview -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["Summarise the documents.", "What are these documents about?", "总结这些文件"])
def test_an_overview_has_a_sentence_of_every_document(task: str) -> None:
    _, quotes, _ = ask(task, FakeTools(DOCUMENTS | {"wool.txt": "Wool prices fell in Bradford when the mills closed."}))
    assert any(quote in MILL for quote in quotes)
    assert any(quote in DAM for quote in quotes)
    assert "Wool prices fell in Bradford when the mills closed." in quotes
    assert len(quotes) <= MOST_OF_SEVERAL


def test_an_overview_leaves_out_what_was_refuted() -> None:
    memory = FakeTools({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."})
    memory.disagree("1772", "1869", "first")
    assert ask("Summarise the documents.", memory)[1] == ["Beacon Mill was built in 1772."]


def test_an_overview_does_not_need_entries_to_be_numbered() -> None:
    memory = FakeTools(DOCUMENTS)
    memory.entries = {
        node: entry.model_copy(update={"id": f"entry-{entry.id}-of-import"}) for node, entry in memory.entries.items()
    }
    assert ask("Summarise the documents.", memory)[1]


# -- what contradicts ------------------------------------------------------------------------------------

CONTRADICTIONS = "Find the contradictions between the documents."


def test_a_task_that_asks_what_contradicts_names_every_conflict_and_no_refuted_claim() -> None:
    memory = FakeTools({"mill.txt": MILL, "guide.txt": "Beacon Mill was built in 1869. The mill has five floors."})
    settled, open_one = memory.disagree("1772", "1869", "first"), memory.disagree("four floors", "five floors")
    result, quoted, _ = ask(CONTRADICTIONS, memory)
    assert result.conflicts == (settled.id, open_one.id)
    assert quoted == ["Beacon Mill was built in 1772 by Humphrey Parrish."]


def test_without_any_conflict_it_says_that_none_was_found() -> None:
    result, quoted, _ = ask(CONTRADICTIONS)
    assert (result.answer, quoted, result.conflicts) == (NO_CONTRADICTION, [], ())
