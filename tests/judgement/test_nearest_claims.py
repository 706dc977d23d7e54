"""Nodes by the vectors of their claims."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.nearest_claims import MOST_PARTNERS, NearestClaims
from memory_bank.search.hash_embedder import HashEmbedder
from tests.builders import make_claim

EMBEDDER = HashEmbedder(64)
TEXTS = st.lists(st.sampled_from(["The mill is old.", "The dam is high.", "Trains leave hourly.", ""]), max_size=3)


def claims(*texts: str) -> tuple[Claim, ...]:
    return tuple(make_claim(f"c{number}", text=text) for number, text in enumerate(texts))


def test_the_node_with_the_nearest_claim_comes_first() -> None:
    index = NearestClaims(EMBEDDER)
    index.set("n1", claims("The mill was built in 1905."))
    index.set("n2", claims("Trains leave hourly.", "The mill was built in 1971."))
    index.set("n3", claims("The mill burnt down."))
    assert index.partners("n1")[0] == "n2"


def test_a_node_that_was_removed_or_replaced_is_not_found_for_what_it_said() -> None:
    index = NearestClaims(EMBEDDER)
    index.set("n1", claims("The mill was built in 1905."))
    index.set("n2", claims("The mill was built in 1971."))
    index.set("n2", claims("Trains leave hourly."))
    index.remove("n2")
    index.remove("n2")
    assert index.partners("n1") == []


def test_nodes_of_other_documents_come_before_those_of_the_same_document() -> None:
    index = NearestClaims(EMBEDDER)
    index.set("n0", claims("The mill was built in 1905."))
    for number in range(1, MOST_PARTNERS + 2):
        index.set(f"n{number}", claims(f"The mill was built in 1905, says page {number}."))
    (other,) = claims("In 1971 the mill was built.")
    index.set("n99", (other.model_copy(update={"source": "other.md"}),))
    assert index.partners("n0")[0] == "n99"
    assert len(index.partners("n0")) == MOST_PARTNERS


@given(st.dictionaries(st.sampled_from(["n1", "n2", "n3", "n10"]), TEXTS), st.lists(st.sampled_from(["n1", "n3"])))
def test_an_index_made_anew_finds_the_same(nodes: dict[str, list[str]], removed: list[str]) -> None:
    index = NearestClaims(EMBEDDER)
    for node_id, texts in nodes.items():
        index.set(node_id, claims(*texts))
        index.set(node_id, claims(*texts))
    for node_id in removed:
        index.remove(node_id)
    anew = NearestClaims(EMBEDDER)
    for node_id in sorted(nodes, reverse=True):
        if node_id not in removed:
            anew.set(node_id, claims(*nodes[node_id]))
    for node_id in nodes:
        found = index.partners(node_id)
        assert set(found) == set(anew.partners(node_id))
        assert node_id not in found
        assert len(found) <= MOST_PARTNERS


def test_equally_near_claims_are_found_in_whatever_order_they_came() -> None:
    def partners(order: list[int]) -> list[str]:
        index = NearestClaims(EMBEDDER)
        for number in order:
            index.set(f"n{number}", claims("The mill is old."))
        return index.partners("n1")

    assert partners([1, 2, 3, 4, 5, 6, 7, 8]) == partners([8, 7, 6, 5, 4, 3, 2, 1]) != []


def test_the_nearest_of_many_claims_is_found() -> None:
    index = NearestClaims(HashEmbedder(2048))
    for number in range(1100):
        index.set(f"n{number}", claims(f"Mill {number} stands in field {number}."))
    index.set("x", claims("Mill 1050 stands in field 1050."))
    assert "n1050" in index.partners("x")
