"""An answer is read again: what does not stand where it is said to, or is contradicted, is told."""

from __future__ import annotations

import pytest

from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Evidence, Side
from memory_bank.bank.events import AnswerGiven, NodeCreated
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.answer_check import verify_answer
from tests.builders import make_conflict, make_created, make_entry, make_node, make_source
from tests.judgement.rule_judge import RuleJudge

TEXT = "The dam was finished in 1970. It is 111 m high."


def bank_with(affirmed: str, *citations: Citation) -> Bank:
    entry = make_entry(text=TEXT).model_copy(update={"metadata": {"source": "dam.txt"}})
    bank = Bank()
    for event in (
        make_created(),
        NodeCreated(node=make_node(), entry=entry, unit="s1.0"),
        AnswerGiven(answer=Answer(text=affirmed, affirmed=affirmed, citations=citations)),
    ):
        bank.apply(event)
    return bank


def cited(start: int, end: int, number: int = 1, source: str = "dam.txt") -> Citation:
    return Citation(number=number, entry_id="e1", start=start, end=end, source=source)


def add_register(bank: Bank, text: str) -> None:
    """Take in a reference source that says this."""
    metadata = {"source": "register.txt", "source_id": "s2"}
    source = make_entry("e2", text).model_copy(update={"metadata": metadata})
    bank.apply(NodeCreated(node=make_node("n2"), entry=source, unit="s2.0"))
    bank.sources["s2"] = make_source("s2").model_copy(update={"role": "reference", "name": "register.txt"})


@pytest.mark.parametrize(
    ("line", "citation", "why"),
    [
        ("“The dam was finished in 1970.” [1]", cited(0, 29), None),
        ("The dam was finished in 1970 [1]", cited(0, 29), None),
        ("The dam was finished [1]", cited(0, 29), None),
        ("“The dam was finished in 1971.” [1]", cited(0, 29), "not in the passage"),
        ("The dam fell down [1]", cited(0, 29), "do not bear it"),
        ("The “dam” fell down [1]", cited(0, 29), "do not bear it"),
        ("1970: “The dam was\nfinished in 1970.” [1]", cited(0, 29), None),
        ("“The dam was finished in 1970.”", cited(0, 29), "no passage is cited"),
        ("“The dam was finished in 1970.” [2]", cited(0, 29), "no passage is cited"),
        ("“The dam was finished in 1970.” [1]", cited(0, 2900), "leads to no passage"),
        ("“The dam was finished in 1970.” [1]", cited(0, 29, source="other.txt"), "leads to no passage"),
    ],
)
def test_each_sentence_holds_or_its_fault_is_told(line: str, citation: Citation, why: str | None) -> None:
    verified = verify_answer(bank_with(line, citation), HashEmbedder(), RuleJudge())
    assert verified.sentences == 1
    assert verified.holding == (why is None)
    assert [why in fault.why for fault in verified.faults if why] == ([True] if why else [])


@pytest.mark.parametrize(("label", "faults"), [("difference 22 m, sum 200 m", 0), ("difference 23 m, sum 200 m", 1)])
def test_a_difference_is_computed_again(label: str, faults: int) -> None:
    entry = make_entry(text="Dam A is 111 m high. Dam B is 89 m high.")
    bank = Bank()
    affirmed = f"{label}: “Dam A is 111 m high.” “Dam B is 89 m high.” [1][2]"
    for event in (
        make_created(),
        NodeCreated(node=make_node(), entry=entry.model_copy(update={"metadata": {"source": "dam.txt"}}), unit="s1.0"),
        AnswerGiven(answer=Answer(text=affirmed, affirmed=affirmed, citations=(cited(0, 20), cited(21, 40, 2)))),
    ):
        bank.apply(event)
    assert len(verify_answer(bank, HashEmbedder(), RuleJudge()).faults) == faults


def test_what_a_source_contradicts_does_not_hold() -> None:
    bank = bank_with("“The dam was finished in 1970.” [1]", cited(0, 29))
    add_register(bank, "The dam was finished in 1968.")
    (fault,) = verify_answer(bank, HashEmbedder(), RuleJudge()).faults
    assert "register.txt says otherwise" in fault.why


@pytest.mark.parametrize(("supports", "holding"), [("first", 1), ("both", 1), ("second", 0)])
def test_a_passage_that_a_verdict_counted_for_a_sentence_is_not_held_against_it(supports: Side, holding: int) -> None:
    bank = bank_with("“The dam was finished in 1970.” [1]", cited(0, 29))
    bank.sources["s2"] = make_source("s2").model_copy(update={"role": "reference", "name": "register.txt"})
    evidence = Evidence(source="register.txt", passage="The dam was finished in 1968.", supports=supports)
    bank.conflicts["x1"] = make_conflict().model_copy(update={"evidence": (evidence,)})
    assert verify_answer(bank, HashEmbedder(), RuleJudge()).holding == holding


def test_a_part_of_the_evidence_in_the_record_of_a_verification_can_be_cited() -> None:
    said = "The dam was finished in 1970, says the register."
    record = make_entry("e9", f"Verdict. register.txt: {said} It is 111 m high.")
    start = record.text.index(said)
    bank = bank_with(
        f"“{said}” [1]", cited(start, start + len(said), source="register.txt").model_copy(update={"entry_id": "e9"})
    )
    metadata = {"source": "verification x1", "conflict_id": "x1"}
    bank.apply(NodeCreated(node=make_node("n9"), entry=record.model_copy(update={"metadata": metadata}), unit="s9.0"))
    evidence = Evidence(source="register.txt", passage=f"{said} It is 111 m high.", supports="first")
    bank.conflicts["x1"] = make_conflict().model_copy(update={"evidence": (evidence,)})
    assert verify_answer(bank, HashEmbedder(), RuleJudge()).faults == ()


def test_the_passage_that_a_sentence_cites_is_not_held_against_it() -> None:
    bank = bank_with("The dam was finished in 1970. [1]", cited(0, 29))
    add_register(bank, "The dam was finished in 1968, as all know.")
    other = cited(0, len("The dam was finished in 1968, as all know."), 2, "register.txt").model_copy(
        update={"entry_id": "e2"}
    )
    assert len(verify_answer(bank, HashEmbedder(), RuleJudge()).faults) == 1
    line = "The dam was finished in 1970. [1][2]"
    bank.apply(AnswerGiven(answer=Answer(text=line, affirmed=line, citations=(cited(0, 29), other))))
    assert verify_answer(bank, HashEmbedder(), RuleJudge()).faults == ()


def test_without_an_answer_there_is_nothing_to_read() -> None:
    assert verify_answer(Bank(), HashEmbedder(), RuleJudge()).sentences == 0
