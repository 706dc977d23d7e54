from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pydantic import ValidationError

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.interaction_tree import Attachment, Entry, InteractionTrees, Merge
from tests.builders import make_attachment, make_entry, make_merge


class TreesMachine(RuleBasedStateMachine):
    """Records and merges in any order, with times that go back and forth, against lists of our own."""

    def __init__(self) -> None:
        super().__init__()
        self.trees = InteractionTrees()
        self.recorded: list[Entry] = []
        self.home: dict[str, str] = {}
        self.merges: dict[str, list[Merge]] = {"n1": [], "n2": [], "n3": []}
        self.undone: dict[str, tuple[dict[str, str], dict[str, list[Merge]]]] = {}
        self.shown: dict[str, tuple[Merge, ...]] = {}
        self.made = 3

    @rule(data=st.data(), seconds=st.integers(0, 3))
    def record(self, data: st.DataObject, seconds: int) -> None:
        node_id = data.draw(st.sampled_from(sorted(self.merges)))
        entry = make_entry(f"e{len(self.recorded) + 1}", f"text {len(self.recorded)}", seconds)
        self.trees.record(node_id, entry)
        self.recorded.append(entry)
        self.home[entry.id] = node_id

    @precondition(lambda self: self.recorded)
    @rule(data=st.data())
    def record_again(self, data: st.DataObject) -> None:
        taken = data.draw(st.sampled_from(self.recorded))
        with pytest.raises(CorruptLogError):
            self.trees.record(next(iter(self.merges)), taken.model_copy(update={"text": "rewritten"}))

    @rule(data=st.data(), seconds=st.integers(0, 3))
    def merge(self, data: st.DataObject, seconds: int) -> None:
        ids = data.draw(st.lists(st.sampled_from(sorted(self.merges)), min_size=1, max_size=3, unique=True))
        self.made += 1
        new_id = f"n{self.made}"
        merge = make_merge(*ids, seconds=seconds)
        homes = {entry_id: home for entry_id, home in self.home.items() if home in ids}
        self.shown |= {node_id: self.trees.merges(node_id) for node_id in ids}
        self.undone[new_id] = (homes, {node_id: self.merges[node_id] for node_id in ids})
        self.trees.reattach(tuple(ids), new_id, merge)
        self.home = {entry_id: new_id if home in ids else home for entry_id, home in self.home.items()}
        self.merges[new_id] = [*(found for node_id in ids for found in self.merges.pop(node_id)), merge]
        assert all(self.trees.entries(gone) == () and self.trees.merges(gone) == () for gone in ids)

    @precondition(lambda self: self.undone.keys() & self.merges.keys())
    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        """Entries recorded with the merged node itself go to the last of its parts, and from there anywhere."""
        node_id = data.draw(st.sampled_from(sorted(self.undone.keys() & self.merges.keys())))
        homes, merges = self.undone.pop(node_id)
        since = [entry for entry in self.recorded if self.home[entry.id] == node_id and entry.id not in homes]
        late = self.trees.split(node_id)
        assert list(late) == sorted(since, key=lambda entry: entry.created_at)
        del self.merges[node_id]
        self.merges |= merges
        self.home |= homes | {entry.id: list(merges)[-1] for entry in since}
        for entry in late:
            target = data.draw(st.sampled_from(sorted(merges)))
            self.trees.move(entry.id, target)
            self.home[entry.id] = target
        assert all(self.trees.merges(part) == self.shown[part] for part in merges)
        assert self.trees.made_by(node_id) is None
        assert self.trees.entries(node_id) == self.trees.merges(node_id) == ()

    @invariant()
    def no_entry_ever_changes_or_vanishes(self) -> None:
        assert list(self.trees) == self.recorded
        assert len(self.trees) == len(self.recorded)
        assert all(entry.id in self.trees and self.trees.entry(entry.id) == entry for entry in self.recorded)

    @invariant()
    def every_entry_hangs_under_one_node_and_the_index_agrees(self) -> None:
        for node_id in self.merges:
            expected = [entry for entry in self.recorded if self.home[entry.id] == node_id]
            assert list(self.trees.entries(node_id)) == sorted(expected, key=lambda entry: entry.created_at)
        assert {entry.id: self.trees.node_of(entry.id) for entry in self.recorded} == self.home

    @invariant()
    def merges_accumulate_oldest_first(self) -> None:
        for node_id, expected in self.merges.items():
            found = self.trees.merges(node_id)
            assert sorted(map(repr, found)) == sorted(map(repr, expected))
            assert [merge.at for merge in found] == sorted(merge.at for merge in expected)


TestTrees = TreesMachine.TestCase


def test_entries_of_the_same_moment_keep_the_order_in_which_they_came_through_a_merge() -> None:
    trees = InteractionTrees()
    for number in range(1, 13):
        trees.record(f"n{number % 2}", make_entry(f"e{number}"))
    trees.reattach(("n0", "n1"), "n2", make_merge("n0", "n1"))
    assert [entry.id for entry in trees.entries("n2")] == [f"e{number}" for number in range(1, 13)]


def test_an_unknown_entry_is_an_error() -> None:
    trees = InteractionTrees()
    assert "e1" not in trees
    with pytest.raises(KeyError):
        trees.entry("e1")
    with pytest.raises(KeyError):
        trees.node_of("e1")


def test_an_entry_cannot_be_edited() -> None:
    entry = make_entry()
    with pytest.raises(ValidationError):
        entry.text = "rewritten"  # type: ignore[misc]


def test_an_entry_without_a_time_zone_is_refused_because_it_cannot_be_put_in_order() -> None:
    with pytest.raises(ValidationError):
        Entry.model_validate(make_entry().model_dump() | {"created_at": "2024-05-01T12:00:00"})


@given(st.text(min_size=1))
def test_an_attachment_is_a_file_or_a_uri_and_never_content(path: str) -> None:
    content = make_attachment().model_dump() | {"path": f"data:image/png;base64,{path}"}
    with pytest.raises(ValidationError):
        Attachment.model_validate(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one, max_size=2),
    max_leaves=8,
)


@given(JSON, JSON)
def test_whatever_an_import_says_of_pages_they_are_in_order_and_counted_from_1(page: object, pages: object) -> None:
    entry = make_entry("e1", "text").model_copy(update={"metadata": {"page": page, "pages": pages}})
    starts = entry.page_starts
    assert starts == sorted(starts)
    assert all(start >= 0 and number > 0 for start, number in starts)
    assert entry.page is None or entry.page > 0


@pytest.mark.parametrize(
    ("metadata", "starts"),
    [
        ({"page": 2, "pages": [[0, 2], [40, 3]]}, [(0, 2), (40, 3)]),
        ({"page": 2}, [(0, 2)]),
        ({"page": 2, "pages": 5}, [(0, 2)]),
        ({"page": 2, "pages": [[40, 3], [0, 2]]}, [(0, 2)]),
        ({"page": "two"}, []),
        ({}, []),
    ],
)
def test_the_pages_of_an_entry_are_read_from_its_metadata(
    metadata: dict[str, object], starts: list[tuple[int, int]]
) -> None:
    assert make_entry("e1", "text").model_copy(update={"metadata": metadata}).page_starts == starts
