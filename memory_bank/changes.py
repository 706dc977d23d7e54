"""What became of the memory between two moments of a session: added, merged, changed, taken apart again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory_bank.bank.bank import Bank
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.query_graph import Node
from memory_bank.moment import Moment


@dataclass(frozen=True)
class Changes:
    """The difference of two moments; nodes and conflicts by their ids, in the order of the bank.

    `added`: nodes of the later moment alone, results of merges among them. `merged`: a node of the earlier moment, and
    the living node it has become. `changed`: nodes of both that say something else or rest on other records.
    `separated`: nodes that live again because a merge was taken back; `dissolved`: the results of such merges, which
    are no more. `edges_added`, `edges_removed`: between what the nodes have become. A conflict is settled when it is
    decided, be it as a dispute; one that was opened and settled in between is named twice. `answer_changed`: the
    later moment has another answer.
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


def changes(earlier: Moment, later: Moment) -> Changes:
    """What is different at the later moment. Both are of one session, the earlier one a part of the later."""
    before, after = earlier.bank, later.bank
    new = [node.id for node in after.query_graph if node.id not in before.query_graph]
    gone = [node.id for node in before.query_graph if node.id not in after.query_graph]
    merged = {node_id: after.living(node_id) for node_id in gone if after.living(node_id) in after.query_graph}
    edges_before, edges_after = _edges(before, after), _edges(after, after)
    done = len(before.insight_doc.completed_tasks)
    return Changes(
        added=tuple(node_id for node_id in new if node_id not in before.merged_into),
        merged=merged,
        changed=tuple(node.id for node in after.query_graph if _differs(node, before, after)),
        separated=tuple(node_id for node_id in new if node_id in before.merged_into),
        dissolved=tuple(node_id for node_id in gone if node_id not in merged),
        edges_added=len(edges_after - edges_before),
        edges_removed=len(edges_before - edges_after),
        conflicts_opened=tuple(_opened(before, after)),
        conflicts_settled=tuple(_settled(before, after)),
        tasks=after.insight_doc.completed_tasks[done:],
        answer_changed=before.answer != after.answer,
    )


def _differs(node: Node, before: Bank, after: Bank) -> bool:
    """Whether a node of the later moment was there, and was another."""
    old = before.query_graph.get(node.id)
    if old is None:
        return False
    return node != old or before.trees.entries(node.id) != after.trees.entries(node.id)


def _edges(bank: Bank, after: Bank) -> set[frozenset[str]]:
    """Each edge as the set of what its ends have become; none between nodes that have become one."""
    ends = (frozenset(after.living(node_id) for node_id in edge) for edge in bank.query_graph.edges())
    return {edge for edge in ends if len(edge) > 1}


def _opened(before: Bank, after: Bank) -> Iterator[str]:
    """Conflicts that are new since, or open again."""
    for conflict in after.conflicts.values():
        old = before.conflicts.get(conflict.id)
        if old is None or (old.status != "open" and conflict.status == "open"):
            yield conflict.id


def _settled(before: Bank, after: Bank) -> Iterator[str]:
    """Conflicts that have an end now which they did not have."""
    for conflict in after.conflicts.values():
        old = before.conflicts.get(conflict.id)
        end = (conflict.status, conflict.verdict)
        if conflict.status != "open" and (old is None or (old.status, old.verdict) != end):
            yield conflict.id
