"""How each event takes effect: each type that changes the state has its function. Others are only shown to people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from memory_bank.bank import events as ev
from memory_bank.bank.conflict import SIDES, Conflict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Node, NodeStatus
from memory_bank.bank.state import BankState
from memory_bank.bank.usage import Usage
from memory_bank.bank.value import Value


@singledispatch
def apply_event(_event: Value, _state: BankState) -> None:
    """Apply one event."""


# -- the run -----------------------------------------------------------------------------------------------


@apply_event.register
def _create_session(event: ev.SessionCreated, state: BankState) -> None:
    if state.created_at is not None:
        raise CorruptLogError("the session is created twice")
    state.session_id, state.created_at = event.session_id, event.at
    state.engine, state.settings = event.engine, event.settings
    state.insight_doc = InsightDoc(doc_id=event.doc_id, task_goal=event.task_goal)


@apply_event.register
def _understand(event: ev.TaskUnderstood, state: BankState) -> None:
    if state.status != "created":  # a correction
        _mark_outdated(state)
    state.understood = event


@apply_event.register
def _change_status(event: ev.StatusChanged, state: BankState) -> None:
    state.status = event.status
    if event.status == "running":  # a new run tries once more what an earlier one gave up
        state.given_up.clear()
    state.finished_at = event.at if event.status in ("finished", "failed", "cancelled") else None


@apply_event.register
def _note_unit(event: ev.TextClassified, state: BankState) -> None:
    state.classified.add(event.unit)


@apply_event.register
def _add_judgement(event: ev.AgentCalled | ev.AgentFailed | ev.TurnTaken, state: BankState) -> None:
    """Apply a judgement, a failed one, or a turn of the acting agent, and add up what it cost."""
    agent = "react" if isinstance(event, ev.TurnTaken) else event.agent
    # Computed first: a sum that is no number raises before anything has changed.
    usage, agent_usage = state.usage + event.usage, state.usage_of.get(agent, Usage()) + event.usage
    if isinstance(event, ev.AgentCalled):
        if event.key in state.judgements:
            raise CorruptLogError(f"judgement {event.key} is recorded twice")
        state.judgements[event.key] = event.output
        state.given_up.discard(event.key)
    elif isinstance(event, ev.TurnTaken):
        turns = state.turns.get(event.task_id, [])
        if event.number != len(turns) + 1:
            raise CorruptLogError(f"turn {event.number} of {event.task_id} does not follow turn {len(turns)}")
        state.turns[event.task_id] = [*turns, event.turn]
    else:
        state.failed_requests[event.key] += len(event.calls)
        if not event.again:
            state.given_up.add(event.key)
    state.usage, state.usage_of[agent] = usage, agent_usage


@apply_event.register
def _start_step(event: ev.PromptEnhanced, state: BankState) -> None:
    state.prompted.add(event.task_id)
    task = state.insight_doc.current_task
    if task is not None and (task.id, task.type) == (event.task_id, "NORMAL"):
        state.ask_again = False


@apply_event.register
def _plan(event: ev.PlanUpdated, state: BankState) -> None:
    state.planned = True
    state.plans += 1
    # Reading an image does not count: there is at most one such task for each image.
    state.plans_since_answer += event.current is None or event.current.image_id is None
    state.unplanned.clear()
    finished = state.insight_doc.current_task
    if finished and finished.conflict_id and event.completed:
        state.verified.add(finished.conflict_id)
        state.failed_checks[finished.conflict_id] += event.completed.status == "failed"
    state.insight_doc = state.insight_doc.plan(event.completed, event.current)


@apply_event.register
def _answer(event: ev.AnswerGiven, state: BankState) -> None:
    state.answer, state.answer_stale, state.plans_since_answer = event.answer, False, 0
    state.answer_kept = False
    state.planned, state.ask_again = True, False  # work left undone because of a limit is not started again


@apply_event.register
def _recall(event: ev.MemoryRecalled, state: BankState) -> None:
    state.recalled = event


@apply_event.register
def _keep(event: ev.MemoryKept, state: BankState) -> None:
    state.kept.append(event)
    state.answer_kept = state.answer_kept or event.closed


@apply_event.register
def _add_source(event: ev.SourceAdded, state: BankState) -> None:
    if event.source.id in state.sources:
        raise CorruptLogError(f"source {event.source.id} is added twice")
    state.sources[event.source.id] = event.source
    state.ids.add(event.source.id)


@apply_event.register
def _note_reading(event: ev.SourceRead, state: BankState) -> None:
    fields = {"title", "media_type", "characters", "pages", "language", "text_sha256", "dated"}
    source = state.sources[event.source_id]
    state.sources[source.id] = source.model_copy(update=event.model_dump(include=fields))


@apply_event.register
def _finish_source(event: ev.SourceRefused | ev.SourceIngested, state: BankState) -> None:
    source = state.sources[event.source_id]
    if isinstance(event, ev.SourceRefused):
        state.sources[source.id] = source.model_copy(update={"refused": event.reason})
    else:
        state.sources[source.id] = source.model_copy(update={"same_as": event.same_as or source.same_as})
    state.ingested.add(source.id)
    state.insight_doc = state.insight_doc.plan(event.task, state.insight_doc.current_task)


# -- nodes -------------------------------------------------------------------------------------------------


@apply_event.register
def _create_node(event: ev.NodeCreated, state: BankState) -> None:
    _require_new_entry(state, event.entry)
    _add_node(state, event.node)
    _add_entry(state, event.node.id, event.entry)
    state.units[event.unit] = event.node.id


@apply_event.register
def _update_node(event: ev.NodeUpdated, state: BankState) -> None:
    update = {"context": event.context, "keywords": event.keywords}
    state.query_graph.update_node(state.query_graph[event.node_id].model_copy(update=update))


@apply_event.register
def _note_candidates(event: ev.NodeAnalysed, state: BankState) -> None:
    state.analysed[event.node_id] = event.candidates


@apply_event.register
def _relate(event: ev.EdgeCreated, state: BankState) -> None:
    state.merges.relate(*event.node_ids)


@apply_event.register
def _record_entry(event: ev.EntryRecorded, state: BankState) -> None:
    _add_entry(state, event.node_id, event.entry)


def _add_node(state: BankState, node: Node) -> None:
    """Create a node and count its ids as used. `CorruptLogError` if a merge ended a node of that id."""
    if state.merges.gone(node.id):
        raise CorruptLogError(f"node {node.id} is created again after a merge")
    # No conflict names a new node yet, so it is active, whatever status the event gives it.
    state.query_graph.create_node(node.model_copy(update={"status": "active"}))
    state.unplanned.append(node.id)
    state.ids.add(node.id)
    for claim in node.claims:
        state.ids.add(claim.id)


def _add_entry(state: BankState, node_id: str, entry: Entry) -> None:
    """Add an entry to the trees of a living node and count its ids as used."""
    if node_id not in state.query_graph:
        raise CorruptLogError(f"entry {entry.id} names the missing node {node_id}")
    state.trees.record(node_id, entry)
    state.ids.add(entry.id)
    for attachment in entry.attachments:
        state.ids.add(attachment.id)


def _require_nodes(state: BankState, *node_ids: str) -> None:
    """Raise `KeyError` for the first node that is not in the graph."""
    for node_id in node_ids:
        state.query_graph[node_id]


def _require_new_entry(state: BankState, entry: Entry) -> None:
    """Raise `CorruptLogError` if an entry of that id is recorded already."""
    if entry.id in state.trees:
        raise CorruptLogError(f"entry {entry.id} is recorded twice")


# -- conflicts ---------------------------------------------------------------------------------------------


@apply_event.register
def _open_conflict(event: ev.ConflictOpened, state: BankState) -> None:
    conflict = event.conflict
    if conflict.id in state.conflicts:
        raise CorruptLogError(f"conflict {conflict.id} is opened twice")
    if conflict.status != "open" or conflict.verdict is not None or conflict.merged_into is not None:
        raise CorruptLogError(f"conflict {conflict.id} is opened with its verdict")
    _require_nodes(state, *conflict.node_ids)
    state.ids.add(conflict.id)
    state.conflicts[conflict.id] = conflict
    state.conflict_nodes[conflict.id] = conflict.node_ids
    for side, claims in zip(SIDES, conflict.sides, strict=True):
        for claim in claims:
            state.sides.setdefault(claim.id, {})[conflict.id] = side
    _update_node_statuses(state, conflict.node_ids)


@apply_event.register
def _add_supporter(event: ev.ConflictSupported, state: BankState) -> None:
    conflict = state.conflicts[event.conflict_id]
    if not conflict.undecided or conflict.id in state.sides.get(event.claim.id, {}):
        raise CorruptLogError(f"{event.claim.id} cannot join a side of {conflict.id}: it is settled, or has it")
    _require_nodes(state, event.node_id)
    first, second = conflict.supporters
    supporters = ((*first, event.claim), second) if event.side == "first" else (first, (*second, event.claim))
    state.conflict_nodes[conflict.id] = (*state.conflict_nodes[conflict.id], event.node_id)
    state.sides.setdefault(event.claim.id, {})[conflict.id] = event.side
    update = {"supporters": supporters, "node_ids": _living_nodes(state, conflict.id)}
    state.conflicts[conflict.id] = conflict.model_copy(update=update)
    _update_node_statuses(state, (event.node_id,))


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
    _update_node_statuses(state, conflict.node_ids)
    if event.decided_by == "person":
        state.decisions.pop(conflict.id, None)
        _mark_outdated(state)


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
    _update_node_statuses(state, conflict.node_ids)
    state.rounds[conflict_id] += 1
    del state.failed_checks[conflict_id]
    decision = state.decisions.get(conflict_id)
    if decision is None or decision.verdict is None:
        state.decisions.pop(conflict_id, None)
        state.planned = False
    _mark_outdated(state)


def _living_nodes(state: BankState, conflict_id: str) -> tuple[str, ...]:
    """The living nodes that the nodes of a conflict have become, each once."""
    return tuple(dict.fromkeys(state.merges.living(node_id) for node_id in state.conflict_nodes[conflict_id]))


def _mark_outdated(state: BankState) -> None:
    """Note that a person's decision took effect: earlier findings and the earlier answer may be wrong now."""
    state.ask_again = True
    state.answer_stale = state.answer is not None


def _update_node_statuses(state: BankState, node_ids: Iterable[str]) -> None:
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


# -- merges ------------------------------------------------------------------------------------------------


@apply_event.register
def _merge(event: ev.NodesMerged, state: BankState) -> None:
    """Give the new node the edges, trees and unfinished conflicts of the merged ones, which end."""
    _require_verdict(state, event.merge)
    _require_valid_nodes(state, event)
    _add_node(state, event.node)
    state.merges.join(event.merge, event.node.id)
    if event.entry is not None:
        _add_entry(state, event.node.id, event.entry)
    for update in event.neighbour_updates:
        state.merges.rewrite(event.node.id, update.node_id, update.context, update.keywords)
    _move_conflicts(state, event)
    _update_node_statuses(state, (event.node.id,))


def _require_verdict(state: BankState, merge: Merge) -> None:
    """Raise `CorruptLogError` unless the conflict of a merge has its verdict and lies within the merged nodes."""
    if merge.conflict_id is None:
        return
    conflict = state.conflicts[merge.conflict_id]
    settled = conflict.awaits_merge and conflict.verdict == merge.verdict
    if not settled or not set(conflict.node_ids) <= set(merge.node_ids):
        raise CorruptLogError(f"the merge into a new node does not follow from the verdict on {conflict.id}")


def _require_valid_nodes(state: BankState, event: ev.NodesMerged) -> None:
    """Check that the merged nodes and the updated neighbours live and are all different, and that the entry is new."""
    parts = event.merge.node_ids
    neighbours = [update.node_id for update in event.neighbour_updates]
    _require_nodes(state, *parts, *neighbours)
    if len(set(parts)) < len(parts) or not set(parts).isdisjoint(neighbours):
        raise CorruptLogError(f"the merge into {event.node.id} names a node twice")
    if event.entry is not None:
        _require_new_entry(state, event.entry)


def _move_conflicts(state: BankState, event: ev.NodesMerged) -> None:
    """Resolve the conflict that led to a merge; let the others name the new node in place of the merged ones."""
    for conflict in list(state.conflicts.values()):
        update: dict[str, Any] = {}
        if conflict.id == event.merge.conflict_id:
            update = {"status": "resolved", "merged_into": event.node.id}
        elif conflict.status != "resolved":
            # from the living nodes, not from the first names: these lead through all earlier merges
            node_ids = tuple(dict.fromkeys(state.merges.living(node_id) for node_id in conflict.node_ids))
            update = {"node_ids": node_ids} if node_ids != conflict.node_ids else {}
        elif conflict.merged_into is not None:
            update = {"merged_into": state.merges.living(conflict.merged_into)}
        if update:
            state.conflicts[conflict.id] = conflict.model_copy(update=update)


@apply_event.register
def _take_back(event: ev.MergeReverted, state: BankState) -> None:
    """Bring the merged nodes back; an entry recorded since goes to the node that its conflict names, or to the last."""
    parts, later_entries = state.merges.take_back(event.node_id)
    for conflict in list(state.conflicts.values()):
        _return_conflict(state, conflict, event.node_id, parts)
    for entry in later_entries:
        conflict_of_entry = state.conflicts.get(str(entry.metadata.get("conflict_id")))
        named = [part for part in parts if conflict_of_entry is not None and part in conflict_of_entry.node_ids]
        state.trees.move(entry.id, named[-1] if named else parts[-1])
    _update_node_statuses(state, parts)
    _mark_outdated(state)


def _return_conflict(state: BankState, conflict: Conflict, node_id: str, parts: tuple[str, ...]) -> None:
    """Let a conflict that named the split node name the parts that hold its claims; reopen the one it resolved."""
    update: dict[str, Any] = {}
    if conflict.merged_into == node_id:
        heirs = [part for part in parts if conflict.id in {merge.conflict_id for merge in state.trees.merges(part)}]
        if heirs:
            update = {"merged_into": heirs[0]}
        else:
            update = {"status": "open", "merged_into": None, "node_ids": _living_nodes(state, conflict.id)}
            state.rounds[conflict.id] += 1
    elif conflict.status != "resolved" and node_id in conflict.node_ids:
        claim_nodes = [state.trees.node_of(c.entry_id) for c in conflict.parties if c.entry_id in state.trees]
        holders = tuple(part for part in dict.fromkeys(claim_nodes) if part in parts) or parts[-1:]
        state.conflict_nodes[conflict.id] = tuple(
            new_id
            for old_id in state.conflict_nodes[conflict.id]
            for new_id in (holders if old_id == node_id else (old_id,))
        )
        update = {"node_ids": _living_nodes(state, conflict.id)}
    if update:
        state.conflicts[conflict.id] = conflict.model_copy(update=update)
