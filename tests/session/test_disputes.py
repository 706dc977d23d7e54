"""One dispute in many nodes is one conflict: what says the same joins a side, and is new evidence in a dispute."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_bank.agents.analysis import AnalysisInput, AnalysisOutput, Contradiction, Relation
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict, DecidedBy, Verdict
from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import ConflictDecided, ConflictReopened, ConflictSupported, MergeReverted
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from tests.builders import make_claim, make_verification
from tests.session.test_pipeline import scripts
from tests.session.test_session import integrate, scripted
from tests.workbench import Workbench, workbench

EARLY, LATE, OTHER = "The mill closed in 1921.", "The mill closed in 1955.", "The mill closed in 1968."


def years_differ(given: AnalysisInput) -> AnalysisOutput:
    """Every claim of the node against every one of another year."""
    relations = []
    for other in given.candidates:
        found = tuple(
            Contradiction(new_claim=new.id, existing_claim=old.id, description="which year?", confidence=0.9)
            for new in given.node.claims
            for old in other.claims
            if other.id != given.node.id and re.findall(r"\d{4}", new.text) != re.findall(r"\d{4}", old.text)
        )
        if found:
            relation = Relation(
                existing_id=other.id, relation="conflict", confidence=0.9, reasoning="years", contradictions=found
            )
            relations.append(relation)
    return AnalysisOutput(relations=tuple(relations))


def told(bench: Workbench, *claims: str) -> None:
    """Nodes n1, n2, … that say so, each compared with those before it."""
    before = len(bench.bank.query_graph)
    for number, claim in enumerate(claims, start=before + 1):
        bench.put(f"n{number}", f"the mill, {number}", claim, keywords=("mill",), seconds=number)
        list(bench.pipeline.analysis.analyse([f"n{number}"]))


def sides(conflict: Conflict) -> tuple[set[str], set[str]]:
    first, second = ({claim.source for claim in side} for side in conflict.sides)
    return first, second


def decide(bench: Workbench, conflict_id: str, verdict: Verdict, by: DecidedBy = "agent") -> None:
    list(bench.pipeline.resolve([make_verification(conflict_id, verdict)], by))


def test_what_says_the_same_as_a_side_joins_it(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE, LATE, EARLY)
        (conflict,) = bench.bank.conflicts.values()
        assert sides(conflict) == ({"n1.txt", "n4.txt"}, {"n2.txt", "n3.txt"})
        assert conflict.node_ids == ("n1", "n2", "n3", "n4")
        assert {node.status for node in bench.bank.query_graph} == {"conflicting"}
        assert set(bench.bank.opposed(conflict)) == {("n1", "n2"), ("n1", "n3"), ("n4", "n2"), ("n4", "n3")}


@pytest.mark.parametrize(
    ("third", "joins"),
    [
        ("It is 28 metres long and 9 metres wide and has 8 cabins, each with a window of two metres.", True),
        ("It is 45 metres long and 9 metres wide and has 6 cabins, each with a window of two metres.", False),
    ],
)
def test_what_says_the_same_among_other_things_joins_a_side(tmp_path: Path, third: str, *, joins: bool) -> None:
    with workbench(tmp_path, scripts()) as bench:
        told(bench, "The ferry has 6 cabins and is 90 feet long at the keel.", "The ferry has 8 cabins.", third)
        first, second, longer = (node.claims[0].id for node in bench.bank.query_graph)
        for node_id, claim in (("n2", second), ("n3", longer)):
            found = Contradiction(existing_claim=first, new_claim=claim, description="how many?", confidence=0.9)
            list(bench.pipeline.conflicts.open(node_id, "n1", [found]))
        expected = [({"n1.txt"}, {"n2.txt", "n3.txt"})] if joins else [({"n1.txt"}, {f"n{n}.txt"}) for n in (2, 3)]
        assert [sides(conflict) for conflict in bench.bank.conflicts.values()] == expected


def test_a_third_value_is_a_dispute_of_its_own(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE, OTHER)
        assert [sides(conflict) for conflict in bench.bank.conflicts.values()] == [
            ({"n1.txt"}, {"n2.txt"}),
            ({"n1.txt"}, {"n3.txt"}),
            ({"n2.txt"}, {"n3.txt"}),
        ]


def test_a_merge_is_told_what_is_not_settled_between_its_nodes(tmp_path: Path) -> None:
    pending: list[str] = []

    def noting(given: IntegrationInput) -> IntegrationOutput:
        pending.extend(other.id for other in given.pending)
        return integrate(given)

    with workbench(tmp_path, scripts(integration=noting)) as bench:
        bench.put("n1", "", EARLY, "It has four floors.")
        bench.put("n2", "", LATE, "It has six floors.", "It never had floors.")
        bench.put("n3", "", OTHER)
        bench.open_conflict("n1", "n2")
        for first, second, of in (("n1", "n2", (1, 1)), ("n2", "n1", (0, 1)), ("n1", "n3", (0, 0))):
            bench.open_conflict(first, second, of)
        decide(bench, "x1", "first")
        assert pending == ["x2"], "x3 has the claim that x1 refutes, x4 a node that is not merged"


@pytest.mark.parametrize(
    ("verdict", "refuted"),
    [
        ("first", {"n2.txt", "n3.txt"}),
        ("second", {"n1.txt"}),
        ("neither", {"n1.txt", "n2.txt", "n3.txt"}),
        ("both", set()),
    ],
)
def test_a_verdict_refutes_a_side_with_its_supporters_and_makes_all_nodes_one(
    tmp_path: Path, verdict: Verdict, refuted: set[str]
) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ, integration=integrate)) as bench:
        told(bench, EARLY, LATE, LATE)
        decide(bench, "x1", verdict)
        (conflict,) = bench.bank.conflicts.values()
        assert {claim.source for claim in conflict.refuted} == refuted
        (node,) = bench.bank.query_graph
        assert {claim.source for claim in node.claims} == {"n1.txt", "n2.txt", "n3.txt"} - refuted
        assert len(bench.bank.trees.entries(node.id)) == 3


def test_taking_the_merge_of_many_back_leaves_them_as_they_were(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ, integration=integrate)) as bench:
        told(bench, EARLY, LATE, LATE)
        before = list(bench.bank.query_graph)
        decide(bench, "x1", "first")
        (merged,) = bench.bank.query_graph
        bench.recorder.record(MergeReverted(node_id=merged.id, reason="a doubt"))
        assert list(bench.bank.query_graph) == before
        assert bench.bank.conflicts["x1"].node_ids == ("n1", "n2", "n3")


def test_new_evidence_opens_a_dispute_again_by_itself(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE)
        decide(bench, "x1", "inconclusive")
        assert bench.bank.plannable_conflicts() == []
        told(bench, EARLY)
        (conflict,) = bench.bank.plannable_conflicts()
        assert (conflict.id, sides(conflict)) == ("x1", ({"n1.txt", "n3.txt"}, {"n2.txt"}))
        assert conflict.evidence, "what was found before is kept"


def test_a_run_that_is_killed_while_a_dispute_is_joined_goes_on_to_the_same(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE)
        decide(bench, "x1", "inconclusive")
        bench.put("n3", "the mill, 3", EARLY, keywords=("mill",), seconds=3)
        analysing = bench.pipeline.analysis.analyse(["n3"])
        assert any(isinstance(event, ConflictReopened) for event in analysing), "killed right after it"
        list(bench.pipeline.analysis.analyse(["n3"]))
        (conflict,) = bench.bank.plannable_conflicts()
        assert sides(conflict) == ({"n1.txt", "n3.txt"}, {"n2.txt"})


def test_a_claim_that_fits_both_sides_takes_none(tmp_path: Path) -> None:
    """ "The 1950s" is no other than 1955, and no other than 1951."""
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, "The mill closed in 1951.", LATE, "The mill closed in the 1950s.")
        assert sides(bench.bank.conflicts["x1"]) == ({"n1.txt"}, {"n2.txt"})
        assert len(bench.bank.conflicts) == 3


def test_a_dispute_that_a_person_gave_is_joined_and_stays(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE)
        decide(bench, "x1", "inconclusive", by="person")
        told(bench, EARLY)
        (conflict,) = bench.bank.conflicts.values()
        assert (conflict.status, conflict.decided_by) == ("disputed", "person")
        assert sides(conflict) == ({"n1.txt", "n3.txt"}, {"n2.txt"})
        assert bench.bank.query_graph["n3"].status == "disputed"


def test_what_is_settled_takes_no_supporter(tmp_path: Path) -> None:
    with workbench(tmp_path, scripts(analysis=years_differ)) as bench:
        told(bench, EARLY, LATE)
        bench.recorder.record(ConflictDecided(verification=make_verification("x1", "first"), decided_by="agent"))
        late = ConflictSupported(conflict_id="x1", side="first", claim=make_claim("c9"), node_id="n1")
        with pytest.raises(CorruptLogError, match="cannot join a side of x1"):
            bench.bank.apply(late)


def test_the_answer_names_every_source_of_a_dispute(tmp_path: Path) -> None:
    uploads = [Upload(f"{name}.txt", text.encode()) for name, text in (("a", EARLY), ("b", LATE), ("c", LATE))]
    session = Session.create(
        "When did the mill close?",
        uploads,
        sessions=tmp_path,
        session_id="s",
        parts=scripted("inconclusive", analysis=years_differ),
    )
    list(session.run())
    assert session.answer is not None
    (dispute,) = session.answer.disputed
    assert [side.partition(" [")[0] for side in dispute.sides] == [
        f"a.txt: “{EARLY}”",
        f"b.txt, c.txt: “{LATE}”",
    ]
    assert session.answer.affirmed == ""
