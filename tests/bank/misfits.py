"""Events that do not fit a bank, whatever is in it: each must be refused, and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.events import (
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    ConflictSupported,
    EdgeCreated,
    EntryRecorded,
    Event,
    MergeReverted,
    NeighbourUpdate,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    PersonDecided,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    TurnTaken,
)
from memory_bank.bank.query_graph import Claim
from tests.bank.invariants import Lives
from tests.builders import (
    USAGE,
    make_called,
    make_claim,
    make_conflict,
    make_created,
    make_entry,
    make_merge,
    make_node,
    make_source,
    make_task,
    make_turn,
    make_verification,
)

Named = Iterator[tuple[str, Event]]
NOTHING = "n777"
_Any = TypeVar("_Any")


def misfits(bank: Bank, events: list[Event], choice: int = 0) -> dict[str, Event]:
    """What does not fit after some events, by what is wrong with it; `choice` says which of the nodes they are about.

    What takes something to go wrong is left out where that is not there.
    """
    lives = Lives(events)
    gone = [node_id for node_id in lives.ids if node_id not in bank.query_graph]
    found = dict(_of_nothing(bank))
    for living in _chosen([node.id for node in bank.query_graph], choice):
        found |= dict(_of_a_node(bank, living))
        for missing in (NOTHING, *_chosen(gone, choice)):
            found |= dict(_of_a_missing_node(bank, living, missing))
    for dead in _chosen(gone, choice):
        new = NodeCreated(node=make_node(dead), entry=make_entry(bank.next_id("e")), unit="u")
        found["a node that was there"] = new
    for status in ("open", "disputed", "resolved"):
        conflicts = [conflict for conflict in bank.conflicts.values() if conflict.status == status]
        for conflict in _chosen(conflicts, choice):
            found |= dict(_of_a_conflict(bank, conflict))
    for entry_id in _chosen([entry.id for entry in bank.trees], choice):
        found |= dict(_of_a_taken_entry(bank, entry_id))
    for key in _chosen(list(bank.judgements), choice):
        found["a judgement made twice"] = make_called(key)
    for source_id in _chosen(list(bank.sources), choice):
        found["a source added twice"] = SourceAdded(source=make_source(source_id))
    return found


def _chosen(those: list[_Any], choice: int) -> list[_Any]:
    return [those[choice % len(those)]] if those else []


def _of_nothing(bank: Bank) -> Named:
    yield "a second beginning", make_created("other")
    yield "a verdict on no conflict", ConflictDecided(verification=make_verification("x99"), decided_by="agent")
    yield "a person's word on no conflict", PersonDecided(conflict_id="x99", verdict="first")
    yield "a reopening of no conflict", ConflictReopened(conflict_id="x99", reason="", by="person")
    yield "a reading of no source", SourceRead(source_id="s99", title=None, media_type="", characters=1, pages=0)
    yield "a source taken in that is not there", SourceIngested(source_id="s99", task=make_task())
    yield "a source refused that is not there", SourceRefused(source_id="s99", reason="")
    for task_id in ("t99", *list(bank.turns)[:1]):
        number = len(bank.turns.get(task_id, ())) + 2
        turn = TurnTaken(task_id=task_id, number=number, turn=make_turn(), usage=USAGE)
        yield f"a turn before its time of {'a' if task_id == 't99' else 'the'} step", turn


def _of_a_node(bank: Bank, living: str) -> Named:
    node, entry = make_node(bank.next_id("n")), make_entry(bank.next_id("e"))
    yield "a node of a taken id", NodeCreated(node=make_node(living), entry=entry, unit="u")
    yield "an edge to itself", EdgeCreated(node_ids=(living, living))
    yield "a merge of a node with itself", NodesMerged(node=node, merge=make_merge(living, living))
    yield "a merge into a node that is there", NodesMerged(node=make_node(living), merge=make_merge(living))
    about = NeighbourUpdate(node_id=living, context="", keywords=())
    described = NodesMerged(node=node, merge=make_merge(living), neighbour_updates=(about,), entry=entry)
    yield "a merge that describes what it ends", described
    merge = make_merge(living, conflict=make_conflict("x99"))
    yield "a merge for no conflict", NodesMerged(node=node, merge=merge)
    if bank.trees.made_by(living) is None:
        yield "a merge taken back that never was", MergeReverted(node_id=living)


def _of_a_missing_node(bank: Bank, living: str, missing: str) -> Named:
    which = "no node" if missing == NOTHING else "a node that is gone"
    entry = make_entry(bank.next_id("e"))
    yield f"an entry on {which}", EntryRecorded(node_id=missing, entry=entry)
    yield f"a description of {which}", NodeUpdated(node_id=missing, context="", keywords=())
    yield f"an edge to {which}", EdgeCreated(node_ids=(living, missing))
    opened = make_conflict(bank.next_id("x"), living, missing)
    yield f"a conflict of {which}", ConflictOpened(conflict=opened)
    merged = NodesMerged(node=make_node(bank.next_id("n")), merge=make_merge(living, missing), entry=entry)
    yield f"a merge of {which}", merged
    yield f"a merge taken back of {which}", MergeReverted(node_id=missing)
    for conflict in bank.conflicts.values():
        if conflict.undecided:
            yield f"a claim of {which} on a side", _support(conflict, make_claim(bank.next_id("c")), missing)


def _of_a_conflict(bank: Bank, conflict: Conflict) -> Named:
    which = f"a conflict that is {conflict.status}{', with a verdict' * (conflict.verdict is not None)}"
    yield f"{which}, of a taken id", ConflictOpened(conflict=make_conflict(conflict.id, *_some_node(bank)))
    begun = conflict.model_copy(update={"id": bank.next_id("x"), "node_ids": _some_node(bank)})
    if conflict.verdict is not None:
        yield (
            f"{which}, decided again",
            ConflictDecided(verification=make_verification(conflict.id), decided_by="agent"),
        )
        yield f"{which}, from its beginning", ConflictOpened(conflict=begun)
    if conflict.status == "resolved":
        yield f"{which}, reopened", ConflictReopened(conflict_id=conflict.id, reason="", by="person")
    claim = conflict.claims[0] if conflict.undecided else make_claim(bank.next_id("c"))
    yield f"{which}, whose side a claim joins", _support(conflict, claim, _some_node(bank)[0])
    node, parts = make_node(bank.next_id("n")), tuple(dict.fromkeys(map(bank.living, conflict.node_ids)))
    other = "second" if conflict.verdict == "first" else "first"
    merge = make_merge(*parts, conflict=conflict.model_copy(update={"verdict": other}))
    yield f"{which}, merged by another verdict", NodesMerged(node=node, merge=merge)
    if conflict.verdict is not None and len(conflict.node_ids) > 1:
        merge = make_merge(conflict.node_ids[0], conflict=conflict)
        yield f"{which}, merged in part", NodesMerged(node=node, merge=merge)


def _of_a_taken_entry(bank: Bank, entry_id: str) -> Named:
    entry, node, (living,) = make_entry(entry_id), make_node(bank.next_id("n")), _some_node(bank)
    yield "an entry of a taken id", NodeCreated(node=node, entry=entry, unit="u")
    yield "a taken entry on another node", EntryRecorded(node_id=living, entry=entry)
    yield "a merge with a taken entry", NodesMerged(node=node, merge=make_merge(living), entry=entry)


def _support(conflict: Conflict, claim: Claim, node_id: str) -> Event:
    return ConflictSupported(conflict_id=conflict.id, side="second", claim=claim, node_id=node_id)


def _some_node(bank: Bank) -> tuple[str]:
    return (next(node.id for node in bank.query_graph),)
