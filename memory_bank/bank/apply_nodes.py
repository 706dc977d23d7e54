"""Apply the events of nodes, edges and entries."""

from __future__ import annotations

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import EdgeCreated, EntryRecorded, NodeAnalysed, NodeCreated, NodeUpdated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.bank.state import BankState, apply_event


@apply_event.register
def _create(event: NodeCreated, state: BankState) -> None:
    require_new_entry(state, event.entry)
    add_node(state, event.node)
    record_entry(state, event.node.id, event.entry)
    state.units[event.unit] = event.node.id


@apply_event.register
def _update(event: NodeUpdated, state: BankState) -> None:
    update = {"context": event.context, "keywords": event.keywords}
    state.query_graph.update_node(state.query_graph[event.node_id].model_copy(update=update))


@apply_event.register
def _note_candidates(event: NodeAnalysed, state: BankState) -> None:
    state.analysed[event.node_id] = event.candidates


@apply_event.register
def _relate(event: EdgeCreated, state: BankState) -> None:
    state.merges.relate(*event.node_ids)


@apply_event.register
def _record(event: EntryRecorded, state: BankState) -> None:
    record_entry(state, event.node_id, event.entry)


def add_node(state: BankState, node: Node) -> None:
    """Create a node and count its ids as used. `CorruptLogError` if a merge ended a node of that id."""
    if state.merges.gone(node.id):
        raise CorruptLogError(f"node {node.id} is created again after a merge")
    # No conflict names a new node yet, so it is active, whatever status the event gives it.
    state.query_graph.create_node(node.model_copy(update={"status": "active"}))
    state.unplanned.append(node.id)
    state.ids.add(node.id)
    for claim in node.claims:
        state.ids.add(claim.id)


def record_entry(state: BankState, node_id: str, entry: Entry) -> None:
    """Add an entry to the trees of a living node and count its ids as used."""
    if node_id not in state.query_graph:
        raise CorruptLogError(f"entry {entry.id} names the missing node {node_id}")
    state.trees.record(node_id, entry)
    state.ids.add(entry.id)
    for attachment in entry.attachments:
        state.ids.add(attachment.id)


def require_nodes(state: BankState, *node_ids: str) -> None:
    """Raise `KeyError` for the first node that is not in the graph."""
    for node_id in node_ids:
        state.query_graph[node_id]


def require_new_entry(state: BankState, entry: Entry) -> None:
    """Raise `CorruptLogError` if an entry of that id is recorded already."""
    if entry.id in state.trees:
        raise CorruptLogError(f"entry {entry.id} is recorded twice")
