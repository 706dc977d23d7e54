"""Interaction Tree: what really happened. Raw records, never changed, re-attached by merges (section 1)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from memory_bank.bank.value import Id, StorePath, Time, Value
from memory_bank.errors import CorruptLogError


class Attachment(Value):
    """A file an entry refers to. `path` is relative to the session's store, or a cloud URI; never the content."""

    id: Id
    type: Literal["image", "document", "code"]
    path: StorePath
    media_type: str
    bytes: int
    sha256: str


class Entry(Value):
    """One raw record, complete and word for word. `metadata` names its source, page, agent or tool calls."""

    id: Id
    text: str
    created_at: Time
    metadata: dict[str, Any]
    attachments: tuple[Attachment, ...] = ()


class Merge(Value):
    """The record that nodes became one: which, when, why, by which verdict.

    A conflict inside one node merges that node alone: it becomes another without what was refuted.
    """

    node_ids: Annotated[tuple[Id, ...], Field(min_length=1)]
    at: Time
    description: str
    verdict: str | None = None
    conflict_id: Id | None = None


class InteractionTrees:
    """The trees of all nodes: for each node its entries in time order and the merges that led to it."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._rank: dict[str, tuple[datetime, int]] = {}  # by time, and of the same time as they came
        self._of_node: dict[str, list[str]] = {}
        self._node_of: dict[str, str] = {}
        self._recorded_with: dict[str, str] = {}
        self._merges: dict[str, list[Merge]] = {}
        self._made_by: dict[str, Merge] = {}

    def record(self, node_id: str, entry: Entry) -> None:
        """Add an entry to a node's trees. An id that is taken is an error: nothing is overwritten."""
        if entry.id in self._entries:
            raise CorruptLogError(f"entry {entry.id} is recorded twice")
        self._rank[entry.id] = (entry.created_at, len(self._entries))
        self._entries[entry.id] = entry
        self._attach(entry.id, node_id)
        self._recorded_with[entry.id] = node_id

    def reattach(self, node_ids: tuple[str, ...], new_id: str, merge: Merge) -> None:
        """Hang the trees of `node_ids` under `new_id` and note why. Entries are moved, not copied or edited."""
        moved: list[str] = []
        merges: list[Merge] = []
        for node_id in (*node_ids, new_id):
            moved += self._of_node.pop(node_id, [])
            merges += self._merges.pop(node_id, [])
        self._of_node[new_id] = sorted(moved, key=self._rank.__getitem__)
        self._merges[new_id] = sorted([*merges, merge], key=lambda found: found.at)
        self._made_by[new_id] = merge
        for entry_id in moved:
            self._node_of[entry_id] = new_id

    def split(self, node_id: str) -> tuple[Entry, ...]:
        """Undo the merge that made a node: every entry goes back to the merged node that it came from.

        Entries recorded with the node itself since go to the last of these; they are returned, oldest first.
        """
        merge = self._made_by.pop(node_id)
        del self._merges[node_id]
        home: dict[str, str] = {}
        for part in merge.node_ids:
            ancestors, merges = self._lineage(part)
            home |= dict.fromkeys(ancestors, part)
            if merges:
                self._merges[part] = merges
        late: list[Entry] = []
        for entry_id in self._of_node.pop(node_id, []):
            if self._recorded_with[entry_id] == node_id:
                self._recorded_with[entry_id] = merge.node_ids[-1]
                late.append(self._entries[entry_id])
            self._attach(entry_id, home[self._recorded_with[entry_id]])
        return tuple(late)

    def move(self, entry_id: str, node_id: str) -> None:
        """Hang one entry under another node, as if it had been recorded with that one."""
        self._of_node[self._node_of[entry_id]].remove(entry_id)
        self._attach(entry_id, node_id)
        self._recorded_with[entry_id] = node_id

    def _attach(self, entry_id: str, node_id: str) -> None:
        self._node_of[entry_id] = node_id
        insort(self._of_node.setdefault(node_id, []), entry_id, key=self._rank.__getitem__)

    def _lineage(self, node_id: str) -> tuple[list[str], list[Merge]]:
        """A node with all that became it, and the merges that led to it, oldest first."""
        nodes: list[str] = []
        merges: list[Merge] = []
        waiting = [node_id]
        while waiting:
            nodes.append(waiting.pop())
            merge = self._made_by.get(nodes[-1])
            if merge is not None:
                merges.append(merge)
                waiting += merge.node_ids
        merges.reverse()  # those of a moment in the order in which they were joined
        return nodes, sorted(merges, key=lambda found: found.at)

    def made_by(self, node_id: str) -> Merge | None:
        """The merge that made a node; None for one that no merge made, or whose merge was undone."""
        return self._made_by.get(node_id)

    def entry(self, entry_id: str) -> Entry:
        """The entry of that id; `KeyError` if there is none."""
        return self._entries[entry_id]

    def entries(self, node_id: str) -> tuple[Entry, ...]:
        """A node's entries, oldest first."""
        return tuple(self._entries[entry_id] for entry_id in self._of_node.get(node_id, ()))

    def merges(self, node_id: str) -> tuple[Merge, ...]:
        """The merges that led to a node, oldest first."""
        return tuple(self._merges.get(node_id, ()))

    def node_of(self, entry_id: str) -> str:
        """The node whose trees hold the entry; `KeyError` if there is none."""
        return self._node_of[entry_id]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, entry_id: str) -> bool:
        return entry_id in self._entries
