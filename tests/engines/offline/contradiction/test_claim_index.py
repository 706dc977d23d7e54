"""Nodes are found by what their claims are about, and the index costs what changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.contradiction.claim_index import COMMON, MOST_PARTNERS, OfflineClaimIndex
from tests.builders import make_claim

BUILT = "Beacon Mill was built in 1772."
ALSO_BUILT = "In 1869 Humphrey constructed Beacon Mill, which stands in Kent."
TALL = "Beacon Mill is 12 m tall."
OTHER = "Holt Church was built in 1200."


def claims(*texts: str) -> tuple[Claim, ...]:
    return tuple(make_claim(f"c{number}", "e1", text) for number, text in enumerate(texts))


def index(**nodes: str) -> OfflineClaimIndex:
    made = OfflineClaimIndex()
    for node_id, text in nodes.items():
        made.set(node_id, "", claims(text))
    return made


def test_claims_on_one_attribute_of_one_thing_are_partners_however_unlike_their_words() -> None:
    made = index(n1=BUILT, n2=ALSO_BUILT, n3=TALL, n4=OTHER)
    assert made.partners("n1") == ["n2"]
    assert made.partners("n2") == ["n1"]


def test_another_attribute_or_another_thing_is_no_partner() -> None:
    made = index(n1=BUILT, n3=TALL, n4=OTHER)
    assert made.partners("n1") == []


def test_a_claim_that_only_points_is_indexed_under_its_topic() -> None:
    made = index(n1=BUILT)
    made.set("n2", "Beacon Mill", claims("It was built in 1869."))
    made.set("n3", "", claims("It was built in 1869."))
    assert made.partners("n1") == ["n2"]


def test_those_with_most_in_common_come_first() -> None:
    made = OfflineClaimIndex()
    made.set("n1", "", claims(BUILT, TALL))
    made.set("n2", "", claims("Beacon Mill was built in 1869."))
    made.set("n3", "", claims("Beacon Mill was built in 1869.", "Beacon Mill is 20 m tall."))
    assert made.partners("n1") == ["n3", "n2"]


def test_partners_come_in_the_same_order_whatever_was_indexed_again() -> None:
    made = index(**{f"n{number}": f"Beacon Mill was built in {1700 + number}." for number in range(30)})
    before = made.partners("n5")
    made.set("n0", "", claims("Beacon Mill was built in 1700."))
    assert made.partners("n5") == before


def test_partners_are_bounded_and_the_same_every_time() -> None:
    made = index(**{f"n{number}": f"Beacon Mill was built in {1700 + number}." for number in range(30)})
    first = made.partners("n5")
    assert len(first) == MOST_PARTNERS
    assert "n5" not in first
    assert made.partners("n5") == first


def test_terms_that_everything_shares_tell_nothing() -> None:
    made = index(**{f"n{number}": f"Beacon Mill was built in {1700 + number}." for number in range(COMMON + 2)})
    assert made.partners("n5") == []


def test_setting_again_replaces_and_removing_forgets() -> None:
    made = index(n1=BUILT, n2=ALSO_BUILT)
    made.set("n2", "", claims(OTHER))
    assert made.partners("n1") == []
    made.set("n2", "", claims(ALSO_BUILT))
    made.remove("n2")
    assert made.partners("n1") == []
    made.remove("n2")
    assert made.partners("n2") == []


@pytest.mark.parametrize("node_id", ["n1", "n99"])
def test_a_node_without_claims_has_no_partners(node_id: str) -> None:
    made = index(n2=BUILT)
    made.set("n1", "Beacon Mill", ())
    assert made.partners(node_id) == []


TEXTS = st.sampled_from([BUILT, ALSO_BUILT, TALL, OTHER, "", "大桥于1957年建成。"])
CHANGES = st.lists(st.tuples(st.sampled_from(["n1", "n2", "n3", "n4"]), st.lists(TEXTS, max_size=3) | st.none()))


@given(CHANGES)
def test_what_is_left_after_any_changes_is_what_a_fresh_index_holds(
    changes: list[tuple[str, list[str] | None]],
) -> None:
    made = OfflineClaimIndex()
    last: dict[str, list[str]] = {}
    for node_id, texts in changes:
        last.pop(node_id, None)
        if texts is None:
            made.remove(node_id)
        else:
            made.set(node_id, "", claims(*texts))
            last[node_id] = texts
    fresh = OfflineClaimIndex()
    for node_id, texts in last.items():
        fresh.set(node_id, "", claims(*texts))
    for node_id in ("n1", "n2", "n3", "n4"):
        assert set(made.partners(node_id)) == set(fresh.partners(node_id))
        assert all(node_id in made.partners(other) for other in made.partners(node_id))


def far_down(number: int) -> str:
    """One of many nodes between a claim and its partner, unlike both."""
    return (
        f"Room {number} of the depot holds {number + 40} crates.",
        f"Mill {number} was built in {1500 + number}.",
        f"Beacon Hill School was opened in {1700 + number % 300}.",
    )[number % 3]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BUILT, "In 1869 Humphrey constructed Beacon Mill, which stands in Kent."),
        ("Beacon Mill is 12 m tall.", "Rising to a height of 31 m, Beacon Mill is seen from afar."),
        ("Beacon Mill was designed by Mary Stone.", "John Lang designed Beacon Mill."),
        ("The fire at Orvik killed 14 people.", "A total of 31 people were killed in the fire at Orvik."),
        ("Beacon Mill is open to visitors.", "Beacon Mill is not open to visitors."),
        ("Karl Weiss visited Tarn.", "Karl Weiss never visited Tarn."),
        ("The berries of the holm are edible.", "The berries of the holm are poisonous."),
        ("The tower has 42 storeys.", "The 38-storey tower stands by the river."),
    ],
)
def test_a_partner_is_found_however_many_nodes_lie_between(first: str, second: str) -> None:
    made = OfflineClaimIndex()
    made.set("first", "", claims(first))
    for number in range(300):
        made.set(f"n{number}", "", claims(far_down(number)))
    made.set("second", "", claims(second))
    assert "second" in made.partners("first")
    assert "first" in made.partners("second")


def test_a_long_document_on_one_thing_hides_no_partner() -> None:
    made = OfflineClaimIndex()
    for number in range(300):
        made.set(f"n{number}", "Beacon Mill", claims(f"Barn {number} was built in {1500 + number}."))
    made.set("n300", "Beacon Mill", claims("It was built in 1772."))
    made.set("n301", "Beacon Mill", claims("Humphrey constructed it in 1869."))
    assert made.partners("n300") == ["n301"]


def test_a_node_with_another_value_comes_before_many_that_agree() -> None:
    made = index(**{f"n{number}": "Beacon Mill was built in 1772." for number in range(50)})
    made.set("other", "", claims("Beacon Mill was built in 1869."))
    assert made.partners("n0")[0] == "other"
