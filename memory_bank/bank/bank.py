"""The bank: what a session knows, changed by events only.

`Bank.apply` is the one place where an event takes effect. Live runs, replay, resume, time travel and import all fold a
list of events, up to one point or another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

from pydantic import ValidationError

from memory_bank.bank.apply import apply_event
from memory_bank.bank.conflict import Conflict, OneSide
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import Event
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.source import Source
from memory_bank.bank.spoken import turn_at
from memory_bank.bank.state import BankState

MAX_FAILED_VERIFICATIONS = 2
"""Failed verifications after which a conflict is not verified again."""


class Bank(BankState):
    """Everything that a session knows, as the sum of its events; `BankState` lists it."""

    @classmethod
    def replay(cls, events: Iterable[Event]) -> Bank:
        """The bank that a list of events adds up to."""
        bank = cls()
        for event in events:
            bank.apply(event)
        return bank

    def next_id(self, prefix: str, ahead: int = 0) -> str:
        """The next free id of a kind (`n12`); `ahead` skips that many, for several made in one event."""
        return self.ids.next(prefix, ahead)

    def living(self, node_id: str) -> str:
        """The node that a node has become by merges; itself if it still lives, or if its merge was taken back."""
        return self.merges.living(node_id)

    def open_conflicts(self) -> list[Conflict]:
        """Conflicts waiting for a verdict, oldest first. Any thread may call this and `plannable_conflicts`."""
        return [conflict for conflict in list(self.conflicts.values()) if conflict.status == "open"]

    def opposed(self, conflict: Conflict) -> list[tuple[str, str]]:
        """The pairs of nodes on opposite sides of an undecided conflict; none where it lies inside one node."""
        if len(conflict.node_ids) < 3:
            return [conflict.node_ids] if len(conflict.node_ids) == 2 else []
        first, second = (
            dict.fromkeys(self.trees.node_of(claim.entry_id) for claim in side if claim.entry_id in self.trees)
            for side in conflict.sides
        )
        pairs = {frozenset((a, b)): (a, b) for a in first for b in second if a != b}
        return list(pairs.values())

    def stands(self, claim_id: str) -> Mapping[str, OneSide]:
        """The conflicts that a claim is a party to, each with its side."""
        return self.sides.get(claim_id, {})

    def source_of(self, claim: Claim) -> Source | None:
        """The document that a claim was found in; None if it is from none, or its record is not in the session."""
        if claim.entry_id not in self.trees:
            return None
        return self.sources.get(str(self.trees.entry(claim.entry_id).metadata.get("source_id")))

    def day_of(self, claim: Claim) -> date | None:
        """The day on which a claim was said: that of its turn in a chat, else of its document; None if not stated."""
        if claim.entry_id not in self.trees:
            return None
        turn = turn_at(self.trees.entry(claim.entry_id), claim.start, claim.end)
        source = self.source_of(claim)
        return (turn and turn.day) or (source and source.dated) or None

    def sources_of(self, claim: Claim) -> list[str]:
        """The names of the documents that contain a claim: the one it was found in, and those with the same text."""
        source_id = self.trees.entry(claim.entry_id).metadata.get("source_id")
        return [
            claim.source,
            *(source.name for source in self.sources.values() if source_id and source.same_as == source_id),
        ]

    def waiting_images(self) -> list[Source]:
        """The images that no task has read yet, oldest first."""
        return [source for source in self.sources.values() if source.is_image and source.id not in self.ingested]

    def waiting_image(self, task: CurrentTask) -> Source | None:
        """The image that a task is to read, if it has not been read."""
        image = self.sources.get(task.image_id or "")
        return image if image is not None and image.id not in self.ingested else None

    def refused_image(self, task: CurrentTask) -> str | None:
        """Why the image that a task was to read was refused; None if it was not, or the task reads none."""
        image = self.sources.get(task.image_id or "")
        return None if image is None else image.refused

    def plannable_conflicts(self, *, failed_now: bool = False) -> list[Conflict]:
        """Open conflicts that may still be verified: fewer than two failed verifications, and not decided by a person.

        `failed_now` says that the current task failed, which no event has recorded yet.
        """
        task = self.insight_doc.current_task
        failed = Counter(self.failed_checks)
        if failed_now and task and task.conflict_id:
            failed[task.conflict_id] += 1
        return [
            conflict
            for conflict in self.open_conflicts()
            if failed[conflict.id] < MAX_FAILED_VERIFICATIONS and conflict.decided_by != "person"
        ]

    def apply(self, event: Event) -> None:
        """Apply one event. `CorruptLogError` if it does not fit the events before it; nothing changes then."""
        try:
            apply_event(event, self)
        except KeyError as error:
            raise CorruptLogError(f"event {event.seq} ({event.type}) names {error}, which is not there") from error
        except ValidationError as error:  # the sum of what was spent is too large for a number
            raise CorruptLogError(f"event {event.seq} ({event.type}) adds up to no number") from error
