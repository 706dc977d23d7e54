"""What a person reads, what the answer stands by, and where each sentence of it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.react import AnswerStatement, Quote, StepResult
from memory_bank.bank.answer import NO_ANSWER, NO_PASSAGE, Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.events import ConflictDecided, NodesMerged
from memory_bank.bank.query_graph import Node
from memory_bank.session.answer_lines import Line, answer_statements
from memory_bank.session.answering import compose_answer
from tests.builders import make_merge, make_verification
from tests.workbench import Workbench, workbench

FIRST, SECOND = "The dam was finished in 1970.", "The dam was finished in 1968."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        made.put("n1", "One.", "Aswan lies on the Nile.", FIRST, page=4)
        made.put("n2", "Two.", SECOND)
        yield made


def statement(bank: Bank, entry_id: str, quote: str, value: str | None = None) -> AnswerStatement:
    return AnswerStatement(
        quotes=(passage(bank, entry_id, bank.trees.entry(entry_id).text.index(quote), len(quote)),), value=value
    )


def passage(bank: Bank, entry_id: str, start: int, length: int) -> Quote:
    entry = bank.trees.entry(entry_id)
    text = entry.text[start : start + length]
    return Quote(source=entry.metadata["source"], text=text, entry_id=entry_id, start=start, end=start + length)


def result(*statements: AnswerStatement, conflicts: tuple[str, ...] = (), answer: str = "found") -> StepResult:
    return StepResult(answer=answer, messages=(), statements=statements, conflicts=conflicts)


def decide(bench: Workbench, verdict: Verdict) -> str:
    """A conflict between the last claim of n1 and n2, decided; its id."""
    conflict_id = bench.open_conflict("n1", "n2", of=(1, 0))
    verification = make_verification(conflict_id, verdict)
    bench.recorder.record(ConflictDecided(verification=verification, decided_by="agent"))
    return conflict_id


def cited(answer: Answer, bank: Bank) -> list[str]:
    """The passage of each citation, in order of its number."""
    return [bank.trees.entry(one.entry_id).text[one.start : one.end] for one in answer.citations]


def test_without_a_step_the_answer_says_that_there_is_none() -> None:
    answer = compose_answer(Bank(), None)
    assert answer == Answer(text=NO_ANSWER, affirmed="", lines=(NO_ANSWER,))


def test_a_sentence_is_quoted_word_for_word_with_its_place_and_the_value_before_it(bench: Workbench) -> None:
    answer = compose_answer(bench.bank, result(statement(bench.bank, "e1", FIRST, "1970")))
    assert answer.text == answer.affirmed == f"1970: “{FIRST}” [1]"
    (citation,) = answer.citations
    assert cited(answer, bench.bank) == [FIRST]
    assert (citation.number, citation.source, citation.page) == (1, "n1.txt", 4)


def test_statements_stand_under_their_heading_which_is_not_affirmed(bench: Workbench) -> None:
    made = [
        statement(bench.bank, "e1", FIRST).model_copy(update={"heading": heading})
        for heading in ("Old", "Old", "New\n## x")
    ]
    answer = compose_answer(bench.bank, result(*made))
    quoted = f"“{FIRST}” [1]"
    assert answer.text == f"## Old\n\n{quoted}\n{quoted}\n\n## New ## x\n\n{quoted}"
    assert answer.affirmed == "\n".join([quoted] * 3)


def test_what_has_no_heading_stands_above_the_groups_and_a_group_has_its_heading_once(bench: Workbench) -> None:
    lies = statement(bench.bank, "e1", "Aswan lies on the Nile.")
    headed = lies.model_copy(update={"heading": "One"})
    answer = compose_answer(bench.bank, result(headed, statement(bench.bank, "e2", SECOND), headed))
    quoted = "“Aswan lies on the Nile.” [2]"
    assert answer.text == f"“{SECOND}” [1]\n\n## One\n\n{quoted}\n{quoted}"


def test_a_verdict_stands_under_the_heading_of_no_other_document(bench: Workbench) -> None:
    conflict_id = decide(bench, "second")
    written = statement(bench.bank, "e1", "Aswan lies on the Nile.").model_copy(
        update={"text": "Aswan is on the Nile.", "heading": "One"}
    )
    answer = compose_answer(bench.bank, result(written, conflicts=(conflict_id,)))
    assert answer.text == f"“{SECOND}” [1]\n\n## One\n\nAswan is on the Nile. [2]"


def test_what_another_document_denies_is_shown_and_not_affirmed(bench: Workbench) -> None:
    sides = [statement(bench.bank, *of).model_copy(update={"opposed": True}) for of in (("e1", FIRST), ("e2", SECOND))]
    answer = compose_answer(bench.bank, result(*sides, statement(bench.bank, "e1", "Aswan lies on the Nile.")))
    assert FIRST in answer.text
    assert SECOND in answer.text
    assert answer.affirmed == "“Aswan lies on the Nile.” [3]"


def test_what_may_answer_but_not_surely_is_shown_and_not_affirmed(bench: Workbench) -> None:
    unsure = statement(bench.bank, "e1", "Aswan lies on the Nile.").model_copy(update={"unsure": True})
    answer = compose_answer(bench.bank, result(unsure))
    assert answer.text == "“Aswan lies on the Nile.” [1]"
    assert answer.affirmed == ""


def test_a_side_in_dispute_on_another_point_is_shown_and_not_affirmed_and_a_refuted_one_is_not_shown(
    bench: Workbench,
) -> None:
    bench.put("n3", "Three.", "The lake is full.")
    bench.open_conflict("n1", "n3", of=(1, 0))
    sides = [statement(bench.bank, *of).model_copy(update={"opposed": True}) for of in (("e1", FIRST), ("e2", SECOND))]
    answer = compose_answer(bench.bank, result(*sides))
    assert answer.affirmed == ""
    assert not answer.disputed
    assert (FIRST in answer.text, SECOND in answer.text) == (True, True)
    decide(bench, "first")
    assert SECOND not in compose_answer(bench.bank, result(*sides)).text


def test_numbers_follow_the_text_and_a_passage_keeps_its_number(bench: Workbench) -> None:
    bank = bench.bank
    first, second = statement(bank, "e2", SECOND), statement(bank, "e1", FIRST)
    answer = compose_answer(bank, result(first, second, first))
    assert re.findall(r"\[(\d+)\]", answer.text) == ["1", "2", "1"]
    assert [citation.number for citation in answer.citations] == [1, 2]
    assert cited(answer, bank) == [SECOND, FIRST]


@pytest.mark.parametrize(
    ("quote", "page"), [("Page two.", 2), ("Still two.", 2), ("Page three.", 3), ("Page five.", 5)]
)
def test_a_passage_is_cited_with_its_own_page_where_an_entry_reaches_over_several(
    bench: Workbench, quote: str, page: int
) -> None:
    text = "Page two. Still two. Page three. Page five."
    pages = [[0, 2], [text.index("Page three"), 3], [text.index("Page five"), 5]]
    bench.put("n3", text, page=2, pages=pages)
    answer = compose_answer(bench.bank, result(statement(bench.bank, "e3", quote)))
    assert answer.citations[0].page == page


def test_a_source_without_pages_is_cited_without_one(bench: Workbench) -> None:
    answer = compose_answer(bench.bank, result(statement(bench.bank, "e2", SECOND)))
    assert answer.citations[0].page is None


def test_a_step_that_found_no_sentence_is_quoted_but_affirms_nothing(bench: Workbench) -> None:
    answer = compose_answer(bench.bank, result(answer="Looked in the register."))
    assert (answer.text, answer.affirmed, answer.citations) == ("Looked in the register.", "", ())
    assert compose_answer(bench.bank, result(answer="")).text == NO_ANSWER


def test_a_sentence_that_its_citation_does_not_confirm_keeps_it_and_is_not_affirmed(bench: Workbench) -> None:
    (quote,) = statement(bench.bank, "e1", FIRST).quotes
    nowhere = Quote(source="gone.txt", text="Gone.")
    made = AnswerStatement(quotes=(), text="It took ten years.", cited=(quote, nowhere))
    answer = compose_answer(bench.bank, result(made))
    assert (answer.text, answer.affirmed) == ("It took ten years. [1] (not confirmed)", "")
    assert cited(answer, bench.bank) == [FIRST]
    assert answer_statements(answer) == [Line("It took ten years.", answer.citations, founded=False)]
    lost = compose_answer(bench.bank, result(made.model_copy(update={"cited": (nowhere,)})))
    assert lost.text == f"It took ten years. {NO_PASSAGE}"
    chinese = compose_answer(bench.bank, result(made), task="大坝何时建成？")
    assert chinese.text == "It took ten years. [1] （未获证实）"


@pytest.mark.parametrize("verdict", ["second", "inconclusive"])
def test_a_refuted_or_disputed_claim_is_not_cited_by_a_sentence_that_it_does_not_confirm(
    bench: Workbench, verdict: Verdict
) -> None:
    decide(bench, verdict)
    made = AnswerStatement(quotes=(), text="It took ten years.", cited=statement(bench.bank, "e1", FIRST).quotes)
    assert f"It took ten years. {NO_PASSAGE}" in compose_answer(bench.bank, result(made)).text


def test_a_dispute_is_told_with_both_sides_and_affirmed_by_neither(bench: Workbench) -> None:
    conflict_id = decide(bench, "inconclusive")
    lies = statement(bench.bank, "e1", "Aswan lies on the Nile.")
    answer = compose_answer(bench.bank, result(lies, conflicts=(conflict_id,)))
    assert answer.affirmed == "“Aswan lies on the Nile.” [1]"
    (dispute,) = answer.disputed
    assert dispute.sides == (f"n1.txt: “{FIRST}” [2]", f"n2.txt: “{SECOND}” [3]")
    assert all(side in answer.text for side in dispute.sides)
    assert cited(answer, bench.bank)[1:] == [FIRST, SECOND]
    assert answer.rejected == ()


def test_where_all_is_in_dispute_the_answer_is_the_dispute(bench: Workbench) -> None:
    conflict_id = decide(bench, "inconclusive")
    answer = compose_answer(bench.bank, result(conflicts=(conflict_id,), answer="It is in dispute."))
    assert answer.affirmed == ""
    assert answer.text.startswith("In dispute")
    assert "It is in dispute." not in answer.text


@pytest.mark.parametrize(
    ("verdict", "refuted"), [("first", [SECOND]), ("second", [FIRST]), ("neither", [FIRST, SECOND]), ("both", [])]
)
def test_what_was_refuted_is_named_with_the_reason_and_never_affirmed(
    bench: Workbench, verdict: Verdict, refuted: list[str]
) -> None:
    conflict_id = decide(bench, verdict)
    answer = compose_answer(bench.bank, result(conflicts=(conflict_id,)))
    assert [(one.conflict_id, one.text, one.why) for one in answer.rejected] == [
        (conflict_id, text, "the register") for text in refuted
    ]
    assert not any(text in answer.text for text in refuted)


def test_what_two_verdicts_refuted_is_named_once(bench: Workbench) -> None:
    bench.put("n3", "Three.", "The lake was filled in 1970.")
    ids = (decide(bench, "first"), bench.open_conflict("n3", "n2"))
    bench.recorder.record(ConflictDecided(verification=make_verification(ids[1]), decided_by="agent"))
    answer = compose_answer(bench.bank, result(conflicts=ids))
    assert [(one.conflict_id, one.text) for one in answer.rejected] == [(ids[0], SECOND)]


def test_a_conflict_that_could_not_be_verified_is_told_like_a_dispute(bench: Workbench) -> None:
    conflict_id = bench.open_conflict("n1", "n2")
    answer = compose_answer(bench.bank, result(conflicts=(conflict_id,)))
    assert [dispute.conflict_id for dispute in answer.disputed] == [conflict_id]


def test_a_conflict_that_is_not_there_is_left_out(bench: Workbench) -> None:
    answer = compose_answer(bench.bank, result(conflicts=("x99",)))
    assert (answer.disputed, answer.rejected) == ((), ())


def test_a_written_sentence_stands_with_the_numbers_of_its_passages(bench: Workbench) -> None:
    quotes = (passage(bench.bank, "e1", 0, 23), passage(bench.bank, "e2", 0, len(SECOND)))
    answer = compose_answer(bench.bank, result(AnswerStatement(quotes=quotes, text="Aswan has a dam.")))
    assert answer.text == answer.affirmed == "Aswan has a dam. [1][2]"
    assert cited(answer, bench.bank) == ["Aswan lies on the Nile.", SECOND]


def test_a_written_sentence_without_a_passage_is_shown_and_not_affirmed(bench: Workbench) -> None:
    told = AnswerStatement(quotes=(passage(bench.bank, "e1", 0, 23),), text="Aswan lies on a river.")
    answer = compose_answer(bench.bank, result(AnswerStatement(quotes=(), text="It is pretty."), told))
    assert answer.text == f"It is pretty. {NO_PASSAGE}\nAswan lies on a river. [1]"
    assert answer.affirmed == "Aswan lies on a river. [1]"


@pytest.mark.parametrize(("source", "found"), [("n2.txt", True), ("n1.txt", False), ("elsewhere", False)])
def test_a_passage_that_a_step_found_is_cited_where_its_source_now_has_it(
    bench: Workbench,
    source: str,
    found: bool,  # noqa: FBT001
) -> None:
    answer = compose_answer(
        bench.bank, result(AnswerStatement(quotes=(Quote(source=source, text=SECOND),), text="1968."))
    )
    assert cited(answer, bench.bank) == ([SECOND] if found else [])


def test_a_passage_that_its_entry_does_not_hold_is_no_passage(bench: Workbench) -> None:
    """A framework's word for what an entry says is not taken."""
    lie = Quote(source="n1.txt", text="The dam is yellow.", entry_id="e1", start=0, end=18)
    assert compose_answer(bench.bank, result(AnswerStatement(quotes=(lie,), text="It is yellow."))).affirmed == ""


def test_citations_still_stand_after_the_nodes_were_merged(bench: Workbench) -> None:
    merged = Node(id="n9", summary="", context="", keywords=(), timestamp=bench.bank.query_graph["n1"].timestamp)
    bench.recorder.record(NodesMerged(node=merged, merge=make_merge("n1", "n2")))
    answer = compose_answer(bench.bank, result(statement(bench.bank, "e1", FIRST)))
    assert cited(answer, bench.bank) == [FIRST]
    assert (answer.citations[0].source, answer.citations[0].page) == ("n1.txt", 4)


SPANS = st.tuples(st.sampled_from(["e1", "e2"]), st.integers(0, 20), st.integers(1, 9), st.none() | st.just("1970"))


@given(st.lists(SPANS, max_size=6), st.booleans())
def test_every_number_in_the_text_is_a_citation_of_exactly_the_quoted_words(
    tmp_path_factory: pytest.TempPathFactory,
    spans: list[tuple[str, int, int, str | None]],
    disputed: bool,  # noqa: FBT001
) -> None:
    with workbench(tmp_path_factory.mktemp("cited")) as bench:
        bench.put("n1", "One.", "Aswan lies on the Nile.", FIRST)
        bench.put("n2", "Two.", SECOND)
        conflicts = (decide(bench, "inconclusive"),) if disputed else ()
        given_statements = [
            AnswerStatement(quotes=(passage(bench.bank, entry_id, start, length),), value=value)
            for entry_id, start, length, value in spans
        ]
        answer = compose_answer(bench.bank, result(*given_statements, conflicts=conflicts))
        passages = cited(answer, bench.bank)
        quoted = re.findall(r"“([^”]*)” \[(\d+)\]", answer.text)
        assert [passages[int(number) - 1] for _, number in quoted] == [text for text, _ in quoted]
        claims = {"e1": (24, 24 + len(FIRST)), "e2": (0, len(SECOND))}
        inside = [start < claims[e][1] and claims[e][0] < start + length for e, start, length, _value in spans]
        assert len(quoted) == len(spans) - disputed * sum(inside) + 2 * disputed
        assert {int(number) for _, number in quoted} == set(range(1, len(passages) + 1))


@pytest.mark.parametrize(
    ("verdict", "kept", "affirmed"),
    [("second", False, [SECOND]), ("first", True, [FIRST]), ("both", True, [FIRST]), ("inconclusive", False, [])],
)
def test_a_verdict_that_came_after_the_step_takes_its_sentence_back(
    bench: Workbench,
    verdict: Verdict,
    kept: bool,  # noqa: FBT001
    affirmed: list[str],
) -> None:
    """What the verdict found to hold stands in its place."""
    written = AnswerStatement(quotes=statement(bench.bank, "e1", FIRST).quotes, text="It was finished in 1970.")
    found = result(written, answer="It was finished in 1970.")
    conflict_id = decide(bench, verdict)
    answer = compose_answer(bench.bank, found)
    assert ("It was finished in 1970." in answer.text) == kept
    assert bool(answer.affirmed) == bool(affirmed)
    assert [passage for passage in cited(answer, bench.bank) if not answer.disputed] == affirmed
    named = {*(one.conflict_id for one in answer.rejected), *(one.conflict_id for one in answer.disputed)}
    assert (conflict_id in named) == (not kept)


def written(bank: Bank, entry_id: str, quote: str, text: str) -> StepResult:
    return result(statement(bank, entry_id, quote).model_copy(update={"text": text}), answer=text)


def test_what_earlier_steps_wrote_stands_beside_the_last_and_nothing_twice(bench: Workbench) -> None:
    first = written(bench.bank, "e1", "Aswan lies on the Nile.", "Aswan is on the Nile.")
    again = written(bench.bank, "e1", "Aswan lies on the Nile.", "Aswan is on the  Nile.")
    last = written(bench.bank, "e2", SECOND, "It was finished in 1968.")
    quoted = result(statement(bench.bank, "e1", FIRST))
    answer = compose_answer(bench.bank, last, earlier=[again, first, quoted])
    assert answer.text == "It was finished in 1968. [1]\nAswan is on the  Nile. [2]"


@pytest.mark.parametrize("given", [None, result(answer="", conflicts=("x1",)), result(conflicts=("x1",))])
def test_a_verdict_on_the_question_is_the_answer_with_its_evidence_cited(
    bench: Workbench, given: StepResult | None
) -> None:
    conflict_id = bench.open_conflict("n1", "n2", of=(1, 0))
    register = "register.md: Completed: 1970"
    bench.put("n3", "The verification.", register, source=f"verification {conflict_id}", conflict_id=conflict_id)
    bench.recorder.record(ConflictDecided(verification=make_verification(conflict_id), decided_by="agent"))
    answer = compose_answer(bench.bank, given or result(answer="", conflicts=("x1",)))
    assert answer.text == answer.affirmed == f"“{FIRST}” [1][2]"
    assert cited(answer, bench.bank) == [FIRST, "Completed: 1970"]
    assert [(one.source, one.page) for one in answer.citations] == [("n1.txt", 4), ("register.md", 2)]
    assert [one.text for one in answer.rejected] == [SECOND]


def test_of_a_sentence_that_is_in_another_dispute_a_verdict_is_told_by_its_evidence(bench: Workbench) -> None:
    bench.put("n4", "Four.", "The lake is full.")
    bench.open_conflict("n1", "n4", of=(1, 0))
    conflict_id = bench.open_conflict("n1", "n2", of=(1, 0))
    register = "register.md: Completed: 1970"
    bench.put("n3", "The verification.", register, source=f"verification {conflict_id}", conflict_id=conflict_id)
    bench.recorder.record(ConflictDecided(verification=make_verification(conflict_id), decided_by="agent"))
    assert compose_answer(bench.bank, result(answer="", conflicts=(conflict_id,))).affirmed == "“Completed: 1970” [1]"


def test_a_part_of_the_evidence_of_a_verdict_can_be_cited(bench: Workbench) -> None:
    conflict_id = bench.open_conflict("n1", "n2", of=(1, 0))
    register = "register.md: Completed: 1970"
    bench.put("n3", "The verification.", register, source=f"verification {conflict_id}", conflict_id=conflict_id)
    bench.recorder.record(ConflictDecided(verification=make_verification(conflict_id), decided_by="agent"))
    told = AnswerStatement(text="It was 1970.", quotes=(Quote(source="register.md", text="1970", start=0, end=4),))
    answer = compose_answer(bench.bank, result(told))
    assert answer.text == "It was 1970. [1]"
    assert cited(answer, bench.bank) == ["1970"]
    assert answer.citations[0].page == 2


def test_a_verdict_that_a_sentence_tells_already_is_not_told_again(bench: Workbench) -> None:
    conflict_id = decide(bench, "second")
    told = written(bench.bank, "e2", SECOND, "It was finished in 1968.")
    answer = compose_answer(bench.bank, told.model_copy(update={"conflicts": (conflict_id,)}))
    assert answer.text == "It was finished in 1968. [1]"


@pytest.mark.parametrize(
    ("task", "verdict", "words"),
    [
        ("When?", None, "In dispute; this has not been checked:"),
        ("When?", "inconclusive", "In dispute, with no evidence that settles it:"),
        ("大坝何时建成？", None, "存在争议，尚未核查："),
        ("大坝何时建成？", "inconclusive", "存在争议，没有证据可以裁定："),
    ],
)
def test_only_what_was_verified_is_said_to_be_unsettled(
    bench: Workbench, task: str, verdict: Verdict | None, words: str
) -> None:
    conflict_id = decide(bench, verdict) if verdict else bench.open_conflict("n1", "n2", of=(1, 0))
    answer = compose_answer(bench.bank, result(conflicts=(conflict_id,)), task=task)
    assert answer.text.startswith(f"{words}\n- n1.txt")
    assert answer.disputed[0].checked == (verdict is not None)


def test_two_conflicts_about_one_thing_are_one_dispute_with_all_their_sources(bench: Workbench) -> None:
    bench.put("n3", "Three.", SECOND)
    bench.put("n4", "Four.", FIRST)
    ids = (bench.open_conflict("n1", "n2", of=(1, 0)), bench.open_conflict("n3", "n4"))
    (dispute,) = compose_answer(bench.bank, result(conflicts=ids)).disputed
    assert dispute.sides == (f"n1.txt, n4.txt: “{FIRST}” [1][2]", f"n2.txt, n3.txt: “{SECOND}” [3][4]")
    assert not dispute.checked


def test_a_dispute_is_settled_by_the_verdict_on_the_same_thing_in_another_place(bench: Workbench) -> None:
    decide(bench, "second")
    bench.put("n3", "Three.", SECOND)
    bench.put("n4", "Four.", FIRST)
    answer = compose_answer(bench.bank, result(conflicts=(bench.open_conflict("n3", "n4"),)))
    assert answer.disputed == ()
    assert answer.text == f"“{SECOND}” [1]"
    assert [one.conflict_id for one in answer.rejected] == ["x1"]


def test_a_sentence_that_tells_both_sides_of_a_dispute_is_shown_and_not_affirmed(bench: Workbench) -> None:
    quotes = statement(bench.bank, "e1", FIRST).quotes + statement(bench.bank, "e2", SECOND).quotes
    conflict_id = bench.open_conflict("n1", "n2", of=(1, 0))
    answer = compose_answer(bench.bank, result(AnswerStatement(quotes=quotes, text="One says 1970, one 1968.")))
    assert answer.text.startswith("One says 1970, one 1968. [1][2]")
    assert answer.affirmed == ""
    assert conflict_id not in [one.conflict_id for one in answer.rejected]


def test_work_that_broke_off_is_not_called_an_empty_memory() -> None:
    assert compose_answer(Bank(), None, "the budget is spent").text == "No answer could be given: the budget is spent"
