"""A merge is taken back, a conflict reopened: what goes where when something happened in between."""

from __future__ import annotations

import pytest

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import (
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    ConflictReopened,
    EdgeCreated,
    EntryRecorded,
    Event,
    MergeReverted,
    NeighbourUpdate,
    NodeCreated,
    NodesMerged,
    NodeUpdated,
    PersonDecided,
    PlanUpdated,
    PromptEnhanced,
    StatusChanged,
)
from tests.builders import (
    make_answer,
    make_called,
    make_claim,
    make_conflict,
    make_created,
    make_current,
    make_entry,
    make_merge,
    make_node,
    make_task,
    make_verification,
)

REOPENED = ConflictReopened(conflict_id="x1", reason="doubt", by="person")


def node(number: int) -> Event:
    """Node `n1` with claim `c1` in entry `e1`."""
    claim = make_claim(f"c{number}", f"e{number}")
    return NodeCreated(
        node=make_node(f"n{number}", f"Topic {number}.", claim), entry=make_entry(f"e{number}"), unit=f"s1.{number}"
    )


def conflict(conflict_id: str, *node_ids: str) -> Event:
    """Between the claims of the entries with the nodes' numbers."""
    claims = tuple(make_claim(f"c{node_id[1:]}", f"e{node_id[1:]}") for node_id in node_ids)
    return ConflictOpened(conflict=make_conflict(conflict_id, *node_ids).model_copy(update={"claims": claims}))


def decided(conflict_id: str = "x1") -> Event:
    return ConflictDecided(verification=make_verification(conflict_id), decided_by="agent")


def joined(new_id: str, *node_ids: str, by: str | None = None, update: NeighbourUpdate | None = None) -> Event:
    """The merge of nodes, by the verdict `first` on a conflict where one is named."""
    verdict = make_conflict(by, *node_ids).model_copy(update={"verdict": "first"}) if by else None
    return NodesMerged(
        node=make_node(new_id),
        merge=make_merge(*node_ids, conflict=verdict),
        neighbour_updates=(update,) if update else (),
        entry=make_entry(f"e{new_id}") if by else None,
    )


def bank_of(*events: Event) -> Bank:
    return Bank.replay([make_created(), node(1), node(2), node(4), *events])


def living(bank: Bank) -> set[str]:
    return {found.id for found in bank.query_graph}


def edges(bank: Bank) -> set[str]:
    return {"-".join(sorted(edge)) for edge in bank.query_graph.edges()}


def test_an_edge_gained_since_goes_to_each_node_and_an_older_one_to_where_it_was() -> None:
    bank = bank_of(
        EdgeCreated(node_ids=("n1", "n2")),
        EdgeCreated(node_ids=("n4", "n2")),
        joined("n5", "n1", "n2"),
        node(6),
        EdgeCreated(node_ids=("n6", "n5")),
    )
    assert edges(bank) == {"n4-n5", "n5-n6"}
    bank.apply(MergeReverted(node_id="n5"))
    assert edges(bank) == {"n1-n2", "n2-n4", "n1-n6", "n2-n6"}


def test_an_edge_to_a_neighbour_that_was_merged_since_leads_to_what_it_has_become() -> None:
    bank = bank_of(EdgeCreated(node_ids=("n1", "n4")), joined("n5", "n1", "n2"), node(6), joined("n7", "n4", "n6"))
    bank.apply(MergeReverted(node_id="n5"))
    assert edges(bank) == {"n1-n7"}
    bank.apply(MergeReverted(node_id="n7"))
    assert edges(bank) == {"n1-n4"}


def record(entry_id: str, conflict_id: object) -> Event:
    entry = make_entry(entry_id).model_copy(update={"metadata": {"source": "record", "conflict_id": conflict_id}})
    return EntryRecorded(node_id="n5", entry=entry)


@pytest.mark.parametrize(
    ("about", "home"), [("x2", "n1"), ("x1", "n2"), ("x9", "n2"), (None, "n2"), ([1], "n2"), ("x3", "n2")]
)
def test_a_record_made_since_goes_with_its_conflict_or_else_to_the_last_node(about: object, home: str) -> None:
    bank = bank_of(
        conflict("x1", "n1", "n2"),
        conflict("x2", "n4", "n1"),
        node(6),
        conflict("x3", "n4", "n6"),
        decided(),
        joined("n5", "n1", "n2", by="x1"),
        record("e50", about),
    )
    bank.apply(MergeReverted(node_id="n5"))
    assert bank.trees.node_of("e50") == home
    assert bank.trees.node_of("en5") == "n2"  # the record of the verification
    assert {entry.id for entry in bank.trees.entries("n1")} == {"e1"} | ({"e50"} if home == "n1" else set())


UPDATE = NeighbourUpdate(node_id="n4", context="Beside the dam.", keywords=("beside",))


@pytest.mark.parametrize(
    ("since", "context"),
    [
        ([], "Topic 4."),
        ([NodeUpdated(node_id="n4", context="Something else.", keywords=())], "Something else."),
        ([node(6), joined("n7", "n4", "n6"), MergeReverted(node_id="n7")], "Topic 4."),
    ],
    ids=["untouched", "described anew", "merged and back"],
)
def test_a_neighbour_describes_itself_as_before_unless_it_was_described_anew(since: list[Event], context: str) -> None:
    bank = bank_of(EdgeCreated(node_ids=("n1", "n4")), joined("n5", "n1", "n2", update=UPDATE))
    assert bank.query_graph["n4"].context == "Beside the dam."
    for event in [*since, MergeReverted(node_id="n5")]:
        bank.apply(event)
    assert bank.query_graph["n4"].context == context


def test_a_neighbour_that_was_merged_comes_back_as_it_was_before_both_merges() -> None:
    bank = bank_of(EdgeCreated(node_ids=("n1", "n4")), joined("n5", "n1", "n2", update=UPDATE), node(6))
    for event in (joined("n7", "n4", "n6"), MergeReverted(node_id="n5"), MergeReverted(node_id="n7")):
        bank.apply(event)
    assert bank.query_graph["n4"].context == "Topic 4."


def test_the_conflict_that_a_merge_resolved_is_open_with_its_verdict_and_can_be_merged_again() -> None:
    bank = bank_of(conflict("x1", "n1", "n2"), decided(), joined("n5", "n1", "n2", by="x1"))
    bank.apply(MergeReverted(node_id="n5"))
    found = bank.conflicts["x1"]
    assert (found.status, found.verdict, found.merged_into, found.node_ids) == ("open", "first", None, ("n1", "n2"))
    assert [bank.query_graph[node_id].status for node_id in ("n1", "n2")] == ["conflicting"] * 2
    assert bank.trees.merges("n1") == bank.trees.merges("n2") == ()
    assert bank.living("n1") == "n1"
    bank.apply(joined("n6", "n1", "n2", by="x1"))
    assert bank.conflicts["x1"].merged_into == bank.living("n1") == "n6"


class LookedUp(dict[str, str]):
    """What nodes became, with the number of times that somebody asked."""

    times = 0

    def __contains__(self, node_id: object) -> bool:
        self.times += 1
        return super().__contains__(node_id)


def test_a_merge_is_as_quick_after_many_others() -> None:
    bank, asked, last = bank_of(conflict("x1", "n1", "n2")), set[int](), "n1"
    for number in range(10, 40, 2):
        bank.apply(node(number))
        bank.merges.merged_into = looked_up = LookedUp(bank.merges.merged_into)
        bank.apply(joined(f"n{number + 1}", last, f"n{number}"))
        asked.add(looked_up.times)
        last = f"n{number + 1}"
    assert bank.conflicts["x1"].node_ids == ("n39", "n2")
    assert len(asked) == 1


def test_merges_come_off_one_after_another_and_what_was_resolved_below_stays_resolved() -> None:
    bank = bank_of(
        conflict("x1", "n1", "n2"),
        conflict("x2", "n4", "n1"),
        decided(),
        joined("n5", "n1", "n2", by="x1"),
        decided("x2"),
        joined("n6", "n4", "n5", by="x2"),
    )
    assert [found.merged_into for found in bank.conflicts.values()] == ["n6", "n6"]
    bank.apply(MergeReverted(node_id="n6"))
    assert (bank.conflicts["x1"].merged_into, bank.conflicts["x1"].status) == ("n5", "resolved")
    assert (bank.conflicts["x2"].node_ids, bank.conflicts["x2"].status) == (("n4", "n5"), "open")
    assert [merge.conflict_id for merge in bank.trees.merges("n5")] == ["x1"]
    bank.apply(MergeReverted(node_id="n5"))
    assert bank.conflicts["x2"].node_ids == ("n4", "n1")
    assert living(bank) == {"n1", "n2", "n4"}


def test_a_conflict_opened_since_names_the_node_that_holds_its_claim() -> None:
    claims = (make_claim("c1", "e1"), make_claim("c4", "e4"))
    opened = make_conflict("x1", "n5", "n4").model_copy(update={"claims": claims})
    inside = make_conflict("x2", "n5")  # between the two nodes that became one
    nowhere = make_conflict("x3", "n5", "n4").model_copy(
        update={"claims": (make_claim("c8", "e8"), make_claim("c9", "e9"))}
    )
    bank = bank_of(joined("n5", "n1", "n2"), *(ConflictOpened(conflict=found) for found in (opened, inside, nowhere)))
    bank.apply(MergeReverted(node_id="n5"))
    assert [found.node_ids for found in bank.conflicts.values()] == [("n1", "n4"), ("n1", "n2"), ("n2", "n4")]
    assert {found.status for found in bank.query_graph} == {"conflicting"}


def test_a_reopened_conflict_is_as_it_was_opened_but_for_the_evidence() -> None:
    bank = bank_of(conflict("x1", "n1", "n2"))
    opened = bank.conflicts["x1"]
    for event in (decided(), REOPENED):
        bank.apply(event)
    evidence = make_verification().evidence
    assert bank.conflicts["x1"] == opened.model_copy(update={"evidence": evidence})
    assert bank.query_graph["n1"].status == "conflicting"


def test_a_reopened_conflict_may_be_verified_again_although_it_failed_twice() -> None:
    failing = [PlanUpdated(completed=make_task("failed"), current=make_current(f"t{i}", "x1")) for i in (1, 2, 3)]
    bank = bank_of(conflict("x1", "n1", "n2"), *failing)
    assert bank.plannable_conflicts() == []
    assert bank.planned
    bank.apply(REOPENED)
    assert [found.id for found in bank.plannable_conflicts()] == ["x1"]
    assert not bank.planned


def test_a_persons_verdict_that_is_not_carried_out_is_left_to_no_verification() -> None:
    verdict = ConflictDecided(verification=make_verification(), decided_by="person")
    bank = bank_of(conflict("x1", "n1", "n2"), verdict)
    assert [found.id for found in bank.open_conflicts()] == ["x1"]
    assert bank.plannable_conflicts() == []


def asked(verdict: object) -> Event:
    return PersonDecided.model_validate({"conflict_id": "x1", "verdict": verdict, "reason": "I was there"})


@pytest.mark.parametrize(
    ("events", "waiting"),
    [
        ([asked("first")], "first"),
        ([asked("first"), asked("second")], "second"),
        ([asked("first"), REOPENED], "first"),
        ([asked("first"), decided()], "first"),
        ([asked("first"), ConflictDecided(verification=make_verification(), decided_by="person")], None),
        ([asked(None), REOPENED], None),
    ],
    ids=["asked", "asked anew", "on its way", "decided by the agent meanwhile", "decided", "reopened"],
)
def test_what_a_person_decided_waits_until_it_has_taken_effect(events: list[Event], waiting: str | None) -> None:
    bank = bank_of(conflict("x1", "n1", "n2"), *events)
    assert [decision.verdict for decision in bank.decisions.values()] == ([waiting] if waiting else [])


def test_an_answer_is_stale_and_the_question_open_again_once_a_decision_took_effect() -> None:
    bank = bank_of(conflict("x1", "n1", "n2"), decided(), AnswerGiven(answer=make_answer()), asked("second"))
    assert (bank.answer_stale, bank.ask_again) == (False, False)
    bank.apply(REOPENED)
    assert (bank.answer_stale, bank.ask_again) == (True, True)
    for event in (
        PlanUpdated(completed=None, current=make_current("t1", "x1")),
        PromptEnhanced(task_id="t1", node_ids=()),
    ):
        bank.apply(event)
    assert bank.ask_again  # a verification is not the question
    for event in (
        PlanUpdated(completed=make_task(), current=make_current("t2")),
        PromptEnhanced(task_id="t2", node_ids=()),
    ):
        bank.apply(event)
    assert (bank.answer_stale, bank.ask_again) == (True, False)
    assert (bank.plans, bank.plans_since_answer) == (2, 2)
    bank.apply(AnswerGiven(answer=make_answer()))
    assert (bank.answer_stale, bank.plans, bank.plans_since_answer) == (False, 2, 0)


def test_what_was_given_up_is_tried_again_by_the_next_run() -> None:
    failed = AgentFailed(key="integration/x1", agent="integration", attempt=2, error="busy")
    bank = bank_of(failed.model_copy(update={"again": True}))
    assert bank.given_up == set()
    bank.apply(failed)
    assert bank.given_up == {"integration/x1"}
    bank.apply(make_called("integration/x1"))
    assert bank.given_up == set()
    bank.apply(failed)
    bank.apply(StatusChanged(status="running"))
    assert bank.given_up == set()
