"""The loop: what happens between upload and answer, with scripted judgements and with the embedded engine."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_bank.agents.analysis import AnalysisInput, AnalysisOutput, Contradiction, Relation
from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.agents.planning import NextTask, PlanningInput, PlanningOutput
from memory_bank.agents.react import AnswerStatement, EnhancedPrompt, Quote, StepResult, Tools
from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.conflict import Verdict, Verification
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    ConflictOpened,
    Event,
    NodesMerged,
    Notice,
    SourceRefused,
    StatusChanged,
)
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.message import Message
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import export_layers, first_difference, parse_export
from tests.scripted import Script, ScriptedEngine, ScriptedFramework
from tests.step_clock import StepClock

MORNING = datetime(2024, 1, 1, tzinfo=UTC)
NEXT_DAY = datetime(2024, 1, 2, tzinfo=UTC)
FIRST = Upload("first.txt", b"The mill closed in 1921.")
SECOND = Upload("second.txt", b"The mill closed in 1955.")


def classify(given: ClassificationInput) -> ClassificationOutput:
    whole = Cluster(cluster_id=1, context=given.source, keywords=("mill",), spans=((0, len(given.text)),))
    return ClassificationOutput(should_cluster=False, clusters=(whole,))


def structure(given: StructureInput) -> StructureOutput:
    claim = FoundClaim(text=given.content, start=0, end=len(given.content))
    return StructureOutput(summary=given.content, claims=(claim,))


def always_in_conflict(given: AnalysisInput) -> AnalysisOutput:
    """Every claim of every other node contradicts the node's first claim."""
    relations = [
        Relation(
            existing_id=other.id,
            relation="conflict",
            confidence=0.9,
            reasoning="years differ",
            contradictions=(
                Contradiction(
                    new_claim=given.node.claims[0].id,
                    existing_claim=other.claims[0].id,
                    description="which year?",
                    confidence=0.9,
                ),
            ),
        )
        for other in given.candidates
        if other.id != given.node.id and other.claims and given.node.claims
    ]
    return AnalysisOutput(relations=tuple(relations))


def integrate(given: IntegrationInput) -> IntegrationOutput:
    refuted = {claim.id for claim in given.conflict.refuted} if given.conflict else set()
    claims = tuple(claim for node in given.nodes for claim in node.claims if claim.id not in refuted)
    return IntegrationOutput(
        summary=" / ".join(node.summary for node in given.nodes),
        context="the mill",
        keywords=("mill",),
        claims=claims,
        neighbour_updates=(),
        merge_description="one mill",
    )


def plan(given: PlanningInput) -> PlanningOutput:
    """Conflicts one after another, then the question, then done."""
    task, completed = given.insight_doc.current_task, None
    if task is not None and given.last_step is not None:
        status = "failed" if given.last_step.failed else "success"
        completed = CompletedTask(
            type=task.type, description=task.description, status=status, context=given.last_step.found
        )
    done = (*given.insight_doc.completed_tasks, *((completed,) if completed else ()))
    if given.open_conflicts and not any(task.status == "failed" for task in done):
        conflict = given.open_conflicts[0]
        following = NextTask(type="CROSS_VALIDATE", description=f"verify {conflict.id}", conflict_id=conflict.id)
        return PlanningOutput(completed=completed, next_task=following)
    if task is None or task.type == "CROSS_VALIDATE":
        return PlanningOutput(completed=completed, next_task=NextTask(type="NORMAL", description="answer"))
    return PlanningOutput(completed=completed, next_task=None)


def acting(verdict: Verdict) -> Callable[[EnhancedPrompt, Tools], StepResult]:
    """A framework that gives one verdict on everything and quotes the first entry it finds."""

    def act(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        messages = (Message(role="user", content=prompt.text), Message(role="assistant", content="done"))
        if prompt.conflict is not None:
            verification = Verification(
                conflict_id=prompt.conflict.id, verdict=verdict, reason="a register says so", confidence=0.9
            )
            return StepResult(answer=verdict, messages=messages, verification=verification)
        entry = tools.deep_retrieval(prompt.nodes[0].id)[0]
        quote = Quote(source=entry.metadata["source"], text=entry.text, entry_id=entry.id, end=len(entry.text))
        statement = AnswerStatement(quotes=(quote,))
        conflicts = tuple(conflict.id for conflict in tools.conflicts())
        return StepResult(answer="found", messages=messages, statements=(statement,), conflicts=conflicts)

    return act


def scripted(verdict: Verdict = "first", **scripts: Script) -> Parts:
    given: dict[str, Script] = {
        "classification": classify,
        "structure": structure,
        "analysis": always_in_conflict,
        "integration": integrate,
        "planning": plan,
    }
    engine = ScriptedEngine(given | scripts)
    framework = ScriptedFramework(acting(verdict))
    return Parts(StepClock(), HashEmbedder(), dict.fromkeys(AGENTS, engine), framework)


def offline(start: datetime = MORNING) -> Parts:
    embedder = HashEmbedder()
    engine = OfflineEngine(embedder)
    return Parts(StepClock(start), embedder, dict.fromkeys(AGENTS, engine), OfflineFramework(embedder))


def run(tmp_path: Path, parts: Parts, *uploads: Upload, sources: tuple[Upload, ...] = (), **settings: int) -> Session:
    session = Session.create(
        "When was Beacon Mill last worked?",
        uploads,
        sources,
        settings=Settings(**settings),  # type: ignore[arg-type]
        sessions=tmp_path,
        session_id="s",
        parts=parts,
    )
    for _event in session.run():
        pass
    return session


@pytest.mark.parametrize(("verdict", "refuted"), [("first", 1), ("second", 1), ("both", 0), ("neither", 2)])
def test_a_verdict_makes_one_node_of_two_and_keeps_every_entry(tmp_path: Path, verdict: Verdict, refuted: int) -> None:
    session = run(tmp_path, scripted(verdict), FIRST, SECOND)
    (node,) = session.bank.query_graph
    texts = [entry.text for entry in session.bank.trees.entries(node.id)]
    assert texts[:2] == ["The mill closed in 1921.", "The mill closed in 1955."]
    assert len(texts) == 3  # the record of the verification
    conflict = session.bank.conflicts["x1"]
    assert (conflict.status, conflict.verdict, conflict.merged_into) == ("resolved", verdict, node.id)
    assert (conflict.decided_by, conflict.reason) == ("agent", "a register says so")
    assert len(conflict.refuted) == refuted
    assert {claim.id for claim in node.claims}.isdisjoint(claim.id for claim in conflict.refuted)
    assert session.bank.trees.merges(node.id)[0].verdict == verdict
    assert node.status == "active"


def test_an_inconclusive_verdict_leaves_two_disputed_nodes_and_states_both_sides(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("inconclusive"), FIRST, SECOND)
    assert [node.status for node in session.bank.query_graph] == ["disputed", "disputed"]
    answer = session.answer
    assert answer is not None
    (dispute,) = answer.disputed
    assert "first.txt: “The mill closed in 1921.”" in dispute.sides[0]
    assert "second.txt: “The mill closed in 1955.”" in dispute.sides[1]
    assert all(side in answer.text for side in dispute.sides)
    assert [task.type for task in session.bank.insight_doc.completed_tasks].count("CROSS_VALIDATE") == 1


def test_three_conflicts_at_once_are_each_verified_and_none_is_forgotten(tmp_path: Path) -> None:
    third = Upload("third.txt", b"The mill closed in 1985.")
    session = run(tmp_path, scripted("first"), FIRST, SECOND, third)
    assert len(session.bank.conflicts) >= 3
    assert not session.bank.open_conflicts()
    assert len(session.bank.query_graph) == 1
    assert {entry.text for entry in session.bank.trees} >= {
        "The mill closed in 1921.",
        "The mill closed in 1955.",
        "The mill closed in 1985.",
    }


def test_a_chain_of_merges_stops_at_its_bound_and_says_so(tmp_path: Path) -> None:
    def all_the_same(given: AnalysisInput) -> AnalysisOutput:
        others = [other.id for other in given.candidates if other.id != given.node.id]
        same = [Relation(existing_id=i, relation="merge", confidence=1, reasoning="same") for i in others]
        return AnalysisOutput(relations=tuple(same))

    uploads = [Upload(f"{number}.txt", f"The mill has {number} wheels.".encode()) for number in range(4)]
    free = run(tmp_path / "free", scripted(analysis=all_the_same), *uploads)
    assert len(free.bank.query_graph) == 1
    bound = run(tmp_path / "bound", scripted(analysis=all_the_same), *uploads, merge_depth=0)
    assert len(bound.bank.query_graph) == 4
    assert any(isinstance(event, Notice) and "merge depth" in event.message for event in bound.events)


def test_related_nodes_get_an_edge_that_a_merged_node_inherits(tmp_path: Path) -> None:
    def relate_third(given: AnalysisInput) -> AnalysisOutput:
        if given.node.summary.startswith("Rivers"):
            related = [other.id for other in given.candidates if other.id != given.node.id]
            relations = [Relation(existing_id=i, relation="related", confidence=1, reasoning="near") for i in related]
            return AnalysisOutput(relations=tuple(relations))
        return AnalysisOutput(relations=()) if len(given.node.claims) > 1 else always_in_conflict(given)

    river = Upload("river.txt", b"Rivers drive mills.")
    session = run(tmp_path, scripted("first", analysis=relate_third), FIRST, SECOND, river)
    (merge,) = [event for event in session.events if isinstance(event, NodesMerged)]
    assert session.bank.query_graph.neighbours(merge.node.id) == (session.bank.units["s3.1.1"],)


@pytest.mark.parametrize("agent", ["classification", "structure", "analysis", "planning", "integration"])
def test_an_agent_that_fails_twice_is_recorded_and_loses_nothing(tmp_path: Path, agent: str) -> None:
    failing: list[object] = [AgentError(agent, f"no answer {number}") for number in range(100)]
    session = run(tmp_path, scripted(**{agent: failing}), FIRST, SECOND)  # type: ignore[arg-type]
    failures = [event for event in session.events if isinstance(event, AgentFailed)]
    assert [event.attempt for event in failures[:2]] == [1, 2]
    assert session.bank.status == "finished"
    texts = {entry.text for entry in session.bank.trees}
    assert {"The mill closed in 1921.", "The mill closed in 1955."} <= texts
    assert session.answer is not None


def test_a_step_that_fails_twice_fails_its_task_and_the_run_goes_on(tmp_path: Path) -> None:
    parts = scripted()
    answer = acting("first")

    def act(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        if prompt.conflict is not None:
            raise AgentError("react", "the line is dead")
        return answer(prompt, tools)

    parts = Parts(parts.clock, parts.embedder, parts.engines, ScriptedFramework(act))
    session = run(tmp_path, parts, FIRST, SECOND)
    failed = [task for task in session.bank.insight_doc.completed_tasks if task.status == "failed"]
    assert [task.type for task in failed] == ["CROSS_VALIDATE"]
    assert session.bank.open_conflicts()
    assert session.answer is not None
    assert session.answer.disputed  # undecided, so told with both sides


def test_a_failure_of_the_first_attempt_alone_changes_nothing(tmp_path: Path) -> None:
    calls = []

    def second_time(given: StructureInput) -> StructureOutput:
        calls.append(given)
        if len(calls) == 1:
            raise AgentError("structure", "busy")
        return structure(given)

    session = run(tmp_path, scripted(structure=second_time), FIRST)
    assert [event.attempt for event in session.events if isinstance(event, AgentFailed)] == [1]
    (node,) = session.bank.query_graph
    assert len(node.claims) == 1


def test_a_run_that_never_plans_an_end_is_stopped_with_its_best_answer(tmp_path: Path) -> None:
    def never_done(given: PlanningInput) -> PlanningOutput:
        return PlanningOutput(completed=None, next_task=NextTask(type="NORMAL", description="once more"))

    session = run(tmp_path, scripted(planning=never_done), FIRST, max_steps=4)
    assert any(isinstance(event, Notice) and "MAX_STEPS" in event.message for event in session.events)
    assert session.bank.status == "finished"
    assert session.answer is not None
    assert "The mill closed in 1921." in session.answer.affirmed


def test_pause_takes_effect_at_the_next_event_and_run_goes_on_to_the_same_end(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", scripted(), FIRST, SECOND)
    session = Session.create(
        "When did the mill close?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=scripted()
    )
    for _ in range(200):
        events = session.run()
        next(events, None)
        session.pause()
        rest = list(events)
        if session.bank.status == "finished":
            break
        assert len(rest) <= 2
        assert session.bank.status == "paused"
    assert session.answer == whole.answer
    calls = [event.key for event in session.events if isinstance(event, AgentCalled)]
    assert len(calls) == len(set(calls))
    assert [node.summary for node in session.bank.query_graph] == [node.summary for node in whole.bank.query_graph]


def test_a_second_pause_does_not_stop_what_goes_on_after_the_first(tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST], sessions=tmp_path, session_id="s", parts=scripted())
    session.pause()
    list(session.run())
    session.pause()
    assert (session.bank.status, session.stopping) == ("paused", False)
    list(session.run())
    assert session.bank.status == "finished"


def test_cancel_ends_the_session_for_good_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST], sessions=tmp_path, session_id="s", parts=scripted())
    events = session.run()
    next(events)
    session.cancel()
    list(events)
    count = len(session.events)
    assert session.bank.status == "cancelled"
    assert list(session.run()) == []
    assert len(Session.open("s", sessions=tmp_path, parts=scripted()).events) == count


@pytest.mark.parametrize("stop", [Session.pause, Session.cancel])
def test_a_session_that_has_ended_cannot_be_stopped(tmp_path: Path, stop: Callable[[Session], None]) -> None:
    session = run(tmp_path, scripted(), FIRST, SECOND)
    stop(session)
    assert not session.stopping
    session.decide("x1", "second")
    list(session.run())
    assert session.bank.status == "finished"
    assert session.bank.conflicts["x1"].decided_by == "person"


def test_a_pause_that_a_failing_run_was_asked_for_is_forgotten(tmp_path: Path) -> None:
    failing = True

    def stopped_meanwhile(given: StructureInput) -> StructureOutput:
        if failing:
            session.pause()
            raise RuntimeError("a bug")
        return structure(given)

    session = Session.create(
        "When?", [FIRST], sessions=tmp_path, session_id="s", parts=scripted(structure=stopped_meanwhile)
    )
    with pytest.raises(RuntimeError):
        list(session.run())
    assert (session.bank.status, session.stopping) == ("failed", False)
    failing = False
    list(session.run())
    assert session.bank.status == "finished"


def failing_when_cancelled(folder: Path, error: Exception) -> Session:
    def cancelled_meanwhile(_given: StructureInput) -> StructureOutput:
        session.cancel()
        raise error

    parts = scripted(structure=cancelled_meanwhile)
    session = Session.create("When?", [FIRST], sessions=folder, session_id="s", parts=parts)
    return session


def test_a_session_that_was_cancelled_while_a_call_failed_is_cancelled(tmp_path: Path) -> None:
    session = failing_when_cancelled(tmp_path, RuntimeError("a bug"))
    with pytest.raises(RuntimeError):
        list(session.run())
    assert (session.bank.status, session.stopping) == ("cancelled", False)
    assert list(session.run()) == []


def test_a_wish_to_cancel_that_the_disk_did_not_take_is_recorded_once_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = failing_when_cancelled(tmp_path, RuntimeError("a bug"))
    append = EventLog.append

    def refuse(log: EventLog, event: Event, *more: Any) -> None:
        if isinstance(event, StatusChanged) and event.status != "running":
            raise OSError(errno.ENOSPC, "No space left on device")
        append(log, event, *more)

    monkeypatch.setattr(EventLog, "append", refuse)
    with pytest.raises(RuntimeError):
        list(session.run())
    assert session.unrecorded is not None
    monkeypatch.undo()
    assert [event.type for event in session.run()] == ["status_changed"]
    assert session.bank.status == "cancelled"


@pytest.mark.parametrize("status", ["created", "paused", "failed"])
def test_a_session_at_rest_can_be_cancelled(tmp_path: Path, status: str) -> None:
    def resting(given: StructureInput) -> StructureOutput:
        session.pause()
        if status == "failed":
            raise RuntimeError("a bug")
        return structure(given)

    session = Session.create("When?", [FIRST], sessions=tmp_path, session_id="s", parts=scripted(structure=resting))
    if status != "created":
        with suppress(RuntimeError):
            list(session.run())
    assert session.bank.status == status
    session.cancel()
    assert [event.type for event in session.run()] == ["status_changed"]
    assert session.bank.status == "cancelled"


@pytest.mark.slow
def test_resume_after_a_crash_at_every_event_ends_the_same(tmp_path: Path) -> None:
    """The log cut after any event, as by `kill -9`, leads to the same layers, and no judgement is made twice."""
    whole = run(tmp_path / "whole", offline(), *MILL, sources=(REGISTER,))
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    wanted = _timeless(whole)
    for cut in range(4, len(lines)):
        folder = tmp_path / f"cut{cut}"
        session = Session.create(
            "When did the mill close?", MILL, (REGISTER,), sessions=folder, session_id="s", parts=offline()
        )
        session.close()
        (session.folder / "events.jsonl").write_bytes(b"".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2])
        resumed = Session.open("s", sessions=folder, parts=offline(NEXT_DAY))
        for _event in resumed.run():
            pass
        keys = [event.key for event in resumed.events if isinstance(event, AgentCalled)]
        assert len(keys) == len(set(keys))
        assert _timeless(resumed) == wanted, f"cut after event {cut}: {lines[cut - 1][:200]!r}"


MILL = (
    Upload("guide.txt", b"Beacon Mill stands near Benenden. Beacon Mill was last worked in 1955."),
    Upload("survey.txt", b"Beacon Mill was last worked in 1921. Beacon Mill is a smock mill of four floors."),
)
REGISTER = Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921, when its sails were tied.")


def _timeless(session: Session) -> str:
    """The layers without their times: a resumed run is later than an undisturbed one, and equal otherwise."""

    def without_times(value: object) -> object:
        if isinstance(value, dict):
            times = ("at", "timestamp", "created_at", "finished_at", "seconds")
            return {key: without_times(item) for key, item in value.items() if key not in times}
        return [without_times(item) for item in value] if isinstance(value, list) else value

    return json.dumps(without_times(export_layers(session.bank)))


def test_an_offline_run_is_reproducible_to_the_byte(tmp_path: Path) -> None:
    logs = []
    for number in ("one", "two"):
        session = run(tmp_path / number, offline(), *MILL, sources=(REGISTER,))
        logs.append((session.folder / "events.jsonl").read_bytes())
    assert logs[0] == logs[1]


def test_a_contradiction_is_verified_by_the_source_and_answered_with_exact_citations(tmp_path: Path) -> None:
    session = run(tmp_path, offline(), *MILL, sources=(REGISTER,))
    (opened,) = [event.conflict for event in session.events if isinstance(event, ConflictOpened)]
    conflict = session.bank.conflicts[opened.id]
    assert (conflict.status, conflict.verdict) == ("resolved", "second")
    assert [(item.source, item.supports) for item in conflict.evidence] == [("register.txt", "second")]
    assert conflict.merged_into is not None
    sources = {entry.metadata["source"] for entry in session.bank.trees.entries(conflict.merged_into)}
    assert {"guide.txt", "survey.txt"} <= sources
    answer = session.answer
    assert answer is not None
    assert "1921" in answer.text
    assert "1955" not in answer.text
    assert [rejection.text for rejection in answer.rejected] == ["Beacon Mill was last worked in 1955."]
    for citation in answer.citations:
        passage = session.bank.trees.entry(citation.entry_id).text[citation.start : citation.end]
        assert f"“{passage}” [{citation.number}]" in answer.text


@pytest.mark.parametrize(
    ("one", "other", "reference", "holds"),
    [
        (
            "Lake Corven is the deepest lake of the region. Its maximum depth is 212 metres.",
            "Lake Corven reaches a maximum depth of 186 metres.",
            "Hydrographic survey: Lake Corven has a maximum depth of 212 m.",
            "212",
        ),
        (
            'The novel "Glass Harbour" was written by Ines Calder. It was published in 1987.',
            '"Glass Harbour", a novel by Ines Calder, was published in 1989.',
            "National library catalogue. Glass Harbour, Ines Calder, published 1987.",
            "1987",
        ),
        (
            "The Meridian Tower in Oslo has 42 floors. It opened in May 2011.",
            "Meridian Tower, Oslo's tallest office building, has 45 floors.",
            "Building register of Oslo: Meridian Tower, floors: 45, opened 2011.",
            "45",
        ),
        (
            "Mount Selby rises to 2,914 metres above sea level.",
            "Mount Selby is 2,941 m high. Karl Brandt climbed it first.",
            "The national survey gives the height of Mount Selby as 2,914 m.",
            "2,914",
        ),
        (
            "In 2022 Acme had revenue of 4.2 million euros.",
            "Acme reported revenue of 5.1 million euros for 2022.",
            "Audited accounts of Acme. Revenue in 2022: 5.1 million euros.",
            "5.1",
        ),
    ],
)
def test_a_reference_settles_a_conflict_however_it_is_worded(
    tmp_path: Path, one: str, other: str, reference: str, holds: str
) -> None:
    uploads = (Upload("one.txt", one.encode()), Upload("other.txt", other.encode()))
    session = run(tmp_path, offline(), *uploads, sources=(Upload("reference.txt", reference.encode()),))
    sides = {"first": 0, "second": 1}
    upheld = [conflict.claims[sides[conflict.verdict or ""]].text for conflict in session.bank.conflicts.values()]
    assert upheld
    assert all(holds in text for text in upheld)


def test_the_export_of_any_moment_replays(tmp_path: Path) -> None:
    session = Session.create("When?", MILL, (REGISTER,), sessions=tmp_path, session_id="s", parts=offline())
    for number, _event in enumerate(session.run()):
        if number % 5 == 0:
            assert first_difference(parse_export(session.export())) is None
    assert first_difference(parse_export(session.export())) is None


def test_an_export_is_written_to_a_path_given_as_text(tmp_path: Path) -> None:
    session = Session.create("When?", MILL, sessions=tmp_path, parts=offline())
    exported = session.export(f"{tmp_path}/out.json")
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == exported


def test_a_bad_file_is_refused_by_name_and_the_rest_goes_on(tmp_path: Path) -> None:
    session = run(tmp_path, offline(), Upload("empty.txt", b""), *MILL)
    (refused,) = [event for event in session.events if isinstance(event, SourceRefused)]
    assert session.bank.sources[refused.source_id].name == "empty.txt"
    assert "empty" in refused.reason
    assert session.answer is not None
    assert session.answer.citations


def test_a_task_without_documents_says_that_nothing_is_known(tmp_path: Path) -> None:
    session = run(tmp_path, offline())
    assert session.answer is not None
    assert session.answer.affirmed == ""
    assert session.answer.text == "No answer to this was found in the documents."


def test_a_question_that_only_the_reference_library_answers_is_looked_up_there(tmp_path: Path) -> None:
    bakery = Upload("bakery.txt", b"The bakery in Ashford sells rye bread on Mondays.")
    session = run(
        tmp_path, offline(), bakery, sources=(Upload("r.txt", b"Beacon Mill was last worked in 1921, says the town."),)
    )
    assert session.answer is not None
    assert "1921" in session.answer.text
    assert session.answer.citations[0].source == "r.txt"


def test_an_unexpected_error_is_recorded_before_it_is_raised(tmp_path: Path) -> None:
    def broken(given: StructureInput) -> StructureOutput:
        raise RuntimeError("a bug")

    session = Session.create("When?", [FIRST], sessions=tmp_path, session_id="s", parts=scripted(structure=broken))
    with pytest.raises(RuntimeError):
        list(session.run())
    last = session.events[-1]
    assert isinstance(last, StatusChanged)
    assert (last.status, last.reason) == ("failed", "RuntimeError: a bug")
    mended = Session.open("s", sessions=tmp_path, parts=scripted())
    list(mended.run())
    assert mended.bank.status == "finished"
