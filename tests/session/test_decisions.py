"""A person decides, overturns, reopens: before, while and after a session runs, and through any crash."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.analysis import AnalysisInput, AnalysisOutput
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.agents.planning import NextTask, PlanningInput, PlanningOutput
from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.app.demo import load_demo
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import AgentError, UsageError
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    AnswerGiven,
    ConflictDecided,
    ConflictReopened,
    Event,
    MergeReverted,
    NodesMerged,
    Notice,
    PersonDecided,
    PlanUpdated,
    PromptEnhanced,
    StatusChanged,
)
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import export_layers, first_difference, parse_export
from tests.bank.invariants import check as check_layers
from tests.scripted import ScriptedEngine, ScriptedFramework
from tests.session.test_session import (
    FIRST,
    MILL,
    NEXT_DAY,
    REGISTER,
    SECOND,
    _timeless,
    always_in_conflict,
    integrate,
    offline,
    plan,
    run,
    scripted,
)
from tests.step_clock import StepClock

THIRD = Upload("third.txt", b"The mill closed in 1985.")
VERDICTS: tuple[Verdict | None, ...] = ("first", "second", "both", "neither", "inconclusive", None)


def go(session: Session) -> list[Event]:
    """Run to the end."""
    return list(session.run())


def decide(session: Session, conflict_id: str, verdict: Verdict | None, reason: str = "I was there") -> list[Event]:
    session.decide(conflict_id, verdict, reason)
    return go(session)


def kinds(events: Sequence[Event], *wanted: type[Event]) -> list[str]:
    """The types of those events, in order; of all of them if none is named."""
    return [event.type for event in events if not wanted or isinstance(event, wanted)]


Kind = TypeVar("Kind", bound=Event)


def of_kind(events: Sequence[Event], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def in_memory(session: Session) -> dict[str, set[str]]:
    """The texts in each living node's trees, less the records of verifications and decisions."""
    trees = session.bank.trees
    return {
        node.id: {entry.text for entry in trees.entries(node.id) if "conflict_id" not in entry.metadata}
        for node in session.bank.query_graph
    }


class Unsteady:
    """An Integration that fails while it is told to."""

    broken = False

    def __call__(self, asked: IntegrationInput) -> IntegrationOutput:
        if self.broken:
            raise AgentError("integration", "busy")
        return integrate(asked)


# -- the demo ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_overturning_the_demos_verdict_turns_the_answer_round_and_back(tmp_path: Path) -> None:
    demo = load_demo()
    session = Session.create(
        demo.task, demo.documents, demo.sources, sessions=tmp_path, session_id="s", parts=offline()
    )
    go(session)
    before = session.answer
    assert before is not None
    (dam,) = [found for found in session.bank.conflicts.values() if found.verdict == "second"]
    assert "1970" in before.affirmed
    assert [rejection.text for rejection in before.rejected] == [dam.claims[0].text]

    decide(session, dam.id, "first", "the brochure was printed by the builders")
    overturned = session.answer
    assert overturned is not None
    assert "1968" in overturned.affirmed
    assert "1970" not in overturned.affirmed
    (rejected,) = overturned.rejected
    assert (rejected.text, rejected.why) == (dam.claims[1].text, "the brochure was printed by the builders")

    decide(session, dam.id, "second")
    assert session.answer is not None
    assert session.answer.affirmed == before.affirmed
    assert [rejection.text for rejection in session.answer.rejected] == [dam.claims[0].text]
    assert session.bank.status == "finished"
    assert first_difference(parse_export(session.export())) is None


# -- what follows from a decision ----------------------------------------------------------------------------


def test_overturning_takes_the_merge_back_and_makes_another_with_every_entry(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    (merged,) = session.bank.query_graph
    events = decide(session, "x1", "second")
    assert kinds(events)[:7] == [
        "status_changed",
        "person_decided",
        "merge_reverted",
        "conflict_reopened",
        "entry_recorded",
        "conflict_decided",
        "agent_called",
    ]
    (node,) = session.bank.query_graph
    assert node.id != merged.id
    assert [claim.text for claim in node.claims] == ["The mill closed in 1955."]
    conflict = session.bank.conflicts["x1"]
    assert (conflict.status, conflict.verdict, conflict.merged_into) == ("resolved", "second", node.id)
    assert (conflict.decided_by, conflict.reason, conflict.confidence) == ("person", "I was there", 1.0)
    sources = [entry.metadata["source"] for entry in session.bank.trees.entries(node.id)]
    assert sources == ["first.txt", "second.txt", "verification x1", "decision on x1"]
    text = session.bank.trees.entries(node.id)[-1].text
    assert "A person decided on x1" in text
    assert "Verdict: second. I was there" in text


def test_the_evidence_found_before_stays_with_the_conflict(tmp_path: Path) -> None:
    session = run(tmp_path, offline(), *MILL, sources=(REGISTER,))
    evidence = session.bank.conflicts["x1"].evidence
    assert evidence
    decide(session, "x1", "first")
    assert session.bank.conflicts["x1"].evidence == evidence


def test_a_person_can_leave_a_conflict_in_dispute_and_decide_it_after_all(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    decide(session, "x1", "inconclusive")
    assert [node.status for node in session.bank.query_graph] == ["disputed", "disputed"]
    assert session.answer is not None
    assert [dispute.conflict_id for dispute in session.answer.disputed] == ["x1"]
    assert sorted(map(sorted, in_memory(session).values())) == [
        ["The mill closed in 1921."],
        ["The mill closed in 1955."],
    ]
    decide(session, "x1", "neither")
    assert [node.status for node in session.bank.query_graph] == ["active"]
    assert len(session.bank.conflicts["x1"].refuted) == 2


def test_a_reopened_conflict_is_verified_again_and_the_question_asked_again(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    events = decide(session, "x1", None)
    done = [event.completed for event in of_kind(events, PlanUpdated) if event.completed]
    assert [task.type for task in done] == ["CROSS_VALIDATE", "NORMAL"]
    conflict = session.bank.conflicts["x1"]
    assert (conflict.status, conflict.decided_by) == ("resolved", "agent")
    assert len(of_kind(events, AnswerGiven)) == 1
    assert kinds(events)[-1] == "status_changed"


def test_a_reopened_conflict_is_merged_with_the_record_of_its_new_verification(tmp_path: Path) -> None:
    """Also when that merge fails at first, and is carried out by a later step."""
    integration = Unsteady()

    def conflicts_first(given: PlanningInput) -> PlanningOutput:
        following = NextTask(type="CROSS_VALIDATE", description="verify x1", conflict_id="x1")
        output = plan(given)
        return output.model_copy(update={"next_task": following}) if given.open_conflicts else output

    session = run(tmp_path, scripted("first", integration=integration, planning=conflicts_first), FIRST, SECOND)
    session.decide("x1", None)
    integration.broken = True
    for event in session.run():
        integration.broken = integration.broken and not isinstance(event, AgentFailed)
    records = [entry.text for entry in session.bank.trees if entry.metadata["source"] == "verification x1"]
    assert len(records) == len(set(records)) == 2
    assert kinds(session.events, AgentFailed)


def test_a_later_decision_on_the_same_conflict_replaces_one_that_waits(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    session.decide("x1", "second")
    events = decide(session, "x1", "neither")
    assert [event.verdict for event in of_kind(events, PersonDecided)] == ["second", "neither"]
    assert [event.verification.verdict for event in of_kind(events, ConflictDecided)] == ["neither"]


def test_merges_on_top_come_off_and_their_conflicts_keep_their_verdicts(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND, THIRD)
    (top,) = session.bank.query_graph
    assert [merge.conflict_id for merge in session.bank.trees.merges(top.id)] == ["x1", "x2", "x3"]
    events = decide(session, "x1", "inconclusive")
    reverted = [event.node_id for event in of_kind(events, MergeReverted)]
    assert reverted == sorted(reverted, reverse=True)
    assert len(reverted) == 3
    again = [event.merge.conflict_id for event in of_kind(events, NodesMerged)]
    assert again == ["x2", "x3"]
    found = session.bank.conflicts
    assert [found[key].status for key in ("x1", "x2", "x3")] == ["disputed", "resolved", "resolved"]
    assert [found[key].decided_by for key in ("x1", "x2", "x3")] == ["person", "agent", "agent"]
    assert {text for texts in in_memory(session).values() for text in texts} == {
        "The mill closed in 1921.",
        "The mill closed in 1955.",
        "The mill closed in 1985.",
    }


def test_what_was_merged_below_stays_merged(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND, THIRD)
    events = decide(session, "x3", "second")
    assert len(of_kind(events, MergeReverted)) == 1
    assert session.bank.conflicts["x1"].status == session.bank.conflicts["x2"].status == "resolved"
    assert len(session.bank.query_graph) == 1


def test_an_agent_never_replaces_a_persons_verdict(tmp_path: Path) -> None:
    """Planning may ask for what it likes."""
    asked: list[NextTask] = []

    def plan_it_once_more(given: PlanningInput) -> PlanningOutput:
        output = plan(given)
        if output.next_task is None and asked:
            return output.model_copy(update={"next_task": asked.pop()})
        return output

    session = run(tmp_path, scripted("first", planning=plan_it_once_more), FIRST, SECOND)
    asked.append(NextTask(type="CROSS_VALIDATE", description="verify x1 again", conflict_id="x1"))
    decide(session, "x1", "second")
    conflict = session.bank.conflicts["x1"]
    assert (conflict.verdict, conflict.decided_by) == ("second", "person")
    contexts = [task.context for task in session.bank.insight_doc.completed_tasks if task.type == "CROSS_VALIDATE"]
    assert contexts == ["first", "A person decided: second. I was there"]


# -- the same dispute in another conflict --------------------------------------------------------------------


def two_conflicts(tmp_path: Path, verdict: Verdict = "second") -> Session:
    """The first two documents contradict each other, and so do the others, which say the same the other way round."""

    def two_and_two(given: AnalysisInput) -> AnalysisOutput:
        number = int(given.node.id[1:])
        against = tuple(each for each in given.candidates if each.id == f"n{number - 1}") if number in (2, 4) else ()
        return always_in_conflict(given.model_copy(update={"candidates": against}))

    third = Upload("third.txt", b"In 1955 the mill closed.")
    fourth = Upload("fourth.txt", b"In 1921 the mill closed.")
    parts = scripted(verdict, analysis=two_and_two)
    session = run(tmp_path, parts, FIRST, SECOND, third, fourth)
    assert [conflict.verdict for conflict in session.bank.conflicts.values()] == [verdict, verdict]
    return session


def verdicts(session: Session) -> list[tuple[Verdict | None, str | None]]:
    return [(conflict.verdict, conflict.decided_by) for conflict in session.bank.conflicts.values()]


def test_a_decision_holds_wherever_the_dispute_is(tmp_path: Path) -> None:
    session = two_conflicts(tmp_path)
    decide(session, "x1", "first")
    assert verdicts(session) == [("first", "person"), ("second", "agent")], "x2 says that already"
    decide(session, "x1", "second")
    assert verdicts(session) == [("second", "person"), ("first", "person")]
    assert session.bank.conflicts["x2"].reason == "The same dispute as x1: I was there"
    assert session.answer is not None
    assert "1921" not in session.answer.affirmed
    assert all("1921" in rejection.text for rejection in session.answer.rejected)
    assert first_difference(parse_export(session.export())) is None


def test_what_followed_a_decision_follows_the_next_one_too(tmp_path: Path) -> None:
    session = two_conflicts(tmp_path)
    decide(session, "x1", "second")
    decide(session, "x1", "neither")
    assert verdicts(session) == [("neither", "person"), ("neither", "person")]
    decide(session, "x1", None)
    assert verdicts(session) == [("second", "agent"), ("second", "agent")], "both are verified again"


def test_a_conflict_that_a_person_decided_by_itself_follows_no_other(tmp_path: Path) -> None:
    session = two_conflicts(tmp_path)
    decide(session, "x2", "both")
    decide(session, "x1", "second")
    assert verdicts(session) == [("second", "person"), ("both", "person")]


def test_a_run_that_is_killed_while_a_decision_is_followed_goes_on_with_it(tmp_path: Path) -> None:
    session = two_conflicts(tmp_path)
    session.decide("x1", "second")
    for event in session.run():
        if isinstance(event, ConflictReopened):
            break
    assert session.bank.conflicts["x2"].verdict is None
    go(session)
    assert verdicts(session) == [("second", "person"), ("first", "person")]


# -- while it runs -------------------------------------------------------------------------------------------


def stop_before_verification(
    tmp_path: Path, parts: Parts, *uploads: Upload, settings: Settings | None = None
) -> Session:
    """A paused session whose current task is to verify x1, not begun."""
    session = Session.create("When?", uploads, settings=settings, sessions=tmp_path, session_id="s", parts=parts)
    for event in session.run():
        if isinstance(event, PlanUpdated):
            session.pause()
    task = session.bank.insight_doc.current_task
    assert task is not None
    assert (task.conflict_id, session.bank.status) == ("x1", "paused")
    return session


def test_a_verification_that_a_person_forestalls_is_ended_and_costs_nothing(tmp_path: Path) -> None:
    session = stop_before_verification(tmp_path, scripted("first"), FIRST, SECOND)
    events = decide(session, "x1", "second")
    (verified,) = [task for task in session.bank.insight_doc.completed_tasks if task.type == "CROSS_VALIDATE"]
    assert (verified.status, verified.context) == ("success", "A person decided: second. I was there")
    assert [event.task_id for event in of_kind(events, PromptEnhanced)] == ["t2"]
    assert len(of_kind(events, AnswerGiven)) == 1
    assert session.bank.conflicts["x1"].decided_by == "person"


def test_a_decision_takes_effect_only_when_the_step_is_done(tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=scripted("first"))
    for event in session.run():
        if isinstance(event, PromptEnhanced) and event.task_id == "t1":
            session.decide("x1", "second")
            assert session.deciding
        assert not (isinstance(event, PersonDecided) and session.deciding)
    order = kinds(session.events, PersonDecided, ConflictDecided, ConflictReopened, MergeReverted, PlanUpdated)
    start = order.index("person_decided")
    assert order[start : start + 6] == [
        "person_decided",
        "conflict_decided",  # the agent's, of the step that was under way
        "plan_updated",
        "merge_reverted",
        "conflict_reopened",
        "conflict_decided",
    ]
    numbers = [event.seq for event in session.events]
    assert numbers == list(range(1, len(numbers) + 1))


def test_run_hands_on_every_event_in_its_order_however_much_is_decided(tmp_path: Path) -> None:
    calls: list[PlanningInput] = []

    def plan_at_the_second_attempt(given: PlanningInput) -> PlanningOutput:  # both attempts are recorded together
        calls.append(given)
        if len(calls) % 2:
            raise AgentError("planning", "busy")
        return plan(given)

    parts = scripted("first", planning=plan_at_the_second_attempt)
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=parts)
    created = len(session.events)
    seen = []
    for event in session.run():
        seen.append(event)
        if isinstance(event, AgentFailed) and len(calls) < 12:
            session.decide("x1", VERDICTS[len(calls) // 2], f"reason {len(seen)}")
    assert len(of_kind(seen, PersonDecided)) == 5
    assert seen == session.events[created:]


def test_a_decision_in_the_last_moment_is_carried_out_before_the_session_is_finished(tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=scripted("first"))
    for event in session.run():
        if isinstance(event, AnswerGiven) and session.bank.conflicts["x1"].verdict == "first":
            session.decide("x1", "second")
    assert session.bank.conflicts["x1"].decided_by == "person"
    assert kinds(session.events, AnswerGiven, StatusChanged)[-3:] == ["answer_given", "answer_given", "status_changed"]
    assert not session.bank.answer_stale


def test_a_finished_session_that_nobody_decides_has_nothing_to_do(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    assert go(session) == []
    decide(session, "x1", "second")
    assert go(session) == []


def test_another_framework_is_given_the_question_again_after_a_decision(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    session.decide("x1", "second")
    prompt = session.adapter.enhance()
    assert prompt is not None
    assert (prompt.task.type, prompt.task.description) == ("NORMAL", session.bank.insight_doc.task_goal)
    session.adapter.intercept([{"role": "assistant", "content": "It closed in 1955."}])
    assert session.adapter.enhance() is None
    assert session.bank.status == "finished"
    assert not session.bank.answer_stale


def test_names_of_tasks_and_judgements_of_an_undisturbed_run_are_those_of_older_logs(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    plans = of_kind(session.events, PlanUpdated)
    assert [plan.current and plan.current.id for plan in plans] == ["t1", "t2", None]
    keys = [event.key for event in of_kind(session.events, AgentCalled) if event.agent in ("planning", "integration")]
    assert keys == ["planning/t1", "integration/x1", "planning/t2", "planning/t3"]


# -- what cannot be decided ----------------------------------------------------------------------------------


def test_what_changes_nothing_is_refused_in_words(tmp_path: Path) -> None:
    session = stop_before_verification(tmp_path, scripted("first"), FIRST, SECOND)
    with pytest.raises(UsageError, match="no conflict x9"):
        session.decide("x9", "first")
    with pytest.raises(UsageError, match="x1 is to be verified again already"):
        session.decide("x1", None)
    session.decide("x1", "second", "so")
    for event in session.run():
        if isinstance(event, PersonDecided):
            with pytest.raises(UsageError, match="x1 is decided by a person: second already"):
                session.decide("x1", "second", "so")
    with pytest.raises(UsageError, match="nothing was changed"):
        session.decide("x1", "second", "for another reason")
    assert not session.deciding
    decide(session, "x1", None)
    assert session.bank.conflicts["x1"].decided_by == "agent"
    decide(session, "x1", "first")  # confirmed: it is the person's now
    assert session.bank.conflicts["x1"].decided_by == "person"


@pytest.mark.parametrize("when", ["asked for", "done"])
def test_a_cancelled_session_takes_no_decision(tmp_path: Path, when: str) -> None:
    session = stop_before_verification(tmp_path, scripted("first"), FIRST, SECOND)
    session.cancel()
    if when == "done":
        go(session)
    with pytest.raises(UsageError, match="cancelled"):
        session.decide("x1", "second")


def test_a_decision_that_is_not_in_the_log_yet_may_be_sent_again_and_is_written_once(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    for _ in range(2):
        session.decide("x1", "second", "so")
    assert len(of_kind(go(session), PersonDecided)) == 1
    assert session.bank.conflicts["x1"].verdict == "second"


@pytest.mark.parametrize("ending", ["failed", "paused", "cancelled"])
def test_what_is_decided_while_a_run_breaks_off_is_in_the_log(tmp_path: Path, ending: str) -> None:
    broken = True

    def decided_meanwhile(given: PlanningInput) -> PlanningOutput:
        if broken:
            session.decide("x1", "second", "so")
            if ending == "failed":
                raise RuntimeError("a bug")
            (Session.pause if ending == "paused" else Session.cancel)(session)
        return plan(given)

    parts = scripted("first", planning=decided_meanwhile)
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=parts)
    with suppress(RuntimeError):
        go(session)
    broken = False
    assert kinds(session.events)[-2:] == ["person_decided", "status_changed"]
    assert (session.bank.status, session.deciding) == (ending, False)
    if ending != "cancelled":
        go(session)
        assert session.bank.conflicts["x1"].decided_by == "person"


def test_a_decision_is_kept_by_a_session_that_is_cancelled_before_it_runs_again(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    session.decide("x1", "second")
    session.cancel()
    assert kinds(go(session)) == ["person_decided", "status_changed"]
    assert session.bank.status == "cancelled"


# -- what goes wrong -----------------------------------------------------------------------------------------


def test_a_verdict_whose_merge_fails_is_kept_said_and_tried_again_when_decided_again(tmp_path: Path) -> None:
    integration = Unsteady()
    session = run(tmp_path, scripted("first", integration=integration), FIRST, SECOND)
    integration.broken = True
    events = decide(session, "x1", "second")
    (notice,) = of_kind(events, Notice)
    assert "The verdict on x1 is recorded" in notice.message
    assert session.bank.status == "finished"
    assert len(session.bank.query_graph) == 2
    conflict = session.bank.conflicts["x1"]
    assert (conflict.status, conflict.verdict, conflict.decided_by) == ("open", "second", "person")
    assert session.answer is not None
    assert [rejection.text for rejection in session.answer.rejected] == ["The mill closed in 1921."]
    integration.broken = False
    decide(session, "x1", "second")
    assert session.bank.conflicts["x1"].status == "resolved"


def test_a_merge_that_failed_is_tried_again_in_the_same_run_when_decided_again(tmp_path: Path) -> None:
    integration = Unsteady()
    session = run(tmp_path, scripted("first", integration=integration), FIRST, SECOND)
    integration.broken = True
    session.decide("x1", "second")
    for event in session.run():
        if isinstance(event, Notice):
            integration.broken = False
            session.decide("x1", "second", "once more")
    assert kinds(session.events, StatusChanged) == ["status_changed"] * 4
    assert (session.bank.conflicts["x1"].status, session.bank.conflicts["x1"].reason) == ("resolved", "once more")


def penniless(session: Session) -> Session:
    """The same session opened anew, on a server that may not be asked."""
    engines = dict.fromkeys(AGENTS, ScriptedEngine({}, remote=True))
    settings = session.settings.model_copy(update={"max_cost_usd": 0.0})
    parts = replace(scripted("first"), engines=engines)
    return Session.open("s", settings=settings, sessions=session.folder.parent, parts=parts)


def test_with_the_budget_spent_the_verdict_counts_for_the_answer_and_the_nodes_stay_apart(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)
    poor = penniless(session)
    events = decide(poor, "x1", "second")
    assert any("budget is spent" in event.message for event in of_kind(events, Notice))
    assert of_kind(events, AgentCalled) == []
    assert (poor.bank.status, poor.bank.decisions, poor.bank.answer_stale) == ("finished", {}, False)
    assert len(poor.bank.query_graph) == 2
    assert poor.answer is not None
    assert [rejection.text for rejection in poor.answer.rejected] == ["The mill closed in 1921."]
    rich = Session.open("s", settings=session.settings, sessions=tmp_path, parts=scripted("first"))
    decide(rich, "x1", "both")
    assert len(rich.bank.query_graph) == 1


def test_a_budget_spent_in_the_middle_of_a_merge_holds_up_no_decision(tmp_path: Path) -> None:
    session = Session.create("When?", [FIRST, SECOND], sessions=tmp_path, session_id="s", parts=scripted("first"))
    for event in session.run():
        if isinstance(event, NodesMerged):
            session.pause()
    poor = penniless(session)
    poor.decide("x1", "second")
    for event in poor.run():
        assert event.seq < 100
    assert (poor.bank.status, poor.bank.decisions) == ("finished", {})
    assert poor.bank.conflicts["x1"].decided_by == "person"


def test_a_question_that_cannot_be_asked_again_ends_the_run_with_the_best_answer(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND)

    def act(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        raise AgentError("react", "the line is dead")

    dead = Session.open("s", sessions=tmp_path, parts=replace(scripted("first"), framework=ScriptedFramework(act)))
    events = decide(dead, "x1", "second")
    assert len(of_kind(events, PromptEnhanced)) == 1
    assert dead.bank.status == "finished"
    assert dead.answer is not None
    assert [rejection.text for rejection in dead.answer.rejected] == ["The mill closed in 1921."]
    assert session.answer != dead.answer


def test_the_limit_on_steps_counts_from_the_last_answer(tmp_path: Path) -> None:
    session = run(tmp_path, scripted("first"), FIRST, SECOND, max_steps=3)
    for verdict in ("second", "both", "neither"):
        events = decide(session, "x1", verdict)  # type: ignore[arg-type]
        assert of_kind(events, Notice) == []
    ids = [event.current.id for event in of_kind(session.events, PlanUpdated) if event.current]
    assert len(ids) == len(set(ids))


def test_a_run_that_was_stopped_at_the_limit_stays_stopped_when_it_is_resumed(tmp_path: Path) -> None:
    whole = stop_before_verification(tmp_path, scripted("first"), FIRST, SECOND, THIRD, settings=Settings(max_steps=1))
    decide(whole, "x2", "second")
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (asked,) = [event.seq for event in of_kind(whole.events, PersonDecided)]
    for cut in range(asked, len(lines)):
        (whole.folder / "events.jsonl").write_bytes(b"".join(lines[:cut]))
        later = replace(scripted("first"), clock=StepClock(NEXT_DAY))
        resumed = Session.open("s", settings=whole.settings, sessions=tmp_path, parts=later)
        go(resumed)
        assert _timeless(resumed) == _timeless(whole), f"cut after {lines[cut - 1][:200]!r}"


# -- crashes, replays and any order --------------------------------------------------------------------------

Moves = list[tuple[int, int, Verdict | None]]
MOVES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.sampled_from(VERDICTS)), min_size=1, max_size=4)
TALL, RIVER = Upload("tall.txt", b"The mill is tall."), Upload("river.txt", b"Rivers drive mills.")
DOCUMENTS = (TALL, FIRST, SECOND, THIRD, RIVER)


def of_all_kinds(asked: AnalysisInput) -> AnalysisOutput:
    """Conflicts between the years, a merge of what a verdict made with the tall mill, and a river near all of it."""
    relations = []
    for relation in always_in_conflict(asked).relations:
        other = next(view for view in asked.candidates if view.id == relation.existing_id)
        pair = f"{asked.node.summary} | {other.summary}"
        if "Rivers" in pair:
            relations.append(relation.model_copy(update={"relation": "related", "contradictions": ()}))
        elif "tall" not in pair:
            relations.append(relation)
        elif " / " in pair and pair.count("tall") == 1:
            relations.append(relation.model_copy(update={"relation": "merge", "contradictions": ()}))
    return AnalysisOutput(relations=tuple(relations))


def parts_of_all_kinds() -> Parts:
    return scripted("second", analysis=of_all_kinds)


def check(session: Session) -> None:
    """What holds of a session whatever was decided."""
    check_layers(session.bank, session.events)
    keys = [event.key for event in of_kind(session.events, AgentCalled)]
    assert len(keys) == len(set(keys))


def play(session: Session, moves: Moves) -> None:
    """Run to the end, deciding after so many more events each; what is left is decided when it is finished."""
    left = list(moves)
    while True:
        count = 0
        for _event in session.run():
            check(session)
            count += 1
            while left and count >= left[0][0] and session.bank.conflicts:
                _decide_next(session, left)
                count = 0
        if not left and not session.deciding:
            return
        if left:
            _decide_next(session, left)


def _decide_next(session: Session, left: Moves) -> None:
    _after, which, verdict = left.pop(0)
    known = list(session.bank.conflicts)
    with suppress(UsageError):
        session.decide(known[which % len(known)], verdict, f"reason {len(left)}")


def begin(folder: Path) -> Session:
    return Session.create("When?", DOCUMENTS, sessions=folder, session_id="s", parts=parts_of_all_kinds())


@pytest.mark.slow
@given(MOVES)
def test_whatever_is_decided_and_when_the_session_ends_whole_and_replays(
    tmp_path_factory: pytest.TempPathFactory, moves: Moves
) -> None:
    session = begin(tmp_path_factory.mktemp("any"))
    play(session, moves)
    check(session)
    bank = session.bank
    assert (bank.status, bank.decisions, bank.answer_stale) == ("finished", {}, False)
    assert not [found for found in bank.open_conflicts() if found.verdict is not None]
    by_person = {event.verification.conflict_id: event for event in of_kind(session.events, ConflictDecided)}
    for conflict in bank.conflicts.values():
        if conflict.id in by_person:
            last = by_person[conflict.id]
            assert (conflict.verdict, conflict.decided_by) == (last.verification.verdict, last.decided_by)
    assert first_difference(parse_export(session.export())) is None


@pytest.mark.slow
@given(MOVES, st.integers(0, 10**6))
def test_a_crash_after_any_decision_ends_in_the_same(
    tmp_path_factory: pytest.TempPathFactory, moves: Moves, place: int
) -> None:
    folder = tmp_path_factory.mktemp("whole")
    whole = begin(folder)
    play(whole, moves)
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    last = max((event.seq for event in of_kind(whole.events, PersonDecided)), default=len(DOCUMENTS) + 1)
    cut = last + place % (len(lines) - last)
    (whole.folder / "events.jsonl").write_bytes(b"".join(lines[:cut]))
    later = replace(parts_of_all_kinds(), clock=StepClock(NEXT_DAY))
    resumed = Session.open("s", sessions=folder, parts=later)
    go(resumed)
    check(resumed)
    assert _timeless(resumed) == _timeless(whole), f"cut after {lines[cut - 1][:200]!r}"


def test_the_bank_at_any_moment_is_the_replay_of_the_events_before_it(tmp_path: Path) -> None:
    session = run(tmp_path, parts_of_all_kinds(), *DOCUMENTS)
    for conflict_id, verdict in (("x1", "first"), ("x2", None), ("x1", "inconclusive"), ("x3", "neither")):
        session.decide(conflict_id, verdict)  # type: ignore[arg-type]
        for event in session.run():
            assert export_layers(Bank.replay(session.events[: event.seq])) == export_layers(session.bank)
    assert kinds(session.events, MergeReverted)


def test_overturned_sessions_end_the_same_offline_after_a_crash_at_every_event(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", offline(), *MILL, sources=(REGISTER,))
    decide(whole, "x1", "first")
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (asked,) = [event.seq for event in of_kind(whole.events, PersonDecided)]
    for cut in range(asked, len(lines)):
        (whole.folder / "events.jsonl").write_bytes(b"".join(lines[:cut]) + lines[cut][:20])
        resumed = Session.open("s", sessions=tmp_path / "whole", parts=offline(NEXT_DAY))
        go(resumed)
        check(resumed)
        assert _timeless(resumed) == _timeless(whole), f"cut after {lines[cut - 1][:200]!r}"
