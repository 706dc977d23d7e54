"""A verdict from what other documents say: who is heard, and what they add up to."""

from __future__ import annotations

import pytest

from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.engines.offline.verification.same_dispute import settled_before
from memory_bank.modules.copies import copied
from memory_bank.modules.hash_embedder import HashEmbedder
from tests.engines.offline.memory import Memory
from tests.judgement.rule_judge import RuleJudge

OPEN, SHUT = "Alder Pool is open on Mondays.", "Alder Pool is not open on Mondays."


def verdict(memory: Memory, conflict: Conflict) -> Verification:
    steps = OfflineFramework(HashEmbedder(), RuleJudge()).act(memory.prompt("Verify it", conflict), memory)
    with pytest.raises(StopIteration) as ended:
        next(steps)
    result = ended.value.value
    assert result.answer.endswith(result.verification.reason)
    found: Verification = result.verification
    return found


@pytest.mark.parametrize(
    ("reference", "expected"),
    [(OPEN, "first"), (SHUT, "second"), ("Trains leave hourly from Alder.", "inconclusive")],
)
def test_the_reference_decides(reference: str, expected: Verdict) -> None:
    memory = Memory({"a.md": OPEN, "b.md": SHUT}, {"register.md": reference})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert found.verdict == expected
    assert [one.source for one in found.evidence] == (["register.md"] if expected != "inconclusive" else [])


def test_without_anybody_else_nothing_is_settled() -> None:
    memory = Memory({"a.md": OPEN, "b.md": SHUT})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert (found.verdict, found.evidence) == ("inconclusive", ())


def test_copies_of_one_text_are_one_voice() -> None:
    third = f"{SHUT} The bath has six lanes and a slide, and was built by the town after the war for its schools."
    memory = Memory({"a.md": OPEN, "b.md": SHUT, "c.md": third, "d.md": third})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert len(found.evidence) <= 1


def test_sources_that_are_divided_settle_nothing() -> None:
    memory = Memory({"a.md": OPEN, "b.md": SHUT}, {"one.md": OPEN, "two.md": SHUT})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert found.verdict == "inconclusive"
    assert "divided" in found.reason


def test_a_reference_that_takes_part_is_heard_once_as_a_reference() -> None:
    memory = Memory({"a.md": OPEN, "register.md": SHUT}, {"register.md": SHUT})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert found.verdict == "second"
    assert "register.md was given to check against" in found.reason
    assert 0.6 <= found.confidence < 0.7


def test_a_reference_that_takes_part_does_not_outvote_all_others() -> None:
    third = "On Mondays, as on Fridays, the great Alder Pool in Lund is open to all of its members from nine."
    memory = Memory({"a.md": OPEN, "register.md": SHUT, "c.md": third}, {"register.md": SHUT})
    found = verdict(memory, memory.disagree("is open", "not open"))
    assert found.verdict == "inconclusive"


def test_the_same_dispute_is_settled_as_before_whichever_way_round() -> None:
    memory = Memory({"a.md": OPEN, "b.md": SHUT})
    first = memory.disagree("is open", "not open", verdict="first").model_copy(update={"confidence": 0.9})
    again = first.model_copy(update={"id": "x9", "claims": first.claims[::-1], "verdict": None, "evidence": ()})
    found = settled_before(again, [first], RuleJudge())
    assert found is not None
    assert found.verdict == "second"


def test_copies_are_recognised_by_their_runs_of_words() -> None:
    text = "The old mill by the river was built of oak and stone by the Holt family and ground wheat for a century."
    assert copied(text, text.replace("oak", "elm"))
    assert not copied(text, "Trains leave the north platform of the station every hour from six until eleven at night.")
