"""What holds of a bank whatever was recorded: each layer against what its events say, worked out in another way.

The layers are kept up to date by each event; here everything is computed from the whole list of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    ConflictOpened,
    EdgeCreated,
    EntryRecorded,
    Event,
    MergeReverted,
    NodeCreated,
    NodesMerged,
    PlanUpdated,
    SourceAdded,
    SourceIngested,
    SourceRefused,
    TurnTaken,
)
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.usage import Usage
from memory_bank.bank.value import Value


def state_of(held: object) -> Any:
    """All that a fold holds, in its order and for good; but for what its index has not taken yet."""
    if isinstance(held, dict):
        return tuple((key, state_of(inner)) for key, inner in held.items())
    if isinstance(held, list):
        return tuple(state_of(inner) for inner in held)
    if isinstance(held, set):
        return frozenset(held)
    if hasattr(held, "__dict__") and not isinstance(held, Value):
        return {name: state_of(inner) for name, inner in vars(held).items() if name != "_changed"}
    return held


class Lives:
    """What became of each node, by the merges that stand and those that were taken back."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.ids: list[str] = []
        self.standing: dict[str, Merge] = {}
        self.dissolved: dict[str, tuple[str, ...]] = {}
        for event in events:
            if isinstance(event, NodeCreated | NodesMerged):
                self.ids.append(event.node.id)
            if isinstance(event, NodesMerged):
                self.standing[event.node.id] = event.merge
            elif isinstance(event, MergeReverted):
                self.dissolved[event.node_id] = self.standing.pop(event.node_id).node_ids
        self.into = {part: new for new, merge in self.standing.items() for part in merge.node_ids}

    @property
    def living(self) -> set[str]:
        return {node_id for node_id in self.ids if self.heirs(node_id) == {node_id}}

    def heirs(self, node_id: str) -> set[str]:
        """The living nodes that a node has become: several where its merge was taken back."""
        if node_id in self.dissolved:
            return set().union(*(self.heirs(part) for part in self.dissolved[node_id]))
        return self.heirs(self.into[node_id]) if node_id in self.into else {node_id}


def check(bank: Bank, events: Sequence[Event]) -> None:
    """Every invariant of the three layers, the conflicts and the sums."""
    lives = Lives(events)
    check_graph(bank, events, lives)
    check_trees(bank, events, lives)
    check_merges(bank, lives)
    check_conflicts(bank)
    check_insight_doc(bank, events)
    check_sums(bank, events)
    check_ids(bank, events, lives)


def check_graph(bank: Bank, events: Sequence[Event], lives: Lives) -> None:
    """The living nodes, and an edge wherever one was made between what two of them were."""
    graph = bank.query_graph
    assert {node.id for node in graph} == lives.living
    related = [event.node_ids for event in events if isinstance(event, EdgeCreated)]
    ends = (pair for a, b in related for pair in product(lives.heirs(a), lives.heirs(b)))
    edges = graph.edges()
    assert {frozenset(edge) for edge in edges} == {frozenset(pair) for pair in ends if pair[0] != pair[1]}
    assert len({frozenset(edge) for edge in edges}) == len(edges)
    for node in graph:
        around = graph.neighbours(node.id)
        assert len(set(around)) == len(around)
        assert node.id not in around
        assert all(node.id in graph.neighbours(other) for other in around)


def recorded(events: Iterable[Event]) -> list[tuple[str, Entry]]:
    """Every entry with the node that it was recorded with, in order."""
    found: list[tuple[str, Entry]] = []
    for event in events:
        if isinstance(event, EntryRecorded):
            found.append((event.node_id, event.entry))
        elif isinstance(event, NodeCreated | NodesMerged) and event.entry is not None:
            found.append((event.node.id, event.entry))
    return found


def check_trees(bank: Bank, events: Sequence[Event], lives: Lives) -> None:
    """Every entry is as it was recorded, under one living node that came from its own; so every claim stands in one."""
    trees, all_of_them = bank.trees, recorded(events)
    assert list(trees) == [entry for _, entry in all_of_them]
    homes = [(entry.id, node.id) for node in bank.query_graph for entry in trees.entries(node.id)]
    assert Counter(entry_id for entry_id, _ in homes) == Counter(entry.id for _, entry in all_of_them)
    assert {entry_id: trees.node_of(entry_id) for entry_id, _ in homes} == dict(homes)
    for node_id, entry in all_of_them:
        assert trees.node_of(entry.id) in lives.heirs(node_id)
    place = {entry.id: (entry.created_at, number) for number, (_, entry) in enumerate(all_of_them)}
    for node in bank.query_graph:
        assert list(trees.entries(node.id)) == sorted(trees.entries(node.id), key=lambda entry: place[entry.id])
        for claim in node.claims:
            assert trees.entry(claim.entry_id).text[claim.start : claim.end] == claim.text
            assert trees.node_of(claim.entry_id) == node.id


def check_merges(bank: Bank, lives: Lives) -> None:
    """A node that was merged leads to its heir, whose trees tell of every merge that stands, oldest first."""
    told = {node_id: bank.trees.merges(node_id) for node_id in lives.ids}
    for node_id in lives.ids:
        expected = [merge for new, merge in lives.standing.items() if lives.heirs(new) == {node_id}]
        assert sorted(told[node_id], key=repr) == sorted(expected if node_id in lives.living else [], key=repr)
        assert list(told[node_id]) == sorted(told[node_id], key=lambda merge: merge.at)
        assert bank.trees.made_by(node_id) == lives.standing.get(node_id)
        assert {bank.living(node_id)} == (lives.heirs(node_id) if node_id not in lives.dissolved else {node_id})


def check_conflicts(bank: Bank) -> None:
    """A conflict names the nodes that hold its claims until one node has come of it; a node's status follows that."""
    unfinished = [conflict for conflict in bank.conflicts.values() if conflict.status != "resolved"]
    for conflict in unfinished:
        assert set(conflict.node_ids) == {bank.trees.node_of(claim.entry_id) for claim in conflict.parties}
        assert len(set(conflict.node_ids)) == len(conflict.node_ids)
    for node in bank.query_graph:
        states = {conflict.status for conflict in unfinished if node.id in conflict.node_ids}
        expected = "conflicting" if "open" in states else "disputed" if "disputed" in states else "active"
        assert node.status == expected
    for conflict in bank.conflicts.values():
        assert (conflict.merged_into is not None) == (conflict.status == "resolved")
        assert (conflict.status == "disputed") == (conflict.verdict == "inconclusive")
        if conflict.merged_into is not None:
            told = [
                merge.verdict for merge in bank.trees.merges(conflict.merged_into) if merge.conflict_id == conflict.id
            ]
            assert told == [conflict.verdict]
        for claim in conflict.parties:
            side = "first" if claim in conflict.sides[0] else "second"
            assert len({*conflict.sides[0]} & {*conflict.sides[1]}) or bank.stands(claim.id)[conflict.id] == side
    assert bank.open_conflicts() == [conflict for conflict in unfinished if conflict.status == "open"]
    assert set(bank.decisions) <= set(bank.conflicts)


def check_insight_doc(bank: Bank, events: Sequence[Event]) -> None:
    """Every finished task in the order in which they ended, and the step that was planned last."""
    done, current = [], None
    for event in events:
        if isinstance(event, SourceIngested | SourceRefused):
            done.append(event.task)
        elif isinstance(event, PlanUpdated):
            done.append(event.completed)
            current = event.current
    assert bank.insight_doc.completed_tasks == tuple(task for task in done if task is not None)
    assert bank.insight_doc.current_task == current


def check_sums(bank: Bank, events: Sequence[Event]) -> None:
    """What was spent, in all and by agent."""
    spent = sum((event.usage for event in events if isinstance(event, AgentCalled | AgentFailed | TurnTaken)), Usage())
    by_agent = sum(bank.usage_of.values(), Usage())
    for total in (bank.usage, by_agent):
        assert (total.calls, total.tokens) == (spent.calls, spent.tokens)
        assert math.isclose(total.seconds, spent.seconds, abs_tol=1e-6)


def check_ids(bank: Bank, events: Sequence[Event], lives: Lives) -> None:
    """The next id of each kind has never been one."""
    entries = [entry for _, entry in recorded(events)]
    taken = {
        "n": lives.ids,
        "e": [entry.id for entry in entries],
        "a": [found.id for entry in entries for found in entry.attachments],
        "c": [claim.id for event in events if isinstance(event, NodeCreated) for claim in event.node.claims],
        "x": [event.conflict.id for event in events if isinstance(event, ConflictOpened)],
        "s": [event.source.id for event in events if isinstance(event, SourceAdded)],
    }
    for prefix, ids in taken.items():
        assert len(set(ids)) == len(ids)
        assert bank.next_id(prefix) not in ids
