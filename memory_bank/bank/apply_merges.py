"""Apply the events of merges: nodes merged, a merge taken back."""

from __future__ import annotations

from typing import Any

from memory_bank.bank.apply_conflicts import living_nodes, mark_outdated, update_node_statuses
from memory_bank.bank.apply_nodes import add_node, record_entry, require_new_entry, require_nodes
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import MergeReverted, NodesMerged
from memory_bank.bank.interaction_tree import Merge
from memory_bank.bank.state import BankState, apply_event


@apply_event.register
def _merge(event: NodesMerged, state: BankState) -> None:
    """Give the new node the edges, trees and unfinished conflicts of the merged ones, which end."""
    _require_verdict(state, event.merge)
    _require_valid_nodes(state, event)
    add_node(state, event.node)
    state.books.merges.join(event.merge, event.node.id)
    if event.entry is not None:
        record_entry(state, event.node.id, event.entry)
    for update in event.neighbour_updates:
        state.books.merges.rewrite(event.node.id, update.node_id, update.context, update.keywords)
    _move_conflicts(state, event)
    update_node_statuses(state, (event.node.id,))


def _require_verdict(state: BankState, merge: Merge) -> None:
    """Raise `CorruptLogError` unless the conflict of a merge has its verdict and lies within the merged nodes."""
    if merge.conflict_id is None:
        return
    conflict = state.conflicts[merge.conflict_id]
    settled = conflict.status == "open" and conflict.verdict is not None and conflict.verdict == merge.verdict
    if not settled or not set(conflict.node_ids) <= set(merge.node_ids):
        raise CorruptLogError(f"the merge into a new node does not follow from the verdict on {conflict.id}")


def _require_valid_nodes(state: BankState, event: NodesMerged) -> None:
    """Check that the merged nodes and the updated neighbours live and are all different, and that the entry is new."""
    parts = event.merge.node_ids
    neighbours = [update.node_id for update in event.neighbour_updates]
    require_nodes(state, *parts, *neighbours)
    if len(set(parts)) < len(parts) or not set(parts).isdisjoint(neighbours):
        raise CorruptLogError(f"the merge into {event.node.id} names a node twice")
    if event.entry is not None:
        require_new_entry(state, event.entry)


def _move_conflicts(state: BankState, event: NodesMerged) -> None:
    """Resolve the conflict that led to a merge; let the others name the new node in place of the merged ones."""
    for conflict in list(state.conflicts.values()):
        update: dict[str, Any] = {}
        if conflict.id == event.merge.conflict_id:
            update = {"status": "resolved", "merged_into": event.node.id}
        elif conflict.status != "resolved":
            node_ids = tuple(dict.fromkeys(state.books.merges.living(node_id) for node_id in conflict.node_ids))
            update = {"node_ids": node_ids} if node_ids != conflict.node_ids else {}
        elif conflict.merged_into is not None:
            update = {"merged_into": state.books.merges.living(conflict.merged_into)}
        if update:
            state.conflicts[conflict.id] = conflict.model_copy(update=update)


@apply_event.register
def _take_back(event: MergeReverted, state: BankState) -> None:
    """Bring the merged nodes back with their own entries and conflicts.

    An entry recorded since goes to the node that its conflict names, or else to the last of them.
    """
    parts, later_entries = state.books.merges.take_back(event.node_id)
    for conflict in list(state.conflicts.values()):
        _return_conflict(state, conflict, event.node_id, parts)
    for entry in later_entries:
        conflict_of_entry = state.conflicts.get(str(entry.metadata.get("conflict_id")))
        named = [part for part in parts if conflict_of_entry is not None and part in conflict_of_entry.node_ids]
        state.trees.move(entry.id, named[-1] if named else parts[-1])
    update_node_statuses(state, parts)
    mark_outdated(state)


def _return_conflict(state: BankState, conflict: Conflict, node_id: str, parts: tuple[str, ...]) -> None:
    """Let a conflict that named the split node name the parts that hold its claims; reopen the one it resolved."""
    update: dict[str, Any] = {}
    if conflict.merged_into == node_id:
        heirs = [part for part in parts if conflict.id in {merge.conflict_id for merge in state.trees.merges(part)}]
        if heirs:
            update = {"merged_into": heirs[0]}
        else:
            update = {"status": "open", "merged_into": None, "node_ids": living_nodes(state.books, conflict.id)}
            state.rounds[conflict.id] += 1
    elif conflict.status != "resolved" and node_id in conflict.node_ids:
        claim_nodes = [state.trees.node_of(c.entry_id) for c in conflict.parties if c.entry_id in state.trees]
        holders = tuple(part for part in dict.fromkeys(claim_nodes) if part in parts) or parts[-1:]
        state.books.conflict_nodes[conflict.id] = tuple(
            new_id
            for old_id in state.books.conflict_nodes[conflict.id]
            for new_id in (holders if old_id == node_id else (old_id,))
        )
        update = {"node_ids": living_nodes(state.books, conflict.id)}
    if update:
        state.conflicts[conflict.id] = conflict.model_copy(update=update)
