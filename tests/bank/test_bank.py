from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given

from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import DecidedBy, Verdict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import (
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    EdgeCreated,
    Event,
    MergeReverted,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    SourceRead,
    SourceRefused,
    StatusChanged,
    TurnTaken,
)
from memory_bank.bank.query_graph import Node
from memory_bank.bank.usage import Usage
from memory_bank.storage.transfer import export_layers
from tests.bank.invariants import check, state_of
from tests.bank.misfits import misfits
from tests.bank.story import FULL, MOVES, Move, Story
from tests.builders import (
    USAGE,
    make_answer,
    make_called,
    make_claim,
    make_conflict,
    make_created,
    make_current,
    make_entry,
    make_merge,
    make_node,
    make_source,
    make_task,
    make_turn,
    make_verification,
)


def unordered(layers: dict[str, Any], without: str | None = None) -> dict[str, Any]:
    """Nodes, edges, trees and conflicts by their ids, less one entry: what a merge and its way back keep."""
    trees = {
        node_id: {**tree, "entries": [entry for entry in tree["entries"] if entry["id"] != without]}
        for node_id, tree in layers["interaction_trees"].items()
    }
    return {
        "nodes": {node["id"]: node for node in layers["query_graph"]["nodes"]},
        "edges": {frozenset(edge) for edge in layers["query_graph"]["edges"]},
        "trees": trees,
        "conflicts": layers["conflicts"],
    }


@given(MOVES)
def test_a_merge_that_is_taken_back_at_once_leaves_everything_as_it_was(moves: list[Move]) -> None:
    before: dict[str, Any] = {}

    def compare(story: Story, event: Event) -> None:
        layers = export_layers(story.bank)
        if isinstance(event, NodesMerged):
            bank = Bank.replay([*story.events, MergeReverted(node_id=event.node.id)])
            assert unordered(export_layers(bank), event.entry and event.entry.id) == unordered(before)
            if event.entry is not None:
                assert bank.trees.node_of(event.entry.id) in event.merge.node_ids
        before.update(layers)

    Story(compare).play(moves)


@given(MOVES)
def test_all_merges_taken_back_newest_first_leave_every_node_with_its_own_entry_and_edges(moves: list[Move]) -> None:
    story = Story().play(moves)
    while made := [node_id for node_id in story.living() if story.bank.trees.made_by(node_id)]:
        story.tell(MergeReverted(node_id=max(made, key=lambda node_id: int(node_id[1:]))))
        check(story.bank, story.events)
    created = {event.node.id: event for event in story.events if isinstance(event, NodeCreated)}
    assert set(story.living()) == created.keys()
    for node_id, event in created.items():
        assert event.entry in story.bank.trees.entries(node_id)
        assert story.bank.query_graph[node_id].claims == event.node.claims
    related = {frozenset(event.node_ids) for event in story.events if isinstance(event, EdgeCreated)}
    own = {pair for pair in related if pair <= created.keys()}
    assert own <= {frozenset(edge) for edge in story.bank.query_graph.edges()}


def test_the_full_story_holds_one_of_everything() -> None:
    bank = Story(lambda story, _event: check(story.bank, story.events)).play(FULL).bank
    assert {conflict.status for conflict in bank.conflicts.values()} == {"open", "disputed", "resolved"}
    assert {node.status for node in bank.query_graph} == {"active", "conflicting", "disputed"}
    assert any(len(bank.trees.merges(node.id)) > 1 for node in bank.query_graph)
    assert bank.answer is not None


def test_a_claim_was_said_on_the_day_of_its_turn_or_else_of_its_document() -> None:
    turns = [{"start": 0, "said": 5, "end": 14, "speaker": "Ada", "at": "2023-05-08T13:56:00"}]
    entry = make_entry("e1", "Ada: It leaks.\nBob: No.").model_copy(
        update={"metadata": {"source_id": "s1", "turns": turns}}
    )
    read = SourceRead(
        source_id="s1", title=None, media_type="text/plain", characters=24, pages=0, dated=date(2024, 1, 2)
    )
    bank = Bank.replay([make_created(), SourceAdded(source=make_source()), read])
    said, later, unknown = (
        make_claim().model_copy(update={"entry_id": entry_id, "start": start, "end": end})
        for entry_id, start, end in (("e1", 5, 14), ("e1", 20, 23), ("e9", 5, 14))
    )
    bank.apply(NodeCreated(node=make_node("n1", "The roof.", said, later), entry=entry, unit="s1.1"))
    assert bank.day_of(said) == date(2023, 5, 8)
    assert bank.day_of(later) == date(2024, 1, 2)
    assert bank.day_of(unknown) is None


# -- conflicts -----------------------------------------------------------------------------------------------


def events_of_two_nodes() -> list[Event]:
    return [
        make_created(),
        NodeCreated(node=make_node("n1"), entry=make_entry("e1"), unit="s1.1"),
        NodeCreated(node=make_node("n2"), entry=make_entry("e2"), unit="s1.2"),
    ]


def two_nodes() -> Bank:
    return Bank.replay(events_of_two_nodes())


def disputed_nodes(verdict: Verdict) -> Bank:
    bank = two_nodes()
    bank.apply(ConflictOpened(conflict=make_conflict()))
    bank.apply(ConflictDecided(verification=make_verification(verdict=verdict), decided_by="agent"))
    return bank


def merged(bank: Bank, *node_ids: str, new: str = "n3", conflict_id: str | None = None) -> NodesMerged:
    merge = make_merge(*node_ids, conflict=bank.conflicts[conflict_id] if conflict_id else None)
    return NodesMerged(node=make_node(new), merge=merge)


def test_a_conflict_that_says_it_is_merged_already_is_not_opened() -> None:
    """Nothing could ever carry it out: a run on such an import would never end."""
    bank = two_nodes()
    with pytest.raises(CorruptLogError, match="opened with its verdict"):
        bank.apply(ConflictOpened(conflict=make_conflict().model_copy(update={"merged_into": "n9"})))
    assert bank.conflicts == {}


def test_both_nodes_of_an_open_conflict_are_kept_and_marked() -> None:
    bank = two_nodes()
    bank.apply(ConflictOpened(conflict=make_conflict()))
    assert {node.id: node.status for node in bank.query_graph} == {"n1": "conflicting", "n2": "conflicting"}
    assert [conflict.id for conflict in bank.open_conflicts()] == ["x1"]


@pytest.mark.parametrize(
    ("verdict", "refuted"), [("first", ["c2"]), ("second", ["c1"]), ("both", []), ("neither", ["c1", "c2"])]
)
def test_a_verdict_stays_open_until_the_merge_and_keeps_what_it_refuted(verdict: Verdict, refuted: list[str]) -> None:
    bank = disputed_nodes(verdict)
    assert bank.conflicts["x1"].status == "open"
    bank.apply(merged(bank, "n1", "n2", conflict_id="x1"))
    conflict = bank.conflicts["x1"]
    assert (conflict.status, conflict.verdict, conflict.merged_into) == ("resolved", verdict, "n3")
    assert [claim.id for claim in conflict.refuted] == refuted
    assert [claim.id for claim in conflict.claims] == ["c1", "c2"]
    assert (conflict.decided_by, conflict.reason, len(conflict.evidence)) == ("agent", "the register", 1)
    assert bank.query_graph["n3"].status == "active"
    assert {entry.id for entry in bank.trees.entries("n3")} == {"e1", "e2"}


def test_an_inconclusive_verdict_merges_nothing_and_is_not_waiting_any_more() -> None:
    bank = disputed_nodes("inconclusive")
    assert {node.id: node.status for node in bank.query_graph} == {"n1": "disputed", "n2": "disputed"}
    assert bank.open_conflicts() == []
    assert bank.conflicts["x1"].refuted == ()


def test_a_dispute_can_be_decided_after_all() -> None:
    bank = disputed_nodes("inconclusive")
    bank.apply(ConflictReopened(conflict_id="x1", reason="I was there", by="person"))
    bank.apply(ConflictDecided(verification=make_verification(verdict="second"), decided_by="person"))
    assert [conflict.decided_by for conflict in bank.open_conflicts()] == ["person"]
    assert bank.query_graph["n1"].status == "conflicting"


def test_other_conflicts_of_a_merged_node_go_over_to_its_heir() -> None:
    bank = disputed_nodes("first")
    bank.apply(NodeCreated(node=make_node("n4"), entry=make_entry("e4"), unit="s1.4"))
    bank.apply(ConflictOpened(conflict=make_conflict("x2", "n4", "n1")))
    bank.apply(ConflictOpened(conflict=make_conflict("x3", "n2", "n1")))
    bank.apply(merged(bank, "n1", "n2", new="n5", conflict_id="x1"))
    assert bank.conflicts["x2"].node_ids == ("n4", "n5")
    assert bank.conflicts["x3"].node_ids == ("n5",)
    assert {node.id: node.status for node in bank.query_graph} == {"n4": "conflicting", "n5": "conflicting"}
    bank.apply(merged(bank, "n4", "n5", new="n6"))
    assert bank.conflicts["x1"].merged_into == "n6"
    assert bank.living("n1") == "n6"


# -- other effects -------------------------------------------------------------------------------------------


def test_ids_go_on_after_the_highest_of_their_kind_even_if_it_was_merged_away() -> None:
    bank = two_nodes()
    bank.apply(merged(bank, "n1", "n2", new="n9"))
    bank.apply(NodeCreated(node=make_node("n5"), entry=make_entry("e0"), unit="s1.5"))
    assert (bank.next_id("n"), bank.next_id("n", 2), bank.next_id("e"), bank.next_id("x")) == ("n10", "n12", "e3", "x1")


def test_an_id_of_very_many_digits_is_only_a_name() -> None:
    bank = two_nodes()
    bank.apply(NodeCreated(node=make_node("n" + "9" * 79), entry=make_entry("e3"), unit="s1.3"))
    assert bank.next_id("n") == "n3"


def test_open_conflicts_can_be_asked_for_while_another_one_is_opened() -> None:
    """As from another thread: the status of the first one is a text that opens the second while it is compared."""
    bank = two_nodes()

    class Opening(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            bank.conflicts["x2"] = make_conflict("x2")
            return str.__eq__(self, other)

    bank.conflicts["x1"] = make_conflict("x1").model_copy(update={"status": Opening("open")})
    assert [conflict.id for conflict in bank.open_conflicts()] == ["x1"]
    bank.conflicts.pop("x2")
    assert [conflict.id for conflict in bank.plannable_conflicts()] == ["x1"]


def test_what_an_event_says_of_a_new_nodes_status_is_not_believed() -> None:
    bank = two_nodes()
    node: Node = make_node("n3").model_copy(update={"status": "disputed"})
    bank.apply(NodeCreated(node=node, entry=make_entry("e3"), unit="s1.3"))
    assert bank.query_graph["n3"].status == "active"


def test_judgements_units_and_analyses_are_remembered_for_a_resumed_run() -> None:
    bank = two_nodes()
    bank.apply(make_called("planning/t1", seconds=0.5))
    bank.apply(make_called("planning/t2", seconds=0.25))
    bank.apply(NodeAnalysed(node_id="n1", candidates=("n2",)))
    bank.apply(PromptEnhanced(task_id="t1", node_ids=("n1",)))
    assert bank.judgements == {"planning/t1": {"next_task": None}, "planning/t2": {"next_task": None}}
    assert (bank.usage.calls, bank.usage.prompt_tokens, bank.usage.seconds) == (2, 20, 0.75)
    assert (bank.units, bank.analysed) == ({"s1.1": "n1", "s1.2": "n2"}, {"n1": ("n2",)})
    assert bank.prompted == {"t1"}


def test_a_source_is_known_read_and_ingested_in_turn() -> None:
    bank = Bank()
    bank.apply(make_created())
    bank.apply(SourceAdded(source=make_source()))
    assert bank.sources["s1"].characters is None
    facts = {"title": "Notes", "media_type": "text/markdown", "characters": 9, "pages": 2, "language": "en"}
    bank.apply(SourceRead.model_validate({"source_id": "s1", **facts}))
    assert bank.sources["s1"] == make_source().model_copy(update=facts)
    assert bank.ingested == set()
    bank.apply(SourceIngested(source_id="s1", task=make_task()))
    assert bank.ingested == {"s1"}
    assert bank.insight_doc.completed_tasks == (make_task(),)


def test_a_refused_source_says_why_and_is_not_waited_for() -> None:
    bank = Bank()
    bank.apply(make_created())
    bank.apply(SourceAdded(source=make_source()))
    bank.apply(SourceRefused(source_id="s1", reason="it is an image", task=make_task("failed")))
    assert (bank.sources["s1"].refused, bank.ingested) == ("it is an image", {"s1"})
    assert bank.insight_doc.completed_tasks == (make_task("failed"),)


def test_the_insight_doc_holds_one_step_at_a_time() -> None:
    bank = Bank()
    bank.apply(make_created())
    assert not bank.planned
    bank.apply(PlanUpdated(completed=None, current=make_current("t1")))
    assert (bank.planned, bank.insight_doc.current_task) == (True, make_current("t1"))
    bank.apply(PlanUpdated(completed=make_task("failed"), current=None))
    assert (bank.insight_doc.current_task, bank.insight_doc.completed_tasks) == (None, (make_task("failed"),))


def test_only_an_end_has_a_time_of_ending() -> None:
    bank = Bank()
    bank.apply(make_created())
    for status, ended in (
        ("running", False),
        ("failed", True),
        ("paused", False),
        ("cancelled", True),
        ("finished", True),
    ):
        bank.apply(StatusChanged.model_validate({"status": status}))
        assert (bank.finished_at is not None) == ended


def test_a_later_answer_replaces_the_first() -> None:
    bank = two_nodes()
    bank.apply(AnswerGiven(answer=make_answer()))
    bank.apply(AnswerGiven(answer=make_answer().model_copy(update={"text": "1971"})))
    assert bank.answer is not None
    assert bank.answer.text == "1971"


# -- what does not fit ---------------------------------------------------------------------------------------

MOST = 1.7e308
"""Seconds: twice as many are more than a number holds."""
TOLD = Story().play(FULL)
MISFITS = misfits(TOLD.bank, TOLD.events)


@pytest.mark.parametrize(
    "more",
    [make_called("planning/t2", MOST), TurnTaken(task_id="t1", number=1, turn=make_turn(), usage=Usage(seconds=MOST))],
    ids=lambda one: one.type,
)
def test_what_adds_up_to_no_number_is_a_corrupt_log_and_changes_nothing(more: Event) -> None:
    bank = Bank.replay([make_created(), make_called("planning/t1", MOST)])
    before = state_of(bank)
    with pytest.raises(CorruptLogError, match="adds up to no number"):
        bank.apply(more)
    assert state_of(bank) == before


@pytest.mark.parametrize("event", MISFITS.values(), ids=MISFITS.keys())
def test_an_event_that_does_not_fit_is_a_corrupt_log_and_changes_nothing(event: Event) -> None:
    bank = Bank.replay(TOLD.events)
    before = state_of(bank)
    with pytest.raises(CorruptLogError):
        bank.apply(event)
    assert state_of(bank) == before


def test_a_merge_for_a_conflict_must_take_in_its_nodes_by_its_verdict() -> None:
    for node_ids, verdict in ((("n1",), "first"), (("n1", "n2"), "second")):
        bank = disputed_nodes("first")
        conflict = bank.conflicts["x1"].model_copy(update={"verdict": verdict})
        with pytest.raises(CorruptLogError):
            bank.apply(NodesMerged(node=make_node("n3"), merge=make_merge(*node_ids, conflict=conflict)))


def test_a_node_cannot_come_back_from_a_merge() -> None:
    """Else two merges could lead to each other, and `living` would never end."""
    bank = two_nodes()
    bank.apply(merged(bank, "n1", "n2"))
    with pytest.raises(CorruptLogError):
        bank.apply(merged(bank, "n3", new="n1"))


def test_the_id_of_a_merge_that_was_taken_back_never_comes_again() -> None:
    bank = two_nodes()
    bank.apply(merged(bank, "n1", "n2"))
    bank.apply(MergeReverted(node_id="n3"))
    assert bank.next_id("n") == "n4"
    for event in (merged(bank, "n1", "n2"), MergeReverted(node_id="n3")):
        with pytest.raises(CorruptLogError):
            Bank.replay([*events_of_two_nodes(), merged(bank, "n1", "n2"), MergeReverted(node_id="n3"), event])


@pytest.mark.parametrize("decided_by", ["agent", "person"])
@pytest.mark.parametrize("status", ["open", "disputed", "resolved"])
def test_nobody_replaces_a_verdict_that_was_not_taken_back(status: str, decided_by: DecidedBy) -> None:
    bank = disputed_nodes("inconclusive" if status == "disputed" else "first")
    if status == "resolved":
        bank.apply(merged(bank, "n1", "n2", conflict_id="x1"))
    with pytest.raises(CorruptLogError):
        bank.apply(ConflictDecided(verification=make_verification(verdict="second"), decided_by=decided_by))


def test_a_conflict_is_not_reopened_before_its_merge_is_taken_back() -> None:
    bank = disputed_nodes("first")
    bank.apply(merged(bank, "n1", "n2", conflict_id="x1"))
    with pytest.raises(CorruptLogError):
        bank.apply(ConflictReopened(conflict_id="x1", reason="", by="person"))


TWO_CONFLICTS: list[Event] = [
    make_created(),
    NodeCreated(node=make_node("n1", "One.", make_claim()), entry=make_entry("e1"), unit="s1.1.1"),
    NodeCreated(node=make_node("n2", "Two.", make_claim("c2", "e2")), entry=make_entry("e2"), unit="s1.1.2"),
    ConflictOpened(conflict=make_conflict("x1")),
    ConflictOpened(conflict=make_conflict("x2")),
]


def test_a_conflict_whose_verification_failed_twice_is_planned_no_more() -> None:
    bank = Bank.replay([*TWO_CONFLICTS, PlanUpdated(completed=None, current=make_current("t1", "x1"))])

    def waiting(*, failed_now: bool = False) -> list[str]:
        return [conflict.id for conflict in bank.plannable_conflicts(failed_now=failed_now)]

    assert waiting(failed_now=True) == ["x1", "x2"]
    bank.apply(PlanUpdated(completed=make_task("failed"), current=make_current("t2", "x1")))
    assert (waiting(), waiting(failed_now=True)) == (["x1", "x2"], ["x2"])
    bank.apply(PlanUpdated(completed=make_task("failed"), current=make_current("t3", "x2")))
    assert waiting() == ["x2"]
    assert [conflict.id for conflict in bank.open_conflicts()] == ["x1", "x2"]


def test_nodes_wait_to_be_planned_for_until_the_next_plan() -> None:
    bank = Bank.replay(TWO_CONFLICTS)
    assert bank.unplanned == ["n1", "n2"]
    bank.apply(PlanUpdated(completed=None, current=None))
    assert bank.unplanned == []


def test_turns_follow_one_another_and_are_paid_for_as_they_come() -> None:
    bank = Bank.replay(TWO_CONFLICTS)
    bank.apply(TurnTaken(task_id="t1", number=1, turn=make_turn(), usage=USAGE))
    assert bank.turns == {"t1": [make_turn()]}
    assert bank.usage == bank.usage_of["react"] == USAGE
    for number in (1, 3):
        with pytest.raises(CorruptLogError, match=f"turn {number} of t1"):
            bank.apply(TurnTaken(task_id="t1", number=number, turn=make_turn(), usage=USAGE))
