"""Apply the events of conflicts (opened, supported, decided, reopened) and of merges (of nodes, and their undoing)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_bank.bank import events as ev
from memory_bank.bank.apply_nodes import add_node, record_entry, require_new_entry, require_nodes
from memory_bank.bank.conflict import SIDES, Conflict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import MergeReverted, NodesMerged
from memory_bank.bank.interaction_tree import Merge
from memory_bank.bank.query_graph import NodeStatus
from memory_bank.bank.state import BankState, apply_event


@apply_event.register
def _open(event: ev.ConflictOpened, state: BankState) -> None:
    conflict = event.conflict
    if conflict.id in state.conflicts:
        raise CorruptLogError(f"conflict {conflict.id} is opened twice")
    if conflict.status != "open" or conflict.verdict is not None or conflict.merged_into is not None:
        raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
    require_nodes(state, *conflict.node_ids)
    state.ids.add(conflict.id)
    state.conflicts[conflict.id] = conflict
    state.conflict_nodes[conflict.id] = conflict.node_ids
    for side, claims in zip(SIDES, conflict.sides, strict=True):
        for claim in claims:
            state.sides.setdefault(claim.id, {})[conflict.id] = side
    update_node_statuses(state, conflict.node_ids)


@apply_event.register
def _add_supporter(event: ev.ConflictSupported, state: BankState) -> None:
    conflict = state.conflicts[event.conflict_id]
    if not conflict.undecided or conflict.id in state.sides.get(event.claim.id, {}):
        raise CorruptLogError(f"{event.claim.id} cannot join a side of {conflict.id}: it is settled, or has it")
    require_nodes(state, event.node_id)
    first, second = conflict.supporters
    supporters = ((*first, event.claim), second) if event.side == "first" else (first, (*second, event.claim))
    state.conflict_nodes[conflict.id] = (*state.conflict_nodes[conflict.id], event.node_id)
    state.sides.setdefault(event.claim.id, {})[conflict.id] = event.side
    update = {"supporters": supporters, "node_ids": living_nodes(state, conflict.id)}
    state.conflicts[conflict.id] = conflict.model_copy(update=update)
    update_node_statuses(state, (event.node_id,))


@apply_event.register
def _decide(event: ev.ConflictDecided, state: BankState) -> None:
    verification = event.verification
    conflict = state.conflicts[verification.conflict_id]
    if conflict.verdict is not None:
        raise CorruptLogError(f"conflict {conflict.id} is decided again without being reopened")
    update = {
        "status": "disputed" if verification.verdict == "inconclusive" else "open",
        "verdict": verification.verdict,
        "decided_by": event.decided_by,
        "reason": verification.reason,
        "confidence": verification.confidence,
        "evidence": verification.evidence,
    }
    state.conflicts[conflict.id] = conflict.model_copy(update=update)
    update_node_statuses(state, conflict.node_ids)
    if event.decided_by == "person":
        state.decisions.pop(conflict.id, None)
        mark_outdated(state)


@apply_event.register
def _note_decision(event: ev.PersonDecided, state: BankState) -> None:
    state.decisions[state.conflicts[event.conflict_id].id] = event


@apply_event.register
def _reopen(event: ev.ConflictReopened, state: BankState) -> None:
    """Remove the verdict of a conflict but keep its evidence; the conflict may be verified again."""
    conflict_id = event.conflict_id
    conflict = state.conflicts[conflict_id]
    if conflict.status == "resolved":
        raise CorruptLogError(f"conflict {conflict_id} is reopened before its merge is taken back")
    update = {"status": "open", "verdict": None, "decided_by": None, "reason": None, "confidence": None}
    state.conflicts[conflict_id] = conflict.model_copy(update=update)
    update_node_statuses(state, conflict.node_ids)
    state.rounds[conflict_id] += 1
    del state.failed_checks[conflict_id]
    decision = state.decisions.get(conflict_id)
    if decision is None or decision.verdict is None:
        state.decisions.pop(conflict_id, None)
        state.planned = False
    mark_outdated(state)


def living_nodes(state: BankState, conflict_id: str) -> tuple[str, ...]:
    """The living nodes that the nodes of a conflict have become, each once."""
    return tuple(dict.fromkeys(state.merges.living(node_id) for node_id in state.conflict_nodes[conflict_id]))


def mark_outdated(state: BankState) -> None:
    """Note that a person's decision took effect: earlier findings and the earlier answer may be wrong now."""
    state.ask_again = True
    state.answer_stale = state.answer is not None


def update_node_statuses(state: BankState, node_ids: Iterable[str]) -> None:
    """Set each node to conflicting if an open conflict names it, else disputed if a dispute does, else active."""
    for node_id in node_ids:
        node = state.query_graph[node_id]
        conflict_statuses = {conflict.status for conflict in state.conflicts.values() if node_id in conflict.node_ids}
        status: NodeStatus = "active"
        if "open" in conflict_statuses:
            status = "conflicting"
        elif "disputed" in conflict_statuses:
            status = "disputed"
        if status != node.status:
            state.query_graph.update_node(node.model_copy(update={"status": status}))


@apply_event.register
def _merge(event: NodesMerged, state: BankState) -> None:
    """Give the new node the edges, trees and unfinished conflicts of the merged ones, which end."""
    _require_verdict(state, event.merge)
    _require_valid_nodes(state, event)
    add_node(state, event.node)
    state.merges.join(event.merge, event.node.id)
    if event.entry is not None:
        record_entry(state, event.node.id, event.entry)
    for update in event.neighbour_updates:
        state.merges.rewrite(event.node.id, update.node_id, update.context, update.keywords)
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
            node_ids = tuple(dict.fromkeys(state.merges.living(node_id) for node_id in conflict.node_ids))
            update = {"node_ids": node_ids} if node_ids != conflict.node_ids else {}
        elif conflict.merged_into is not None:
            update = {"merged_into": state.merges.living(conflict.merged_into)}
        if update:
            state.conflicts[conflict.id] = conflict.model_copy(update=update)


@apply_event.register
def _take_back(event: MergeReverted, state: BankState) -> None:
    """Bring the merged nodes back; an entry recorded since goes to the node that its conflict names, or to the last."""
    parts, later_entries = state.merges.take_back(event.node_id)
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
            update = {"status": "open", "merged_into": None, "node_ids": living_nodes(state, conflict.id)}
            state.rounds[conflict.id] += 1
    elif conflict.status != "resolved" and node_id in conflict.node_ids:
        claim_nodes = [state.trees.node_of(c.entry_id) for c in conflict.parties if c.entry_id in state.trees]
        holders = tuple(part for part in dict.fromkeys(claim_nodes) if part in parts) or parts[-1:]
        state.conflict_nodes[conflict.id] = tuple(
            new_id
            for old_id in state.conflict_nodes[conflict.id]
            for new_id in (holders if old_id == node_id else (old_id,))
        )
        update = {"node_ids": living_nodes(state, conflict.id)}
    if update:
        state.conflicts[conflict.id] = conflict.model_copy(update=update)
