"""How a new node stands to those there are: conflict before merge before related before nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.analysis import LOOKED_FOR, AnalysisInput, NodeView, Phase, Relation
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.analysis import analyse
from memory_bank.engines.offline.claims.claims import extract_claims
from memory_bank.modules.embedding import Embedder, load_embedder
from memory_bank.modules.hash_embedder import HashEmbedder
from memory_bank.modules.sentences import sentences
from tests.engines.offline.pairs import CONTRADICTING, HARMLESS

GUIDE = "Beacon Mill stands near Benenden in Kent. Beacon Mill was built in 1772. It has four floors and no sails."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill was built in 1869. Wheat was ground there until the war."
WOOL = "Wool prices fell in Bradford. Merchants sold their stock in London at a loss."


def view(number: int, text: str, topic: str = "", keywords: tuple[str, ...] = (), source: str = "") -> NodeView:
    spans = extract_claims(text, sentences(text))
    claims = tuple(
        Claim(
            id=f"c{number}{place:02}",
            text=found.text,
            entry_id=f"e{number}",
            start=found.start,
            end=found.end,
            source=source or f"{number}.txt",
        )
        for place, found in enumerate(spans)
    )
    return NodeView(id=f"n{number}", summary=text, context=text[:60], keywords=keywords, topic=topic, claims=claims)


def relations(new: NodeView, *others: NodeView, embedder: Embedder | None = None) -> tuple[Relation, ...]:
    given_nodes = AnalysisInput(node=new, candidates=(new, *others))
    return analyse(given_nodes, embedder or HashEmbedder()).relations


def kinds(*found: Relation) -> dict[str, str]:
    return {relation.existing_id: relation.relation for relation in found}


def test_two_values_of_one_thing_are_a_conflict_of_exactly_these_two_claims() -> None:
    new, old = view(2, LEAFLET), view(1, GUIDE)
    (relation,) = relations(new, old)
    assert (relation.existing_id, relation.relation) == ("n1", "conflict")
    (found,) = relation.contradictions
    claims = {claim.id: claim.text for node in (new, old) for claim in node.claims}
    assert claims[found.existing_claim] == "Beacon Mill was built in 1772."
    assert claims[found.new_claim] == "Beacon Mill was built in 1869."
    assert "1772" in found.description
    assert "1869" in found.description
    assert relation.confidence == found.confidence


def test_a_copy_is_merged() -> None:
    assert kinds(*relations(view(2, GUIDE), view(1, GUIDE))) == {"n1": "merge"}


def test_a_copy_with_one_altered_fact_is_a_conflict_and_no_merge() -> None:
    altered = GUIDE.replace("1772", "1869")
    assert kinds(*relations(view(2, altered), view(1, GUIDE))) == {"n1": "conflict"}


def test_a_text_that_adds_to_another_is_not_merged_with_it() -> None:
    more = f"{GUIDE} {WOOL} The Bradford exchange closed. A strike began there in May."
    assert kinds(*relations(view(2, more), view(1, GUIDE))).get("n1") != "merge"


def test_texts_on_one_thing_are_related_and_on_different_things_are_not() -> None:
    sails = "The sails of Beacon Mill were tied for good. Beacon Mill near Benenden is open on Sundays."
    found = relations(view(3, sails), view(1, GUIDE), view(2, WOOL), embedder=load_embedder())
    assert kinds(*found) == {"n1": "related"}
    assert found[0].reasoning


def test_a_shared_key_phrase_or_name_relates_what_is_less_alike() -> None:
    first = view(1, "Beacon Mill has no sails.", keywords=("smock",))
    second = view(2, "The carpenter repaired Beacon Mill with oak.")
    (relation,) = relations(second, first, embedder=load_embedder())
    assert relation.relation == "related"
    assert "beacon mill" in relation.reasoning


def test_the_order_is_that_of_the_candidates_each_at_most_once() -> None:
    others = [view(number, text) for number, text in ((3, GUIDE), (1, LEAFLET), (2, WOOL), (4, GUIDE))]
    found = relations(view(9, LEAFLET), *others)
    ids = [relation.existing_id for relation in found]
    assert ids == [other.id for other in others if other.id in ids]
    assert kinds(*found) == {"n3": "conflict", "n1": "merge", "n4": "conflict"}


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("all", {"n1": "conflict", "n2": "merge", "n3": "related"}),
        ("conflict_merge", {"n1": "conflict", "n2": "merge"}),
        ("related", {"n3": "related"}),
    ],
)
def test_a_phase_yields_only_the_relations_it_looks_for(phase: Phase, expected: dict[str, str]) -> None:
    sails = "The sails of Beacon Mill were tied for good. Beacon Mill is open on Sundays."
    new, others = view(9, LEAFLET), (view(1, GUIDE), view(2, LEAFLET), view(3, sails))
    memory = AnalysisInput(node=new, candidates=(new, *others), phase=phase)
    found = analyse(memory, load_embedder()).relations
    assert kinds(*found) == expected
    assert set(expected.values()) == set(LOOKED_FOR[phase])


def test_a_node_is_never_related_to_or_merged_with_itself() -> None:
    assert relations(view(1, GUIDE)) == ()


def test_without_candidates_there_is_no_relation() -> None:
    assert analyse(AnalysisInput(node=view(1, GUIDE), candidates=()), HashEmbedder()).relations == ()


def test_a_contradiction_inside_the_new_node_is_found_once() -> None:
    text = "Holt Mill stands in Kent. Holt Mill was built in 1812. It has four floors. Holt Mill was built in 1842."
    new = view(1, text, "Holt Mill")
    (relation,) = relations(new)
    assert (relation.existing_id, relation.relation) == ("n1", "conflict")
    (found,) = relation.contradictions
    assert found.existing_claim != found.new_claim


@pytest.mark.parametrize(
    "text",
    [
        "The first bridge was built in 1801. The second bridge was built in 1846. The third bridge was built in 1902.",
        "Red Mill was built in 1801. Blue Mill was built in 1846.",
        "The mill employed 12 men in 1850. The mill employed 30 men in 1880.",
    ],
)
def test_a_list_inside_one_node_is_no_contradiction(text: str) -> None:
    assert relations(view(1, text, "Mills and bridges of Holt")) == ()


def test_two_documents_in_one_merged_node_are_not_compared_as_if_they_were_one() -> None:
    """They were compared before the merge, by the rules for two documents; a verdict may have kept both."""
    first, second = view(1, "Holt Mill was built in 1812.", source="a.txt"), view(2, "Holt Mill was built in 1842.")
    merged = first.model_copy(update={"id": "n3", "claims": (*first.claims, *second.claims), "topic": "Holt Mill"})
    assert relations(merged) == ()


def test_the_title_tells_two_things_of_one_name_apart() -> None:
    first = view(1, "Night Train was released in 1979.", "Night Train (Joan Field album)")
    second = view(2, "Night Train was released in 2003.", "Night Train (Kilns album)")
    assert "conflict" not in kinds(*relations(second, first)).values()


@pytest.mark.parametrize("text", ["", "Hm.", "的"])
def test_a_node_that_says_nothing_is_unrelated(text: str) -> None:
    assert relations(view(2, text), view(1, GUIDE)) == ()
    assert relations(view(1, GUIDE), view(2, text)) == ()


def test_two_copies_without_a_checkable_statement_are_merged() -> None:
    """Nothing in them can be contradicted, and still they are the same words."""
    text = "how lovely the evening light on the water was and how softly the reeds were moving"
    first = view(1, text).model_copy(update={"claims": ()})
    second = view(2, text).model_copy(update={"claims": ()})
    assert kinds(*relations(second, first)) == {"n1": "merge"}


TEXTS = st.sampled_from([text for pair in (*HARMLESS, *CONTRADICTING) for text in (pair.a, pair.b)])


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_relations_name_candidates_and_claims_that_exist(text: str, others: list[str]) -> None:
    new = view(1, text)
    nodes = [view(number, other) for number, other in enumerate(others, start=2)]
    found = relations(new, *nodes)
    by_id = {node.id: {claim.id for claim in node.claims} for node in (new, *nodes)}
    assert len(kinds(*found)) == len(found)
    for relation in found:
        assert 0 <= relation.confidence <= 1
        assert bool(relation.contradictions) == (relation.relation == "conflict")
        for one in relation.contradictions:
            assert one.new_claim in by_id["n1"]
            assert one.existing_claim in by_id[relation.existing_id]


@given(TEXTS, TEXTS)
def test_it_makes_no_difference_which_of_two_nodes_is_the_new_one(first: str, second: str) -> None:
    there, back = relations(view(2, second), view(1, first)), relations(view(1, first), view(2, second))
    assert [r.relation for r in there if r.existing_id == "n1"] == [r.relation for r in back if r.existing_id == "n2"]
