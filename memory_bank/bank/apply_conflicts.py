"""Apply the events of conflicts: opened, supported, decided, reopened."""

from __future__ import annotations

from collections.abc import Iterable

from memory_bank.bank import events as ev
from memory_bank.bank.apply_nodes import require_nodes
from memory_bank.bank.conflict import SIDES
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.query_graph import NodeStatus
from memory_bank.bank.state import BankState, Bookkeeping, apply_event


@apply_event.register
def _open(event: ev.ConflictOpened, state: BankState) -> None:
    conflict, books = event.conflict, state.books
    if conflict.id in state.conflicts:
        raise CorruptLogError(f"conflict {conflict.id} is opened twice")
    if conflict.status != "open" or conflict.verdict is not None:
        raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
    require_nodes(state, *conflict.node_ids)
    books.ids.add(conflict.id)
    state.conflicts[conflict.id] = conflict
    books.conflict_nodes[conflict.id] = conflict.node_ids
    for side, claims in zip(SIDES, conflict.sides, strict=True):
        for claim in claims:
            books.sides.setdefault(claim.id, {})[conflict.id] = side
    update_node_statuses(state, conflict.node_ids)


@apply_event.register
def _add_supporter(event: ev.ConflictSupported, state: BankState) -> None:
    books = state.books
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
