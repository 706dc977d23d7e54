"""Two documents, or two things, side by side."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.answering.passages import Passage, passages_of
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.engines.offline.answering.side_by_side import changes, comparison, computed_of_two
from memory_bank.modules.embedding import HashEmbedder
from tests.engines.offline.memory import Memory
from tests.judgement.rule_judge import RuleJudge

OLD = "Trips are booked through the desk. Claims are sent in within 30 days. Rental cars need a permit."
NEW = "Trips are booked through the desk. Claims are sent in within 14 days. Night trains are paid for."
LUMEN = "The Lumen lamp costs 49 euros. The Lumen lamp weighs 310 grams."
HALO = "The Halo lamp costs 65 euros. The Halo lamp weighs 420 grams. The Halo is waterproof."


def pool(**documents: str) -> list[Passage]:
    memory = Memory(documents)
    return passages_of([node.id for node in memory.nodes], memory)


def rows(found: list[Candidate]) -> dict[str | None, list[tuple[str | None, str]]]:
    """What stands under each heading: labels and quotations."""
    under: dict[str | None, list[tuple[str | None, str]]] = {}
    for one in found:
        under.setdefault(one.heading, []).append((one.label, one.passage.text))
    return under


def test_what_changed_is_told_with_the_old_and_the_new_sentence_and_what_is_only_in_one() -> None:
    assert rows(changes(pool(old=OLD, new=NEW), HashEmbedder(), RuleJudge())) == {
        "Changed": [("old", "Claims are sent in within 30 days."), ("new", "Claims are sent in within 14 days.")],
        "Only in old": [(None, "Rental cars need a permit.")],
        "Only in new": [(None, "Night trains are paid for.")],
    }


@pytest.mark.parametrize("documents", [{"a": OLD}, {"a": OLD, "b": NEW, "c": HALO}])
def test_without_two_documents_nothing_is_compared(documents: dict[str, str]) -> None:
    assert changes(pool(**documents), HashEmbedder(), RuleJudge()) == []
    assert comparison("Compare the documents.", pool(**documents), HashEmbedder()) == []


def test_two_things_are_compared_attribute_by_attribute_and_what_one_lacks_is_left_open() -> None:
    found = rows(comparison("Compare the Lumen and the Halo.", pool(all=f"{LUMEN} {HALO}"), HashEmbedder()))
    lumen, halo = ("Lumen", "The Lumen lamp costs 49 euros."), ("Halo", "The Halo lamp costs 65 euros.")
    assert found["lamp costs"] == [lumen, halo]
    assert ("Lumen", "The Lumen lamp weighs 310 grams.") in found["lamp weighs"]
    assert found["Only in Halo"] == [(None, "The Halo is waterproof.")]


def test_difference_and_sum_of_two_figures_are_computed_and_both_passages_stand_beside_them() -> None:
    ranked = [Candidate(one, 0.5) for one in pool(all=f"{LUMEN} {HALO}") if "costs" in one.text]
    found = computed_of_two("How much more is the Halo than the Lumen?", ranked, set())
    assert found is not None
    assert found.label == "difference 16 euros, sum 114 euros"
    assert found.beside is not None
    assert {found.passage.text, found.beside.text} == {one.passage.text for one in ranked}


def test_figures_of_two_units_are_not_computed_with() -> None:
    said = ("The Lumen lamp costs 49 euros.", "The Halo lamp weighs 420 grams.")
    ranked = [Candidate(one, 0.5) for one in pool(all=f"{LUMEN} {HALO}") if one.text in said]
    assert computed_of_two("How much more is the Halo than the Lumen?", ranked, set()) is None
