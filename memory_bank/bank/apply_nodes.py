"""Apply the events of nodes, edges and entries."""

from __future__ import annotations

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import EdgeCreated, EntryRecorded, NodeAnalysed, NodeCreated, NodeUpdated
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.bank.state import BankState, Bookkeeping


def apply_node_event(
    state: BankState,
    books: Bookkeeping,
    event: NodeCreated | NodeUpdated | NodeAnalysed | EdgeCreated | EntryRecorded,
) -> None:
    """Apply one event of a node, an edge or an entry."""
    match event:
        case NodeCreated(node=node):
            require_new_entry(state, event.entry)
            add_node(state, books, node)
            record_entry(state, books, node.id, event.entry)
            state.units[event.unit] = node.id
        case NodeUpdated():
            node = state.query_graph[event.node_id]
            update = {"context": event.context, "keywords": event.keywords}
            state.query_graph.update_node(node.model_copy(update=update))
        case NodeAnalysed():
            state.analysed[event.node_id] = event.candidates
        case EdgeCreated(node_ids=(a, b)):
            books.merges.relate(a, b)
        case EntryRecorded():
            record_entry(state, books, event.node_id, event.entry)


def add_node(state: BankState, books: Bookkeeping, node: Node) -> None:
    """Create a node and count its ids as used. `CorruptLogError` if a merge ended a node of that id."""
    if books.merges.gone(node.id):
        raise CorruptLogError(f"node {node.id} is created again after a merge")
    # No conflict names a new node yet, so it is active, whatever status the event gives it.
    state.query_graph.create_node(node.model_copy(update={"status": "active"}))
    state.unplanned.append(node.id)
    books.ids.add(node.id)
    for claim in node.claims:
        books.ids.add(claim.id)


def record_entry(state: BankState, books: Bookkeeping, node_id: str, entry: Entry) -> None:
    """Add an entry to the trees of a living node and count its ids as used."""
    if node_id not in state.query_graph:
        raise CorruptLogError(f"entry {entry.id} names the missing node {node_id}")
    state.trees.record(node_id, entry)
    books.ids.add(entry.id)
    for attachment in entry.attachments:
        books.ids.add(attachment.id)


def require_nodes(state: BankState, *node_ids: str) -> None:
    """Raise `KeyError` for the first node that is not in the graph."""
    for node_id in node_ids:
        state.query_graph[node_id]


def require_new_entry(state: BankState, entry: Entry) -> None:
    """Raise `CorruptLogError` if an entry of that id is recorded already."""
    if entry.id in state.trees:
        raise CorruptLogError(f"entry {entry.id} is recorded twice")
