"""Compare two moments of a session: what was added, merged, changed or separated in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory_bank.bank.bank import Bank
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.views.snapshot import Moment


@dataclass(frozen=True)
class Changes:
    """The difference between two moments. Nodes and conflicts are named by id, in the order of the bank.

    `added`: nodes that only the later moment has, results of merges included. `merged`: for each node of the earlier
    moment that was merged, the living node it is now part of. `changed`: nodes of both moments whose content or records
    differ. `separated`: nodes that are back because a merge was reverted; `dissolved`: the results of such merges,
    which are gone. `edges_added`, `edges_removed`: counted after the ends of each edge are mapped to the living nodes.
    `conflicts_settled`: a conflict decided to be a dispute counts as settled; one that was opened and settled in
    between is in both lists. `answer_changed`: the answer of the later moment is a different one.
    """

    added: tuple[str, ...]
    merged: Mapping[str, str]
    changed: tuple[str, ...]
    separated: tuple[str, ...]
    dissolved: tuple[str, ...]
    edges_added: int
    edges_removed: int
    conflicts_opened: tuple[str, ...]
    conflicts_settled: tuple[str, ...]
    tasks: tuple[CompletedTask, ...]
    answer_changed: bool


def compare_moments(earlier: Moment, later: Moment) -> Changes:
    """Compare two moments of one session. The events of `earlier` must be a prefix of those of `later`."""
    before, after = earlier.bank, later.bank
    new = [node.id for node in after.query_graph if node.id not in before.query_graph]
    gone = [node.id for node in before.query_graph if node.id not in after.query_graph]
    merged = {node_id: after.living(node_id) for node_id in gone if after.living(node_id) in after.query_graph}
    edges_before, edges_after = _edges(before, after), _edges(after, after)
    completed_before = len(before.insight_doc.completed_tasks)
    return Changes(
        added=tuple(node_id for node_id in new if node_id not in before.merges.merged_into),
        merged=merged,
        changed=tuple(
            node.id
            for node in after.query_graph
            if (old := before.query_graph.get(node.id)) is not None
            and (node != old or before.trees.entries(node.id) != after.trees.entries(node.id))
        ),
        separated=tuple(node_id for node_id in new if node_id in before.merges.merged_into),
        dissolved=tuple(node_id for node_id in gone if node_id not in merged),
        edges_added=len(edges_after - edges_before),
        edges_removed=len(edges_before - edges_after),
        conflicts_opened=tuple(_opened(before, after)),
        conflicts_settled=tuple(_settled(before, after)),
        tasks=after.insight_doc.completed_tasks[completed_before:],
        answer_changed=before.answer != after.answer,
    )


def _edges(bank: Bank, after: Bank) -> set[frozenset[str]]:
    """The edges of `bank` between the nodes that are living in `after`. Edges inside one merged node are dropped."""
    edges = (frozenset(after.living(node_id) for node_id in edge) for edge in bank.query_graph.edges())
    return {edge for edge in edges if len(edge) > 1}


def _opened(before: Bank, after: Bank) -> Iterator[str]:
    """The ids of conflicts that were opened or reopened in between."""
    for conflict in after.conflicts.values():
        old = before.conflicts.get(conflict.id)
        if old is None or (old.status != "open" and conflict.status == "open"):
            yield conflict.id


def _settled(before: Bank, after: Bank) -> Iterator[str]:
    """The ids of conflicts that were settled in between, or settled differently than before."""
    for conflict in after.conflicts.values():
        old = before.conflicts.get(conflict.id)
        outcome = (conflict.status, conflict.verdict)
        if conflict.status != "open" and (old is None or (old.status, old.verdict) != outcome):
            yield conflict.id
