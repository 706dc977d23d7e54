"""Interaction Tree: raw records, never changed, re-attached by merges."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, TypeAdapter, ValidationError

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.value import Id, StorePath, Time, Value, Worded, WordedText


class Attachment(Value):
    """A file an entry refers to. `path` is relative to the session's store, or a cloud URI; never the content."""

    id: Id
    type: Literal["image", "document", "code"]
    path: StorePath
    media_type: str
    bytes: int
    sha256: str


_PAGE_STARTS = TypeAdapter(list[tuple[NonNegativeInt, PositiveInt]])


class Entry(Value):
    """One raw record, complete and verbatim. `metadata` has its source, page, agent or tool calls."""

    id: Id
    text: str
    created_at: Time
    metadata: dict[str, Any]
    attachments: tuple[Attachment, ...] = ()

    @property
    def page(self) -> int | None:
        """The page on which the text begins, counted from 1; None where it is not known."""
        page = self.metadata.get("page")
        return page if isinstance(page, int) and page > 0 else None

    @property
    def page_starts(self) -> list[tuple[int, int]]:
        """Where in the text each page starts, with its number. Metadata of an import that are none count as none."""
        try:
            starts = _PAGE_STARTS.validate_python(self.metadata.get("pages", ()))
        except ValidationError:
            starts = []
        if starts and starts == sorted(starts):
            return starts
        return [] if self.page is None else [(0, self.page)]

    @property
    def records_verification(self) -> bool:
        """Whether it is the record of a verification: it quotes claims and makes none."""
        return "conflict_id" in self.metadata


class Merge(Worded):
    """The record of a merge: which nodes, when, why, and by which verdict.

    A conflict inside one node merges that node alone: a new node without the refuted claims replaces it.
    """

    node_ids: Annotated[tuple[Id, ...], Field(min_length=1)]
    at: Time
    description: WordedText
    verdict: str | None = None
    conflict_id: Id | None = None


class InteractionTrees:
    """The trees of all nodes: for each node its entries, oldest first, and the merges that led to it."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._rank: dict[str, tuple[datetime, int]] = {}  # by time, then in order of recording
        self._of_node: dict[str, list[str]] = {}
        self._node_of: dict[str, str] = {}
        self._recorded_with: dict[str, str] = {}
        self._merges: dict[str, list[Merge]] = {}
        self._made_by: dict[str, Merge] = {}

    def record(self, node_id: str, entry: Entry) -> None:
        """Add an entry to a node's trees. `CorruptLogError` if the id is taken: nothing is overwritten."""
        if entry.id in self._entries:
            raise CorruptLogError(f"entry {entry.id} is recorded twice")
        self._rank[entry.id] = (entry.created_at, len(self._entries))
        self._entries[entry.id] = entry
        self._attach(entry.id, node_id)
        self._recorded_with[entry.id] = node_id

    def reattach(self, node_ids: tuple[str, ...], new_id: str, merge: Merge) -> None:
        """Move the trees of `node_ids` to `new_id` and record the merge. Entries are neither copied nor edited."""
        moved: list[str] = []
        merges: list[Merge] = []
        for node_id in (*node_ids, new_id):
            moved += self._of_node.pop(node_id, [])
            merges += self._merges.pop(node_id, [])
        self._of_node[new_id] = sorted(moved, key=self._rank.__getitem__)
        self._merges[new_id] = sorted([*merges, merge], key=lambda record: record.at)
        self._made_by[new_id] = merge
        for entry_id in moved:
            self._node_of[entry_id] = new_id

    def split(self, node_id: str) -> tuple[Entry, ...]:
        """Undo the merge that made a node: every entry goes back to the merged node that it came from.

        Entries recorded with the node itself go to the last merged node; they are returned, oldest first.
        """
        merge = self._made_by.pop(node_id)
        del self._merges[node_id]
        part_of: dict[str, str] = {}
        for part in merge.node_ids:
            ancestors, merges = self._lineage(part)
            part_of |= dict.fromkeys(ancestors, part)
            if merges:
                self._merges[part] = merges
        later_entries: list[Entry] = []
        for entry_id in self._of_node.pop(node_id, []):
            if self._recorded_with[entry_id] == node_id:
                self._recorded_with[entry_id] = merge.node_ids[-1]
                later_entries.append(self._entries[entry_id])
            self._attach(entry_id, part_of[self._recorded_with[entry_id]])
        return tuple(later_entries)

    def move(self, entry_id: str, node_id: str) -> None:
        """Move one entry to another node, as if it had been recorded with that one."""
        self._of_node[self._node_of[entry_id]].remove(entry_id)
        self._attach(entry_id, node_id)
        self._recorded_with[entry_id] = node_id

    def _attach(self, entry_id: str, node_id: str) -> None:
        self._node_of[entry_id] = node_id
        insort(self._of_node.setdefault(node_id, []), entry_id, key=self._rank.__getitem__)

    def _lineage(self, node_id: str) -> tuple[list[str], list[Merge]]:
        """A node with all nodes that were merged into it, and the merges that led to it, oldest first."""
        nodes: list[str] = []
        merges: list[Merge] = []
        waiting = [node_id]
        while waiting:
            nodes.append(waiting.pop())
            merge = self._made_by.get(nodes[-1])
            if merge is not None:
                merges.append(merge)
                waiting += merge.node_ids
        merges.reverse()  # merges of the same time in the order in which they were made
        return nodes, sorted(merges, key=lambda record: record.at)

    def made_by(self, node_id: str) -> Merge | None:
        """The merge that made a node; None if no merge made it, or if that merge was undone."""
        return self._made_by.get(node_id)

    def entry(self, entry_id: str) -> Entry:
        """The entry with that id; `KeyError` if there is none."""
        return self._entries[entry_id]

    def entries(self, node_id: str) -> tuple[Entry, ...]:
        """A node's entries, oldest first."""
        return tuple(self._entries[entry_id] for entry_id in self._of_node.get(node_id, ()))

    def merges(self, node_id: str) -> tuple[Merge, ...]:
        """The merges that led to a node, oldest first."""
        return tuple(self._merges.get(node_id, ()))

    def recorded_with(self, entry_id: str) -> str:
        """The node that an entry was recorded with, before any merge; `KeyError` if there is no such entry."""
        return self._recorded_with[entry_id]

    def node_of(self, entry_id: str) -> str:
        """The node whose trees hold an entry; `KeyError` if there is no such entry."""
        return self._node_of[entry_id]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, entry_id: str) -> bool:
        return entry_id in self._entries
