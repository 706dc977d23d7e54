"""Comparison of two documents or two things, without a model."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.answering.passages import CandidatePassage, passages_of
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.engines.offline.answering.setting_aside import JudgedPassages
from memory_bank.engines.offline.answering.side_by_side import changes, comparison
from memory_bank.search.embedding import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge

OLD = "Trips are booked through the desk. Claims are sent in within 30 days. Rental cars need a permit."
NEW = "Trips are booked through the desk. Claims are sent in within 14 days. Night trains are paid for."
LUMEN = "The Lumen lamp costs 49 euros. The Lumen lamp weighs 310 grams."
HALO = "The Halo lamp costs 65 euros. The Halo lamp weighs 420 grams. The Halo is waterproof."


def pool(**documents: str) -> list[CandidatePassage]:
    memory = FakeTools(documents)
    return passages_of([node.id for node in memory.nodes], memory)


def rows(candidates: list[Candidate]) -> dict[str | None, list[tuple[str | None, str]]]:
    """The label and quotation of each candidate, by heading."""
    by_heading: dict[str | None, list[tuple[str | None, str]]] = {}
    for candidate in candidates:
        by_heading.setdefault(candidate.heading, []).append((candidate.label, candidate.passage.text))
    return by_heading


def test_changes_have_the_old_and_the_new_sentence_and_what_only_one_document_has() -> None:
    assert rows(changes(pool(old=OLD, new=NEW), HashEmbedder(), RuleJudge())) == {
        "Changed": [("old", "Claims are sent in within 30 days."), ("new", "Claims are sent in within 14 days.")],
        "Only in old": [("old", "Rental cars need a permit.")],
        "Only in new": [("new", "Night trains are paid for.")],
    }


def test_what_only_one_version_has_is_given_where_it_is_a_statement_and_stands_last() -> None:
    old = "Present: Ann Hale (chair), Ben Stone\n\nClaims are sent in within 30 days. Rental cars need a permit."
    new = "Claims are sent in within 14 days.\n\nDistribution: all members"
    assert list(rows(changes(pool(old=old, new=new), HashEmbedder(), RuleJudge())).items()) == [
        ("Changed", [("old", "Claims are sent in within 30 days."), ("new", "Claims are sent in within 14 days.")]),
        ("Only in old", [("old", "Rental cars need a permit.")]),
    ]


def test_changes_stand_under_their_sections() -> None:
    old, new = (f"# Claims\n\nClaims are sent in within {days} days.\n\n# Cars\n\nCars are red." for days in (30, 14))
    assert list(rows(changes(pool(old=old, new=new), HashEmbedder(), RuleJudge()))) == ["Claims"]


@pytest.mark.parametrize("documents", [{"a": OLD}, {"a": OLD, "b": NEW, "c": HALO}])
def test_without_two_documents_nothing_is_compared(documents: dict[str, str]) -> None:
    assert changes(pool(**documents), HashEmbedder(), RuleJudge()) == []
    assert comparison("Compare the documents.", pool(**documents), HashEmbedder()) == []


def test_two_things_are_compared_attribute_by_attribute() -> None:
    found = rows(comparison("Compare the Lumen and the Halo.", pool(all=f"{LUMEN} {HALO}"), HashEmbedder()))
    lumen, halo = ("Lumen", "The Lumen lamp costs 49 euros."), ("Halo", "The Halo lamp costs 65 euros.")
    assert found["Lamp costs"] == [lumen, halo]
    assert ("Lumen", "The Lumen lamp weighs 310 grams.") in found["Lamp weighs"]
    assert found["Waterproof"] == [("Halo", "The Halo is waterproof.")]


def test_what_both_sides_word_alike_stands_on_both_sides() -> None:
    found = rows(
        comparison("Compare the documents.", pool(a="The fee is 5 euros.", b="The fee is 5 euros."), HashEmbedder())
    )
    assert found == {"Fee": [("a", "The fee is 5 euros."), ("b", "The fee is 5 euros.")]}


def test_things_without_a_name_are_compared_too() -> None:
    text = "The bus to town takes an hour. The tram to town takes half an hour."
    found = rows(comparison("Compare the bus and the tram", pool(a=text), HashEmbedder()))
    assert [label for sides in found.values() for label, _ in sides] == ["bus", "tram"]


def test_rows_of_data_sheets_are_compared_under_their_labels_all_of_them_and_each_thing_has_its_whole_name() -> None:
    labels = ("Noise", "Tank", "Weight", "Power", "Fuse", "Length", "Width", "Height", "Cable", "Warranty")
    sheets = {
        f"{number}.md": f"# Kestrel {number}\n\n| Property | Value |\n|---|---|\n"
        + "\n".join(f"| {label} | {number + n} dB(A) |" for n, label in enumerate(labels))
        for number in (200, 300)
    }
    memory = FakeTools(sheets)
    passages = passages_of([node.id for node in memory.nodes], memory)
    found = rows(comparison("Compare the Kestrel 200 and the Kestrel 300.", passages, HashEmbedder()))
    assert list(found) == list(labels)
    assert [label for label, _ in found["Noise"]] == ["Kestrel 200", "Kestrel 300"]


def test_a_figure_in_dispute_bars_no_other_figure_with_the_same_digits() -> None:
    memory = FakeTools({
        "a.md": "Keep it 20 cm from walls.",
        "b.md": "Keep it 30 cm from walls. It draws water from air at 30 °C.",
    })  # fmt: skip
    conflict = memory.disagree("20 cm", "30 cm", "inconclusive")
    passages = passages_of([node.id for node in memory.nodes], memory)
    aside = JudgedPassages([conflict], HashEmbedder(), RuleJudge(), passages).stating_barred(passages)
    assert {passage.text for passage in aside} == {"Keep it 20 cm from walls.", "Keep it 30 cm from walls."}
