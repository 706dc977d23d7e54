"""Apply the events of conflicts: opened, supported, decided, reopened."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.bank.apply_nodes import require_nodes
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import (
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    ConflictSupported,
    PersonDecided,
)
from memory_bank.bank.query_graph import NodeStatus
from memory_bank.bank.state import BankState, Bookkeeping


def apply_conflict_event(
    state: BankState,
    books: Bookkeeping,
    event: ConflictOpened | ConflictSupported | ConflictDecided | PersonDecided | ConflictReopened,
) -> None:
    """Apply one event of a conflict. `KeyError` when the conflict is unknown."""
    match event:
        case ConflictOpened(conflict=conflict):
            _open(state, books, conflict)
        case ConflictSupported():
            _add_supporter(state, books, event)
        case ConflictDecided():
            _decide(state, event)
        case ConflictReopened():
            _reopen(state, event.conflict_id)
        case PersonDecided():
            state.decisions[state.conflicts[event.conflict_id].id] = event


def _open(state: BankState, books: Bookkeeping, conflict: Conflict) -> None:
    if conflict.id in state.conflicts:
        raise CorruptLogError(f"conflict {conflict.id} is opened twice")
    if conflict.status != "open" or conflict.verdict is not None:
        raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
    require_nodes(state, *conflict.node_ids)
    books.ids.add(conflict.id)
    state.conflicts[conflict.id] = conflict
    books.conflict_nodes[conflict.id] = conflict.node_ids
    first, second = conflict.sides
    for claim in first:
        books.sides.setdefault(claim.id, {})[conflict.id] = "first"
    for claim in second:
        books.sides.setdefault(claim.id, {})[conflict.id] = "second"
    update_node_statuses(state, conflict.node_ids)


def _add_supporter(state: BankState, books: Bookkeeping, event: ConflictSupported) -> None:
    conflict = state.conflicts[event.conflict_id]
    if not conflict.undecided or conflict.id in books.sides.get(event.claim.id, {}):
        raise CorruptLogError(f"{event.claim.id} cannot join a side of {conflict.id}: it is settled, or has it")
    require_nodes(state, event.node_id)
    first, second = conflict.supporters
    supporters = ((*first, event.claim), second) if event.side == "first" else (first, (*second, event.claim))
    books.conflict_nodes[conflict.id] = (*books.conflict_nodes[conflict.id], event.node_id)
    books.sides.setdefault(event.claim.id, {})[conflict.id] = event.side
    update = {"supporters": supporters, "node_ids": living_nodes(books, conflict.id)}
    state.conflicts[conflict.id] = conflict.model_copy(update=update)
    update_node_statuses(state, (event.node_id,))


def _decide(state: BankState, event: ConflictDecided) -> None:
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


def _reopen(state: BankState, conflict_id: str) -> None:
    """Remove the verdict of a conflict but keep its evidence; the conflict may be verified again."""
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


def living_nodes(books: Bookkeeping, conflict_id: str) -> tuple[str, ...]:
    """The living nodes that the nodes of a conflict have become, each once."""
    return tuple(dict.fromkeys(books.merges.living(node_id) for node_id in books.conflict_nodes[conflict_id]))


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
