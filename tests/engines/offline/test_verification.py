"""Verdicts on small made-up libraries: who is heard, how loudly, and what is concluded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.react import StepResult
from memory_bank.bank.conflict import Evidence, Verification
from memory_bank.engines.offline.verification import verify
from tests.engines.offline.memory import Memory

GUIDE = "Beacon Mill stands near Benenden. Beacon Mill was built in 1772."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill was built in 1869."
PARTIES = {"guide.txt": GUIDE, "leaflet.txt": LEAFLET}


def decide(
    others: dict[str, str] | None = None, references: dict[str, str] | None = None, title: str = ""
) -> tuple[Verification, StepResult, Memory]:
    """The verification of the dispute between guide and leaflet, 1772 against 1869."""
    memory = Memory(PARTIES | (others or {}), references, title)
    conflict = memory.disagree("1772", "1869")
    result = verify(memory.prompt("Verify x1.", conflict), conflict, memory)
    assert result.verification is not None
    assert result.verification.conflict_id == conflict.id
    return result.verification, result, memory


def heard(verification: Verification) -> list[tuple[str, str]]:
    return [(item.source, item.supports) for item in verification.evidence]


# -- the outcomes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Beacon Mill was built in 1772.", "first"),
        ("In 1869 Beacon Mill was built by Humphrey.", "second"),
        ("Beacon Mill was built in 1805.", "neither"),
        ("Beacon Mill was sold in 1805.", "inconclusive"),
        ("Holt Mill was built in 1772.", "inconclusive"),
        ("Some say that Beacon Mill was built in 1772.", "inconclusive"),
        ("Was Beacon Mill built in 1772?", "inconclusive"),
    ],
)
def test_a_reference_decides_what_it_speaks_to(said: str, verdict: str) -> None:
    verification, _, _ = decide(references={"register.txt": f"Register of mills. {said}"})
    assert verification.verdict == verdict
    assert heard(verification) == ([] if verdict == "inconclusive" else [("register.txt", verdict)])


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Beacon Mill was built in 1772.", "first"),
        ("Beacon Mill was built in 1869.", "second"),
        ("Beacon Mill was built in 1805.", "neither"),
    ],
)
def test_another_document_decides_where_there_is_no_reference(said: str, verdict: str) -> None:
    verification, _, _ = decide({"diary.txt": f"We went to Benenden. {said}"})
    assert verification.verdict == verdict
    assert heard(verification) == [("diary.txt", verdict)]


def test_without_another_source_it_stays_open() -> None:
    verification, result, _ = decide({"wool.txt": "Wool cost three pounds in 1772."})
    assert verification.verdict == "inconclusive"
    assert verification.evidence == ()
    assert "cannot be settled" in result.answer


def test_divided_sources_settle_nothing_and_are_both_named() -> None:
    verification, _, _ = decide(
        references={"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."}
    )
    assert verification.verdict == "inconclusive"
    assert heard(verification) == [("a.txt", "first"), ("b.txt", "second")]
    assert "a.txt" in verification.reason
    assert "b.txt" in verification.reason


def test_a_source_that_says_both_is_no_help_to_either() -> None:
    text = "Beacon Mill was built in 1772, says one page. Beacon Mill was built in 1772. Beacon Mill was built in 1869."
    verification, _, _ = decide(references={"a.txt": text})
    assert verification.verdict == "inconclusive"


# -- who is heard ----------------------------------------------------------------------------------------


def test_the_two_that_disagree_are_not_their_own_witnesses() -> None:
    verification, _, _ = decide({})
    assert verification.evidence == ()


def test_a_copy_of_one_that_disagrees_is_not_its_witness() -> None:
    """One that shares a sentence with it is no copy."""
    verification, _, _ = decide({"guide-copy.txt": f"Copied at Ashford. {GUIDE}"})
    assert heard(verification) == []
    diary = "Ashford is dull. Beacon Mill was built in 1772. It has no sails. We went home to Kent in June."
    assert heard(decide({"diary.txt": diary})[0]) == [("diary.txt", "first")]


def test_a_reference_may_say_it_in_the_very_words() -> None:
    verification, _, _ = decide(references={"register.txt": GUIDE})
    assert heard(verification) == [("register.txt", "first")]


def test_a_reference_outweighs_one_document_and_not_two() -> None:
    references = {"register.txt": "The register: Beacon Mill was built in 1869."}
    one = {"a.txt": "In 1772 Beacon Mill was built."}
    two = one | {"b.txt": "Beacon Mill, built in 1772, is tall."}
    assert decide(one, references)[0].verdict == "second"
    assert heard(decide(one, references)[0]) == [("register.txt", "second"), ("a.txt", "first")]
    assert decide(two, references)[0].verdict == "inconclusive"


def test_a_source_is_one_voice_however_often_it_says_so() -> None:
    often = "In 1772 Beacon Mill was built. Beacon Mill, built in 1772, is tall. Humphrey built Beacon Mill in 1772."
    verification, _, _ = decide({"a.txt": often, "b.txt": "Beacon Mill was built in 1869 by Parrish."})
    assert verification.verdict == "inconclusive"
    assert sorted(heard(verification)) == [("a.txt", "first"), ("b.txt", "second")]


@pytest.mark.parametrize("copy", ["{}", "{} Printed at Ashford.", "  {}\n"])
def test_copies_of_one_text_are_one_voice(copy: str) -> None:
    """However often the text says it: no sentence of the copy is another voice."""
    often = "In 1772 Beacon Mill was built. Beacon Mill, built in 1772, is tall. Humphrey built Beacon Mill in 1772."
    others = {"a.txt": often, "b.txt": copy.format(often), "c.txt": "Beacon Mill was built in 1869 by Parrish."}
    verification, _, _ = decide(others)
    assert len([1 for _, side in heard(verification) if side == "first"]) == 1
    assert verification.verdict == "inconclusive"


# -- what the record shows -------------------------------------------------------------------------------


def test_evidence_is_the_exact_passage_with_its_place() -> None:
    document, reference = (
        "We walked. In 1869 Beacon Mill was built.",
        "Mills.\n\nBeacon Mill was built in\n1869. It is tall.",
    )
    verification, _, memory = decide({"diary.txt": document}, {"register.txt": reference})
    assert verification.evidence == (
        Evidence(source="register.txt", passage="Beacon Mill was built in\n1869.", supports="second", page=1),
        Evidence(source="diary.txt", passage="In 1869 Beacon Mill was built.", supports="second", entry_id="e3"),
    )
    assert verification.evidence[0].passage in reference
    assert verification.evidence[1].passage in memory.entries["n3"].text


def test_the_reason_names_the_supporter_the_claim_and_who_speaks_against_it() -> None:
    verification, result, _ = decide({"a.txt": "In 1772 Beacon Mill was built."}, {"register.txt": LEAFLET})
    for said in ("register.txt", "leaflet.txt", "Beacon Mill was built in 1869.", "against it: a.txt"):
        assert said in verification.reason
    assert result.answer == f"The second claim holds. {verification.reason}"


def test_the_messages_hold_the_question_both_sides_what_was_heard_and_the_verdict() -> None:
    verification, result, memory = decide({"a.txt": "In 1772 Beacon Mill was built."}, {"register.txt": LEAFLET})
    text = "\n".join(message.content for message in result.messages)
    for said in ("Verify x1.", "guide.txt", "leaflet.txt", "In 1772 Beacon Mill was built.", verification.reason):
        assert said in text
    tools = {message.source: message for message in result.messages if message.role == "tool"}
    assert {name: message.from_memory for name, message in tools.items()} == {"a.txt": True, "register.txt": False}
    assert result.messages[-1].content.startswith("Verdict: second")
    assert {claim.text for claim in memory.found[0].claims} <= set(memory.searched)


def test_the_title_of_a_document_tells_what_its_claims_are_about() -> None:
    memory = Memory(
        {"a.txt": "It stands in Kent. The mill was built in 1772.", "b.txt": "The mill was built in 1869."},
        {"register.txt": "Beacon Mill was built in 1869."},
        title="Beacon Mill",
    )
    conflict = memory.disagree("1772", "1869")
    verification = verify(memory.prompt("Verify x1.", conflict), conflict, memory).verification
    assert verification is not None
    assert verification.verdict == "second"


# -- how sure it is --------------------------------------------------------------------------------------


def registers(first: int, second: int) -> dict[str, str]:
    """So many references of their own wording for each side."""
    towns = (
        "Ashford",
        "Benenden",
        "Cranbrook",
        "Dover",
        "Eltham",
        "Faversham",
        "Goudhurst",
        "Hythe",
        "Ightham",
        "Kent",
    )
    return {
        f"{side}-{number}.txt": f"{towns[number % 10]} records, part {number}: Beacon Mill was built in {year}."
        for side, year, count in (("first", 1772, first), ("second", 1869, second))
        for number in range(count)
    }


def test_more_independent_support_makes_it_surer() -> None:
    confidences = [decide(references=registers(count, 0))[0].confidence for count in (1, 2)]
    alone = decide({"a.txt": "In 1772 Beacon Mill was built."})[0].confidence
    assert alone < confidences[0] < confidences[1]


def test_a_voice_against_it_makes_it_less_sure() -> None:
    assert decide(references=registers(2, 1))[0].confidence < decide(references=registers(2, 0))[0].confidence


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_verdict_is_what_most_say_and_its_confidence_a_probability(first: int, second: int) -> None:
    verification, _, _ = decide(references=registers(first, second))
    wanted = "first" if first > second else "second" if second > first else "inconclusive"
    assert verification.verdict == wanted
    assert len(verification.evidence) == first + second
    assert 0.5 <= verification.confidence <= 1.0


@given(st.integers(0, 4), st.integers(0, 4))
def test_which_claim_comes_first_makes_no_difference(first: int, second: int) -> None:
    there, _, _ = decide(references=registers(first, second))
    back, _, _ = decide(references=registers(second, first))
    swapped = {"first": "second", "second": "first"}
    assert swapped.get(there.verdict, there.verdict) == back.verdict
    assert there.confidence == back.confidence
