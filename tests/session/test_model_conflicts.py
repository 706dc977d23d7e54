"""A scripted model on every way that a conflict can go, through the real client."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.conflict import Verdict
from memory_bank.bank.events import ConflictDecided, ConflictOpened, NodesMerged, Notice
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from memory_bank.views.event_formatting import describe
from tests import competent_model
from tests.scripted_model import ScriptedModel
from tests.session.test_models import Reply, check, finish, parts_of, settings

TASK = "When was Beacon Mill last worked?"
REGISTER = Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921.")


def says(year: int, name: str) -> Upload:
    return Upload(name, f"Beacon Mill was last worked in {year}.".encode())


def verdicts(*wanted: Verdict) -> Reply:
    """A model that looks once and then decides so, one verification after another; the last verdict stays."""
    given = list(wanted)

    def reply(asked: dict[str, Any]) -> Any:
        text = "\n".join(str(message["content"]) for message in asked["messages"][1:])
        if asked.get("response_format") or "<conflict>" not in text or "<tool_response" not in text:
            return competent_model.reply(asked)
        verdict = given.pop(0) if len(given) > 1 else given[0]
        mark = re.findall(r'mark="(r\d+)"', text)[-1]
        supports = verdict if verdict in ("first", "second") else "neither"
        evidence = [{"cite": mark, "quote": "Beacon Mill was last worked in 1921.", "supports": supports}]
        told = {"verdict": verdict, "reason": f"So it is: {verdict}.", "confidence": 0.9, "evidence": evidence}
        return f"<answer>{json.dumps(told)}</answer>"

    return reply


def counting(reply: Reply, asked: list[str]) -> Reply:
    """The same model; the agent of each request goes into a list."""

    def counted(request: dict[str, Any]) -> Any:
        asked.append((request.get("response_format") or {}).get("json_schema", {}).get("name", "react"))
        return reply(request)

    return counted


def run(folder: Path, reply: Reply, *documents: Upload, **given: Any) -> Session:
    chosen = settings(**given)
    parts = parts_of(chosen, ScriptedModel(reply))
    session = Session.create(TASK, documents, [REGISTER], settings=chosen, sessions=folder, session_id="s", parts=parts)
    finish(session)
    check(session, documents)
    return session


TWO = (says(1955, "guide.txt"), says(1968, "survey.txt"))


@pytest.mark.parametrize(
    ("verdict", "status", "refuted", "nodes"),
    [
        ("first", "resolved", ["survey.txt"], 1),
        ("second", "resolved", ["guide.txt"], 1),
        ("both", "resolved", [], 1),
        ("neither", "resolved", ["guide.txt", "survey.txt"], 1),
        ("inconclusive", "disputed", [], 2),
    ],
)
def test_each_of_the_five_verdicts(
    tmp_path: Path, verdict: Verdict, status: str, refuted: list[str], nodes: int
) -> None:
    session = run(tmp_path, verdicts(verdict), *TWO)
    (conflict,) = session.bank.conflicts.values()
    assert (conflict.verdict, conflict.status, conflict.decided_by) == (verdict, status, "agent")
    assert [claim.source for claim in conflict.refuted] == refuted
    assert len(session.bank.query_graph) == nodes
    assert session.answer is not None
    for claim in conflict.barred:
        assert claim.text not in session.answer.affirmed
    assert bool(session.answer.disputed) == (verdict == "inconclusive")


@pytest.mark.parametrize("verdict", ["second", "inconclusive"])
def test_a_verdict_and_a_dispute_that_nothing_settles_are_an_answer_and_no_model_plans_further(
    tmp_path: Path, verdict: Verdict
) -> None:
    asked = list[str]()
    run(tmp_path, counting(verdicts(verdict), asked), *TWO)
    assert "planning" not in asked
    assert asked.count("react") == 2  # the verdict, the answer


def test_a_verdict_overturned_by_a_person(tmp_path: Path) -> None:
    session = run(tmp_path, verdicts("first"), *TWO)
    session.decide("x1", "second", "I was there.")
    finish(session)
    check(session, TWO)
    conflict = session.bank.conflicts["x1"]
    assert (conflict.verdict, conflict.decided_by, conflict.status) == ("second", "person", "resolved")
    assert session.answer is not None
    assert "1955" not in session.answer.affirmed


def test_a_verdict_reopened_by_a_person_is_verified_again(tmp_path: Path) -> None:
    session = run(tmp_path, verdicts("first", "second"), *TWO)
    session.decide("x1", None)
    finish(session)
    check(session, TWO)
    given = [event.verification.verdict for event in session.events if isinstance(event, ConflictDecided)]
    assert given == ["first", "second"]
    assert session.bank.conflicts["x1"].decided_by == "agent"


def test_what_the_pair_model_is_sure_of_is_opened_where_the_model_is_silent_and_the_log_says_so(tmp_path: Path) -> None:
    def silent(asked: dict[str, Any]) -> Any:
        wanted = asked.get("response_format") or {}
        if wanted.get("json_schema", {}).get("name") == "analysis":
            return {"candidates": [], "contradictions": [], "relations": []}
        return verdicts("second")(asked)

    session = run(tmp_path, silent, *TWO)
    opened = [event for event in session.events if isinstance(event, ConflictOpened)]
    assert opened[0].conflict.found_by == "pair_model"
    assert "the model passed it over" in describe(opened[0])
    assert not session.bank.open_conflicts()


def test_of_a_merged_node_no_model_is_asked_again_what_it_was_asked_of_its_parts(tmp_path: Path) -> None:
    asked = list[str]()
    third = Upload("wool.txt", b"Wool from Kent cost three pounds.")
    session = run(tmp_path, counting(verdicts("second"), asked), *TWO, third)
    assert [conflict.status for conflict in session.bank.conflicts.values()] == ["resolved"]
    assert asked.count("analysis") == 2  # the second document and the third one
    (merged,) = [event.node.id for event in session.events if isinstance(event, NodesMerged)]
    assert merged in session.bank.analysed


def test_three_conflicts_at_once_are_verified_one_by_one(tmp_path: Path) -> None:
    session = run(tmp_path, verdicts("first"), *TWO, says(1985, "atlas.txt"))
    assert len(session.bank.conflicts) == 3
    assert not session.bank.open_conflicts()
    assert len(session.bank.query_graph) == 1


def test_copies_of_one_dispute_are_verified_once(tmp_path: Path) -> None:
    session = run(tmp_path, verdicts("second"), *TWO, says(1955, "atlas.txt"), says(1968, "map.txt"))
    (conflict,) = session.bank.conflicts.values()
    (refuted,) = conflict.refuted
    assert session.bank.sources_of(refuted) == ["guide.txt", "atlas.txt"]
    tasks = [task.type for task in session.bank.insight_doc.completed_tasks]
    assert tasks.count("CROSS_VALIDATE") == 1
    (node,) = session.bank.query_graph
    assert {name for claim in node.claims for name in session.bank.sources_of(claim)} == {"survey.txt", "map.txt"}


def test_a_chain_of_merges_stops_at_its_bound(tmp_path: Path) -> None:
    def all_the_same(asked: dict[str, Any]) -> Any:
        wanted = asked.get("response_format") or {}
        if wanted.get("json_schema", {}).get("name") != "analysis":
            return competent_model.reply(asked)
        text = str(asked["messages"][1]["content"])
        numbers = [int(number) for number in re.findall(r"^node (\d+)", text, re.M)]
        rejected = [
            {"candidate": int(number), "reason": "No.", "contradiction": False}
            for number in re.findall(r"^candidate (\d+)", text, re.M)
        ]
        merge = {"relation": "merge", "confidence": 0.9, "reason": "the same", "context": "", "other_context": ""}
        relations = [{"node": max(numbers), "other": number, **merge} for number in numbers if number < max(numbers)]
        return {"candidates": rejected, "contradictions": [], "relations": relations}

    four = [Upload(f"{number}.txt", f"Beacon Mill was painted in {1900 + number}.".encode()) for number in range(4)]
    session = run(tmp_path, all_the_same, *four, merge_depth=0)
    sources = [claim.source for node in session.bank.query_graph for claim in node.claims]
    assert sorted(name for name in sources if name[0].isdigit()) == ["0.txt", "1.txt", "2.txt", "3.txt"], sources
    assert any(isinstance(event, Notice) and "merge depth" in event.message for event in session.events)
    free = run(tmp_path / "free", all_the_same, *four)
    documents = {claim.source for node in list(free.bank.query_graph)[:1] for claim in node.claims}
    assert len(free.bank.query_graph) == 1  # the four documents; nothing that the answer quotes is from the source
    assert documents
    assert sum(isinstance(event, NodesMerged) for event in free.events) == 3
