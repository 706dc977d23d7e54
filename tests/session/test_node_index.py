"""What is found follows the graph, and what could contradict a node is found however unlike it is."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event, NodeCreated, NodesMerged, NodeUpdated
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.judgement.judge import shared_judge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import RetrievalSettings
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.node_view import topic_of
from tests.builders import at, make_entry, make_merge

ALL = RetrievalSettings(k=50)
BEACON = "Beacon Mill was built in 1869."
PARRISH = "In 1905 Parrish saw Beacon Mill constructed."


def make_recall(bank: Bank, k: int = 5) -> NodeIndex:
    return NodeIndex(bank, HashEmbedder(), shared_judge(), RetrievalSettings(k=k))


def make_claim(number: int, text: str, source: str = "a.txt") -> Claim:
    return Claim(id=f"c{number}", text=text, entry_id=f"e{number}", start=0, end=len(text), source=source)


def make_node(number: int, text: str, *claims: str) -> Node:
    return Node(
        id=f"n{number}",
        summary=text,
        context=text[:40],
        keywords=(),
        timestamp=at(number),
        claims=tuple(make_claim(10 * number + place, claim) for place, claim in enumerate(claims)),
    )


def create(number: int, text: str, *claims: str, title: str | None = None) -> NodeCreated:
    entry = make_entry(f"e{number}", text, number)
    if title is not None:
        entry = entry.model_copy(update={"metadata": {"title": title}})
    return NodeCreated(node=make_node(number, text, *claims), entry=entry, unit=f"u{number}")


def merge(number: int, text: str, *merged: int, claims: tuple[str, ...] = ()) -> NodesMerged:
    record = make_merge(*(f"n{old}" for old in merged), seconds=number)
    return NodesMerged(node=make_node(number, text, *claims), merge=record)


def apply(bank: Bank, events: Iterable[Event]) -> None:
    for event in events:
        bank.apply(event)


def found(recall: NodeIndex, query: str) -> list[str]:
    """Ids of the nodes that share a word with the query, best first."""
    (vector,) = HashEmbedder().embed([query])
    hits = recall.index.retrieve(query, ALL)
    return [hit.id for hit in hits if recall.index.vector(hit.id) @ vector > 0.1]


def test_a_node_is_found_as_soon_as_it_is_there() -> None:
    bank = Bank()
    recall = make_recall(bank)
    assert recall.retrieve("dam") == []
    bank.apply(create(1, "The dam of Aswan"))
    assert found(recall, "dam") == ["n1"]
    bank.apply(create(2, "A dam, a dam"))
    assert found(recall, "dam") == ["n2", "n1"]


def test_a_rewritten_context_is_found_by_its_new_words_and_no_longer_by_the_old_ones() -> None:
    bank = Bank()
    recall = make_recall(bank)
    apply(bank, [create(1, "cotton"), create(2, "sheep")])
    assert found(recall, "cotton") == ["n1"]
    bank.apply(NodeUpdated(node_id="n2", context="cotton prices", keywords=("cotton",)))
    assert set(found(recall, "cotton")) == {"n1", "n2"}
    bank.apply(NodeUpdated(node_id="n2", context="wool", keywords=()))
    assert found(recall, "cotton") == ["n1"]


def test_after_a_merge_only_the_new_node_is_found_and_compared() -> None:
    bank = Bank()
    recall = make_recall(bank)
    apply(bank, [create(1, BEACON, BEACON), create(2, PARRISH, PARRISH), create(3, "Sheep graze.")])
    assert set(found(recall, "Beacon Mill")) == {"n1", "n2"}
    bank.apply(merge(4, "Beacon Mill, 1869 or 1905", 1, 2, claims=(BEACON,)))
    assert found(recall, "Beacon Mill") == ["n4"]
    bank.apply(create(5, "Oak.", PARRISH))
    candidates = recall.candidates("n5")
    assert "n4" in candidates
    assert {"n1", "n2"}.isdisjoint(candidates)


def test_as_many_are_found_as_the_settings_say() -> None:
    bank = Bank()
    apply(bank, [create(number, f"dam {number}") for number in range(1, 8)])
    assert len(make_recall(bank, k=3).retrieve("dam")) == 3


def test_a_node_is_never_its_own_candidate_and_excluded_ones_are_none() -> None:
    bank = Bank()
    apply(bank, [create(number, BEACON, BEACON) for number in range(1, 5)])
    assert set(make_recall(bank).candidates("n1", exclude=("n2",))) == {"n3", "n4"}


def test_a_claim_on_the_same_thing_makes_a_candidate_of_a_node_that_similarity_passes_over() -> None:
    bank = Bank()
    alike = [create(number, f"Oak beams and oak boards, load {number}.") for number in range(10, 40)]
    apply(bank, [create(1, "A ledger of rents.", PARRISH), *alike, create(2, "Oak beams and oak boards.", BEACON)])
    recall = make_recall(bank, k=3)
    candidates = recall.candidates("n2")
    assert len(candidates) == 4
    assert "n1" not in candidates[:3]
    assert candidates[3] == "n1"
    assert "n1" not in recall.candidates("n2", exclude=("n1",))


def test_the_topic_is_the_title_of_the_oldest_document_that_has_one() -> None:
    bank = Bank()
    apply(bank, [create(1, "One"), create(2, "Two", title="Second"), create(3, "Three", title="Third")])
    assert [topic_of(bank, node_id) for node_id in ("n1", "n2")] == ["", "Second"]
    bank.apply(merge(4, "All", 3, 2, 1))
    assert topic_of(bank, "n4") == "Second"


# -- whatever happens to the graph -----------------------------------------------------------------------

TEXTS = st.sampled_from([BEACON, PARRISH, "The dam of Aswan", "Sheep graze in Kent.", "大桥于1957年建成。", ""])


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Creations, rewritten contexts and merges in any order that the bank allows."""
    events: list[Event] = []
    living: list[int] = []
    for number in range(1, draw(st.integers(2, 14))):
        kind = draw(st.sampled_from(["create", "create", "update", "merge"]))
        text = draw(TEXTS)
        if kind == "merge" and len(living) >= 2:
            pair = draw(st.permutations(living))[:2]
            events.append(merge(number, text, *pair, claims=(text,)))
            living = [old for old in living if old not in pair] + [number]
        elif kind == "update" and living:
            events.append(NodeUpdated(node_id=f"n{draw(st.sampled_from(living))}", context=text, keywords=("oak",)))
        else:
            events.append(create(number, text, text))
            living.append(number)
    return events


@given(histories(), st.lists(st.booleans(), min_size=14, max_size=14), TEXTS)
def test_an_index_that_followed_every_change_finds_what_a_fresh_one_finds(
    events: list[Event], asked: list[bool], query: str
) -> None:
    bank = Bank()
    recall = make_recall(bank)
    for event, ask in zip(events, asked, strict=False):
        bank.apply(event)
        if ask:
            recall.retrieve(query)
    fresh = make_recall(Bank.replay(events))
    hits = {hit.id: round(hit.score, 6) for hit in recall.index.retrieve(query, ALL)}
    assert hits == {hit.id: round(hit.score, 6) for hit in fresh.index.retrieve(query, ALL)}
    assert set(hits) == {node.id for node in bank.query_graph}
    for node in bank.query_graph:
        assert set(recall.candidates(node.id)) == set(fresh.candidates(node.id))


@given(histories())
def test_candidates_are_living_nodes_each_once(events: list[Event]) -> None:
    bank = Bank.replay(events)
    recall = make_recall(bank, k=2)
    for node in bank.query_graph:
        candidates = recall.candidates(node.id)
        assert len(candidates) == len(set(candidates))
        assert all(candidate in bank.query_graph and candidate != node.id for candidate in candidates)
