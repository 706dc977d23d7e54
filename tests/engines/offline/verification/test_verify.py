"""Verification without a model: which sources count as voices, and the verdict they add up to."""

from __future__ import annotations

import pytest

from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.engines.offline.verification import verify
from memory_bank.engines.offline.verification.evidence import SourceStatement, Stance, Voice
from memory_bank.engines.offline.verification.weighing import weigh
from memory_bank.judgement.same_dispute import reuse_verdict
from memory_bank.judgement.statement import Statement
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.text.difference import is_copy
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge

OPEN, SHUT = "Alder Pool is open on Mondays.", "Alder Pool is not open on Mondays."


def verdict(memory: FakeTools, conflict: Conflict) -> Verification:
    steps = OfflineFramework(HashEmbedder(), RuleJudge()).act(memory.prompt("Verify it", conflict), memory)
    with pytest.raises(StopIteration) as ended:
        next(steps)
    result = ended.value.value
    assert result.answer.endswith(result.verification.reason)
    verification: Verification = result.verification
    return verification


@pytest.mark.parametrize(
    ("reference", "expected"),
    [(OPEN, "first"), (SHUT, "second"), ("Trains leave hourly from Alder.", "inconclusive")],
)
def test_the_reference_decides(reference: str, expected: Verdict) -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT}, {"register.md": reference})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert outcome.verdict == expected
    assert [one.source for one in outcome.evidence] == (["register.md"] if expected != "inconclusive" else [])


def test_without_other_sources_it_is_inconclusive() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert (outcome.verdict, outcome.evidence) == ("inconclusive", ())


@pytest.mark.parametrize(
    ("alike", "references", "expected"),
    [(0.1, {}, "both"), (0.1, {"register.md": SHUT}, "second"), (0.6, {}, "inconclusive")],
)
def test_both_hold_of_two_things_of_one_name_unless_a_reference_decides(
    monkeypatch: pytest.MonkeyPatch, alike: float, references: dict[str, str], expected: Verdict
) -> None:
    monkeypatch.setattr(verify, "same_thing", lambda *_: alike)
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT}, references)
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert outcome.verdict == expected
    if expected == "both":
        assert outcome.reason == "a.md and b.md are likely about two different things."
        assert outcome.confidence == pytest.approx(1 - alike)


def test_copies_of_one_text_are_one_voice() -> None:
    third = f"{SHUT} The bath has six lanes and a slide, and was built by the town after the war for its schools."
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT, "c.md": third, "d.md": third})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert len(outcome.evidence) <= 1


def test_divided_sources_are_inconclusive() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT}, {"one.md": OPEN, "two.md": SHUT})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert outcome.verdict == "inconclusive"
    assert "divided" in outcome.reason


@pytest.mark.parametrize(("of_second", "expected"), [(0.4, "inconclusive"), (None, "first")])
def test_a_reference_that_speaks_for_either_side_settles_nothing(of_second: float | None, expected: Verdict) -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    said = SourceStatement("r", "register.md", Statement("By one count it is open."), "", is_reference=True)
    voices = [Voice(said, Stance.FIRST, 0.9)]
    voices += [] if of_second is None else [Voice(said, Stance.SECOND, of_second)]
    outcome = weigh(memory.disagree("is open", "not open"), voices)
    assert outcome.verdict == expected
    assert [one.supports for one in outcome.evidence] == ["first", "second"][: len(voices)]


def test_the_reason_rests_on_no_source_that_speaks_for_either_side() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    divided = SourceStatement("r", "register.md", Statement("By one count it is open."), "", is_reference=True)
    others = [SourceStatement(name, name, Statement(OPEN), name) for name in ("fees.md", "times.md")]
    voices = [Voice(divided, Stance.FIRST, 1.0), *(Voice(said, Stance.FIRST, 1.0) for said in others)]
    outcome = weigh(memory.disagree("is open", "not open"), [*voices, Voice(divided, Stance.SECOND, 0.4)])
    assert outcome.verdict == "first"
    assert outcome.reason == f"fees.md, times.md supports a.md: “{OPEN.rstrip('.')}”."
    assert len(outcome.evidence) == 4


def test_a_reference_that_is_a_party_counts_once_as_a_reference() -> None:
    memory = FakeTools({"a.md": OPEN, "register.md": SHUT}, {"register.md": SHUT})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert outcome.verdict == "second"
    assert "register.md was given to check against" in outcome.reason
    assert 0.8 <= outcome.confidence < 0.9  # twice it would be .94


def test_only_a_reference_is_called_given_to_check_against() -> None:
    memory = FakeTools({"a.md": OPEN, "register.md": SHUT})
    conflict = memory.disagree("is open", "not open")
    references = {"register.md": True, "c.md": False}
    said = [SourceStatement(name, name, Statement(SHUT), SHUT, is_reference=each) for name, each in references.items()]
    outcome = weigh(conflict, [Voice(each, Stance.SECOND, 1.0) for each in said])
    expected = "register.md was given to check against: “Alder Pool is not open on Mondays”; for it also: c.md."
    assert (outcome.verdict, outcome.reason) == ("second", expected)


def test_a_reference_that_is_a_party_does_not_outvote_all_others() -> None:
    third = "On Mondays, as on Fridays, the great Alder Pool in Lund is open to all of its members from nine."
    fourth = "Alder Pool is open on Mondays, said the caretaker, who has run it for the town since the flood of May."
    memory = FakeTools({"a.md": OPEN, "register.md": SHUT, "c.md": third, "d.md": fourth}, {"register.md": SHUT})
    outcome = verdict(memory, memory.disagree("is open", "not open"))
    assert outcome.verdict == "inconclusive"


def test_the_verdict_on_the_same_dispute_is_reused_with_sides_swapped() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    first = memory.disagree("is open", "not open", verdict="first").model_copy(update={"confidence": 0.9})
    again = first.model_copy(update={"id": "x9", "claims": first.claims[::-1], "verdict": None, "evidence": ()})
    outcome = reuse_verdict(again, [first], RuleJudge())
    assert outcome is not None
    assert outcome.verdict == "second"


def test_a_persons_verdict_holds_in_other_nodes_too() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    settled = memory.disagree("is open", "not open", verdict="first").model_copy(update={"decided_by": "agent"})
    again = settled.model_copy(update={"id": "x9", "verdict": None, "evidence": (), "node_ids": ("n8", "n9")})
    assert reuse_verdict(again, [settled], RuleJudge()) is None
    outcome = reuse_verdict(again, [settled.model_copy(update={"decided_by": "person"})], RuleJudge())
    assert outcome is not None
    assert outcome.verdict == "first"


def test_copies_are_recognised_by_shared_runs_of_words() -> None:
    text = "The old mill by the river was built of oak and stone by the Holt family and ground wheat for a century."
    assert is_copy(text, text.replace("oak", "elm"))
    assert not is_copy(
        text, "Trains leave the north platform of the station every hour from six until eleven at night."
    )


def test_that_two_documents_are_about_two_things_settles_no_dispute_between_others() -> None:
    memory = FakeTools({"a.md": OPEN, "b.md": SHUT})
    settled = memory.disagree("is open", "not open", verdict="both").model_copy(update={"evidence": ()})
    again = settled.model_copy(update={"id": "x9", "verdict": None})
    assert reuse_verdict(again, [settled], RuleJudge()) is None
    assert reuse_verdict(again, [settled.model_copy(update={"decided_by": "person"})], RuleJudge()) is not None
