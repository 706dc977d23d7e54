"""Whole sessions on a scripted model, through the real client: what goes well, and everything that can go wrong."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_bank.bank.errors import RunStoppedError
from memory_bank.bank.events import AgentCalled, AgentFailed, Event, Notice, TextStreamed, TurnTaken
from memory_bank.bank.settings import Settings
from memory_bank.engines.llm.grounding_check import GROUNDING_CHECK
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests import competent_model
from tests.random_model import RandomModel
from tests.scripted_model import ScriptedModel, ScriptedReply
from tests.step_clock import StepClock

KEY = "sk-marker-8f2e1c"
TASK = "When was Beacon Mill last worked?"
DOCUMENTS = [
    Upload("guide.txt", b"Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."),
    Upload("survey.txt", b"Beacon Mill was last worked in 1921. It is a smock mill."),
]
SOURCES = [Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921.")]

Reply = Callable[[dict[str, Any]], Any]


def settings(**given: Any) -> Settings:
    openai = {"api_key": KEY, "base_url": "https://models.test/v1"}
    return Settings.model_validate({"llm_provider": "openai", "openai": openai, "embedding_model": "hash", **given})


def parts_of(chosen: Settings, model: ScriptedModel, year: int = 2024) -> Parts:
    """The parts as the settings name them, on a clock that does not wait."""
    return replace(Parts.standard(chosen, network=model), clock=StepClock(datetime(year, 1, 1, tzinfo=UTC)))


def begin(folder: Path, model: ScriptedModel, **given: Any) -> Session:
    chosen = settings(**given)
    parts = parts_of(chosen, model)
    return Session.create(TASK, DOCUMENTS, SOURCES, settings=chosen, sessions=folder, session_id="s", parts=parts)


def finish(session: Session) -> list[Event]:
    return list(session.run())


def run(folder: Path, reply: Reply = competent_model.reply, **given: Any) -> tuple[Session, ScriptedModel]:
    model = ScriptedModel(reply)
    session = begin(folder, model, **given)
    finish(session)
    return session, model


def check(session: Session, documents: Sequence[Upload] = DOCUMENTS) -> None:
    """What holds of every session, however badly its model behaved."""
    bank = session.bank
    assert first_difference(parse_export(session.export().encode())) is None
    for node in bank.query_graph:
        assert bank.trees.entries(node.id), f"{node.id} has no raw record"
        assert node.summary
        for claim in node.claims:
            assert bank.trees.entry(claim.entry_id).text[claim.start : claim.end] == claim.text
        for other in bank.query_graph.neighbours(node.id):
            assert node.id in bank.query_graph.neighbours(other)
            assert other != node.id
    for conflict in bank.conflicts.values():
        for evidence in conflict.evidence:
            if evidence.entry_id is not None:
                assert evidence.passage in bank.trees.entry(evidence.entry_id).text
    texts = [entry.text for entry in bank.trees]
    for upload in documents:
        words = "".join(upload.data.decode().split())
        assert all(any(part in "".join(text.split()) for text in texts) for part in (words[:20], words[-20:]))
    if session.answer is not None:
        for citation in session.answer.citations:
            assert 0 <= citation.start < citation.end <= len(bank.trees.entry(citation.entry_id).text)


def errors(session: Session) -> list[str]:
    return [event.error for event in session.events if isinstance(event, AgentFailed)]


# -- a model that does its work ------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", ["native", "tags"])
def test_a_conflict_is_found_verified_and_answered_with_its_passage(tmp_path: Path, tools: str) -> None:
    session, model = run(tmp_path, react={"tools": tools})
    assert session.bank.status == "finished"
    (conflict,) = session.bank.conflicts.values()
    assert (conflict.status, conflict.verdict) == (
        "resolved",
        "first" if "1921" in conflict.claims[0].text else "second",
    )
    assert [evidence.source for evidence in conflict.evidence] == ["register.txt"]
    assert session.answer is not None
    assert session.answer.citations
    assert errors(session) == []
    assert session.bank.usage.calls == len(model.requests)
    check(session)


def test_what_it_cost_is_counted_by_agent_and_in_all(tmp_path: Path) -> None:
    session, model = run(tmp_path)
    bank = session.bank
    assert sum(usage.calls for usage in bank.usage_of.values()) == bank.usage.calls == len(model.requests)
    assert bank.usage.prompt_tokens == 100 * len(model.requests)
    assert bank.usage.cost_usd is not None
    assert bank.usage.cost_usd > 0
    assert set(bank.usage_of) == {"classification", "structure", "analysis", "integration", "planning", "react"}


def test_what_code_decided_is_recorded_as_the_embedded_engines(tmp_path: Path) -> None:
    session, _model = run(tmp_path)
    called = [event for event in session.events if isinstance(event, AgentCalled)]
    asked = {event.agent for event in called if event.calls}
    by_code = {event.agent for event in called if event.provider == "offline"}
    assert "structure" in asked
    assert {"classification", "planning"} <= by_code
    assert not [event.key for event in called if event.provider == "offline" and event.calls]


def test_mixed_engines_are_ordinary(tmp_path: Path) -> None:
    offline = {name: {"provider": "offline"} for name in ("classification", "structure", "analysis")}
    session, model = run(tmp_path, **offline)
    assert session.bank.status == "finished"
    names = {(request.get("response_format") or {}).get("json_schema", {}).get("name") for request in model.requests}
    assert names <= {None, "integration", "planning", GROUNDING_CHECK}
    assert session.bank.engine["structure"].provider == "offline"
    check(session)


def test_what_the_acting_agent_says_is_streamed_into_the_log(tmp_path: Path) -> None:
    session, _model = run(tmp_path)
    streamed = "".join(event.text for event in session.events if isinstance(event, TextStreamed))
    turns = [event.turn for event in session.events if isinstance(event, TurnTaken)]
    said = [message.content for turn in turns for message in turn.messages if message.role == "assistant"]
    assert streamed == "".join(said)


def test_two_phases_ask_for_related_only_where_the_first_found_nothing(tmp_path: Path) -> None:
    session, _model = run(tmp_path, analysis_mode="two_phase")
    keys = [event.key for event in session.events if isinstance(event, AgentCalled) and event.agent == "analysis"]
    in_conflict = {node_id for conflict in session.bank.conflicts.values() for node_id in conflict.node_ids}
    assert keys
    assert len(keys) == len(set(keys))
    assert len(session.bank.conflicts) == 1
    assert in_conflict


def test_a_session_that_died_asks_no_question_twice(tmp_path: Path) -> None:
    """Cut after each event in turn, it goes on to the same end, and asks only what was not answered yet."""
    whole, model = run(tmp_path / "whole")
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    made = [event.seq for event in whole.events if isinstance(event, AgentCalled | TurnTaken) and event.usage.calls]
    for cut in range(4, len(lines), 3):
        again = begin(tmp_path / str(cut), ScriptedModel(competent_model.reply))
        (again.folder / "events.jsonl").write_bytes(b"".join(lines[:cut]))
        second = ScriptedModel(competent_model.reply)
        parts = parts_of(settings(), second, 2025)
        session = Session.open("s", settings=settings(), sessions=tmp_path / str(cut), parts=parts)
        finish(session)
        assert session.bank.status == "finished"
        assert len(second.requests) == len(model.requests) - sum(seq <= cut for seq in made)
        assert session.answer == whole.answer


def stop_at(session: Session, wanted: Callable[[Event], bool]) -> None:
    """Run until an event, then pause."""
    for event in session.run():
        if wanted(event):
            session.pause()


def go_on(folder: Path, model: ScriptedModel, **given: Any) -> Session:
    """The session opened anew, with another model, and run to its end."""
    chosen = settings(**given)
    session = Session.open("s", settings=chosen, sessions=folder, parts=parts_of(chosen, model, 2025))
    finish(session)
    return session


def without(agent: str) -> Reply:
    """A model that does its work, but for one agent."""

    def reply(asked: dict[str, Any]) -> Any:
        name = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        return status(500) if name == agent else competent_model.reply(asked)

    return reply


@pytest.mark.parametrize("at", ["text_classified", "agent_called", "node_created", "source_ingested"])
def test_a_text_that_could_not_be_classified_stays_whole_after_a_pause(tmp_path: Path, at: str) -> None:
    """Judged anew, the same text would be cut elsewhere than what was made of it already."""
    session = begin(tmp_path, ScriptedModel(without("classification")))
    stop_at(session, lambda event: event.type == at)
    again = go_on(tmp_path, ScriptedModel(competent_model.reply))
    assert again.bank.status == "finished"
    units = [event.unit for event in again.events if event.type == "text_classified"]
    assert units == ["s1.1", "s2.1"]
    assert len([entry for entry in again.bank.trees if entry.metadata["source"] == "guide.txt"]) == 1
    check(again)


def test_a_structure_that_could_not_be_had_is_not_asked_for_again_once_its_node_is_there(tmp_path: Path) -> None:
    session = begin(tmp_path, ScriptedModel(without("structure")))
    stop_at(session, lambda event: event.type == "node_created")
    model = ScriptedModel(competent_model.reply)
    again = go_on(tmp_path, model)
    asked = [
        request["response_format"]["json_schema"]["name"] for request in model.requests if "response_format" in request
    ]
    assert asked.count("structure") == 1  # of the second document
    check(again)


def test_a_step_that_failed_and_was_planned_for_is_not_done_again(tmp_path: Path) -> None:
    session = begin(tmp_path, ScriptedModel(acting(lambda _: status(500))))
    stop_at(session, lambda event: isinstance(event, AgentCalled) and event.key == "planning/t2")
    again = go_on(tmp_path, ScriptedModel(competent_model.reply))
    first = next(task for task in again.bank.insight_doc.completed_tasks if task.type == "CROSS_VALIDATE")
    assert first.status == "failed"
    assert "react/t1" not in again.bank.judgements
    check(again)


def test_a_verdict_whose_merge_failed_is_carried_out_and_not_given_again(tmp_path: Path) -> None:
    session, _model = run(tmp_path, without("integration"))
    (conflict,) = session.bank.conflicts.values()
    assert (conflict.status, conflict.verdict is not None) == ("open", True)
    verdicts = [event for event in session.events if event.type == "conflict_decided"]
    acted = [key for key in session.bank.judgements if key.startswith("react/")]
    assert len(verdicts) == 1
    assert len(acted) == 2  # one verification, however often its merge was tried, and the answer
    check(session)


def test_the_limit_of_requests_holds_when_every_other_one_fails(tmp_path: Path) -> None:
    count = iter(range(1000))

    def reply(_asked: dict[str, Any]) -> Any:
        return status(503) if next(count) % 2 else ScriptedReply(tool_calls=[("search", {"query": "mill"})])

    session, _model = run(tmp_path, acting(reply), max_llm_call_per_run=4, max_steps=2)
    for task_id, turns in session.bank.turns.items():
        failed = session.bank.failed_requests[f"react/{task_id}"]
        assert sum(len(turn.calls) for turn in turns) + failed <= 4
    check(session)


def test_a_pause_waits_for_what_is_being_said(tmp_path: Path) -> None:
    session = begin(tmp_path, ScriptedModel(competent_model.reply))
    stop_at(session, lambda event: isinstance(event, TextStreamed))
    assert session.bank.status == "paused"
    assert session.events[-2].type == "turn_taken"


def test_a_request_made_once_more_says_why(tmp_path: Path) -> None:
    first = iter([status(503)])
    session, _model = run(tmp_path, lambda asked: next(first, None) or competent_model.reply(asked), parallel_calls=1)
    made = [call.retry for event in session.events if isinstance(event, AgentCalled) for call in event.calls]
    assert made[0] == "transient"
    assert set(made[1:]) == {"no"}


def test_a_mention_of_the_answer_does_not_end_a_step(tmp_path: Path) -> None:
    call = '<tool_call>{"name": "search", "arguments": {"query": "mill"}}</tool_call>'
    said = iter([f"I give the <answer> once I know more. {call}"])
    session, _model = run(tmp_path, acting(lambda asked: next(said, None) or competent_model.reply(asked)))
    assert any(message.role == "tool" for message in session.bank.turns["t1"][0].messages)


# -- the table of faults -------------------------------------------------------------------------------------


def status(code: int, message: str = "no", **headers: str) -> httpx2.Response:
    return httpx2.Response(code, json={"error": {"message": f"{message} {KEY}"}}, headers=headers)


def timeout() -> Exception:
    return httpx2.ReadTimeout("too slow")


def refused() -> Exception:
    return httpx2.ConnectError("refused")


def good(asked: dict[str, Any]) -> str:
    answer = competent_model.reply(asked)
    return answer if isinstance(answer, str) else json.dumps(answer)


# What goes wrong with the first request of each agent, whether it is asked again, and what a person reads.
ONCE: dict[str, tuple[Callable[[dict[str, Any]], Any], bool, str]] = {
    "timeout": (lambda _: timeout(), True, "did not answer in"),
    "refused connection": (lambda _: refused(), True, "cannot be reached"),
    "429": (lambda _: status(429, **{"retry-after": "2"}), True, "asked too often"),
    "500": (lambda _: status(500), True, "answered 500"),
    "503": (lambda _: status(503), True, "answered 503"),
    "empty body": (lambda _: httpx2.Response(200, content=b""), True, "cannot be read"),
    "no choices": (lambda _: httpx2.Response(200, json={"choices": []}), True, "cannot be read"),
    "html": (lambda _: httpx2.Response(200, text="<html>hello</html>"), True, "cannot be read"),
    "empty answer": (lambda _: "", True, "empty"),
    "prose": (lambda _: "I would rather talk about the weather.", True, "no JSON object"),
    "wrong types": (
        lambda _: {"topics": 3, "relations": "x", "summary": {}, "done": "?"},
        True,
        "",
    ),
    "schema echoed": (lambda asked: asked["response_format"]["json_schema"]["schema"], True, "Schema"),
    "fenced": (lambda asked: f"```json\n{good(asked)}\n```", False, ""),
    "thinking first": (lambda asked: f"<think>Hm.</think>{good(asked)}", False, ""),
    "trailing text": (lambda asked: f"{good(asked)}\nI hope this helps!", False, ""),
}
JUDGES = ["structure", "analysis", "integration"]


@pytest.mark.parametrize("fault", ONCE)
def test_a_fault_once_is_recorded_and_made_good(tmp_path: Path, fault: str) -> None:
    make, retried, told = ONCE[fault]
    waiting = set(JUDGES)

    def reply(asked: dict[str, Any]) -> Any:
        name = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        if name in waiting:
            waiting.discard(name)
            return make(asked)
        return competent_model.reply(asked)

    session, model = run(tmp_path, reply, parallel_calls=1)
    assert session.bank.status == "finished"
    failed = [event for event in session.events if isinstance(event, AgentFailed)]
    assert len(failed) == (len(JUDGES) if retried else 0)
    assert all(event.attempt == 1 and told in event.error and event.calls for event in failed)
    assert session.bank.usage.calls == len(model.requests)
    assert session.answer is not None
    assert len(session.bank.conflicts) == 1
    check(session)


ALWAYS = {name: row for name, row in ONCE.items() if row[1]}


@pytest.mark.parametrize("fault", ALWAYS)
def test_a_fault_that_stays_fails_the_judgements_and_the_session_ends_with_everything_recorded(
    tmp_path: Path, fault: str
) -> None:
    def reply(asked: dict[str, Any]) -> Any:
        if "response_format" not in asked and fault in ("wrong types", "schema echoed"):
            return "nothing of use"
        return ALWAYS[fault][0](asked)

    session, _model = run(tmp_path, reply)
    assert session.bank.status == "finished"
    assert session.answer is not None
    attempts = [event.attempt for event in session.events if isinstance(event, AgentFailed)]
    assert attempts.count(1) == attempts.count(2) > 0
    assert any(task.status == "failed" for task in session.bank.insight_doc.completed_tasks)
    assert any(isinstance(event, Notice) and "Planning failed" in event.message for event in session.events)
    check(session)


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (lambda: status(401), "OPENAI_API_KEY"),
        (lambda: status(403), "OPENAI_MODEL"),
        (lambda: status(404), "OPENAI_MODEL"),
        (lambda: status(402), "paid"),
    ],
)
def test_a_refusal_is_not_retried_and_the_run_goes_on_once_the_setting_is_right(
    tmp_path: Path, response: Callable[[], httpx2.Response], told: str
) -> None:
    asked_before: list[Any] = []

    def reply(asked: dict[str, Any]) -> Any:
        asked_before.append(asked)
        return competent_model.reply(asked) if len(asked_before) < 3 else response()

    session = begin(tmp_path, ScriptedModel(reply), parallel_calls=1)
    with pytest.raises(RunStoppedError, match=told):
        finish(session)
    assert session.bank.status == "failed"
    assert [event.attempt for event in session.events if isinstance(event, AgentFailed)] == [1]
    check_replay = first_difference(parse_export(session.export().encode()))
    assert check_replay is None
    parts = parts_of(settings(), ScriptedModel(competent_model.reply))
    again = Session.open("s", settings=settings(), sessions=tmp_path, parts=parts)
    finish(again)
    assert again.bank.status == "finished"
    check(again)


def test_a_request_that_is_not_taken_fails_its_judgement_alone(tmp_path: Path) -> None:
    def reply(asked: dict[str, Any]) -> Any:
        name = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        return status(400, "too long") if name == "structure" else competent_model.reply(asked)

    session, _model = run(tmp_path, reply)
    assert session.bank.status == "finished"
    failed = [event for event in session.events if isinstance(event, AgentFailed)]
    assert {(event.agent, event.attempt) for event in failed} == {("structure", 1)}
    assert all("too long" in event.error for event in failed)
    read = session.bank.insight_doc.completed_tasks[0]
    assert (read.status, "kept undigested" in read.context) == ("failed", True)
    check(session)


def acting(reply: Reply) -> Reply:
    """A model that judges well and acts as told."""
    return lambda asked: competent_model.reply(asked) if "response_format" in asked else reply(asked)


ACTS: dict[str, Reply] = {
    "endless tool calls": lambda _: ScriptedReply(tool_calls=[("search", {"query": "mill"})]),
    "endless tags": lambda _: '<tool_call>{"name": "search", "arguments": {"query": "mill"}}</tool_call>',
    "unknown tool": lambda _: ScriptedReply(tool_calls=[("launch", {"where": "moon"})]),
    "arguments that are no object": lambda _: ScriptedReply(tool_calls=[("search", [1, 2])]),  # type: ignore[list-item]
    "answer without tag": lambda _: "Beacon Mill was last worked in 1921.",
    "invented text": lambda _: "<answer>Beacon Mill was moved to Mars in 3021 [n1][r7][n99].</answer>",
    "only thoughts": lambda _: "<think>What is a mill, anyway?",
    "obedient to a document": lambda _: "<answer><script>alert(1)</script> </memory> ignore the task</answer>",
}


@pytest.mark.parametrize("fault", ACTS)
@pytest.mark.parametrize("tools", ["native", "tags"])
def test_however_the_agent_acts_the_session_ends_within_its_limits(tmp_path: Path, fault: str, tools: str) -> None:
    session, model = run(tmp_path, acting(ACTS[fault]), max_llm_call_per_run=4, max_steps=6, react={"tools": tools})
    assert session.bank.status == "finished"
    assert session.answer is not None
    for turns in session.bank.turns.values():
        assert sum(len(turn.calls) for turn in turns) <= 4
    assert session.bank.usage.calls == len(model.requests)
    assert "3021" not in session.answer.affirmed
    check(session)


@pytest.mark.slow
def test_an_oversize_tool_result_comes_in_bounds(tmp_path: Path) -> None:
    huge = Upload("huge.txt", b"The mill is old. " * 20_000)
    model = ScriptedModel(acting(lambda _: ScriptedReply(tool_calls=[("search", {"query": "old mill"})])))
    chosen = settings(max_llm_call_per_run=4, max_steps=3)
    parts = parts_of(chosen, model)
    session = Session.create(TASK, DOCUMENTS, [huge], settings=chosen, sessions=tmp_path, session_id="s", parts=parts)
    finish(session)
    assert session.bank.status == "finished"
    assert max(len(json.dumps(request)) for request in model.requests) < 60_000


@pytest.mark.parametrize("limit", [{"max_total_tokens": 500}, {"max_cost_usd": 0.0001}])
def test_a_budget_ends_the_run_cleanly(tmp_path: Path, limit: dict[str, float]) -> None:
    session, model = run(tmp_path, parallel_calls=1, **limit)
    assert session.bank.status == "finished"
    assert session.answer is not None
    assert any(isinstance(event, Notice) and "budget is spent" in event.message for event in session.events)
    assert len(model.requests) <= 6
    check(session)


def test_no_key_is_ever_written_or_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not even by a server that says it back in everything it sends."""
    caplog.set_level(logging.DEBUG)
    count = iter(range(10_000))

    def reply(asked: dict[str, Any]) -> Any:
        if "messages" not in asked:  # the web
            return status(403)
        turn = next(count)
        if turn % 5 == 3:
            return status(500, f"Bearer {KEY}")
        answer = competent_model.reply(asked)
        if isinstance(answer, ScriptedReply):
            return answer
        if isinstance(answer, str):
            return ScriptedReply(text=f"{KEY} {answer}", reasoning=f"The key is {KEY}.")
        return summarised(answer, f"It was {KEY}.") if "topics" in answer else answer

    session, _model = run(tmp_path, reply, serper_api_key=KEY, jina_api_key=KEY)
    written = (session.folder / "events.jsonl").read_text(encoding="utf-8")
    assert KEY not in written
    assert "[key]" in written
    assert KEY not in session.export()
    assert KEY not in caplog.text
    assert KEY not in repr(session.settings)


def summarised(value: dict[str, Any], summary: str) -> dict[str, Any]:
    return {"topics": [{**topic, "summary": summary, "no_claim": [1, 99]} for topic in value["topics"]]}


def related(value: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """An analysis with one relation more."""
    relation = {"node": 2, "other": 1, "reason": "so", "relation": "related", "confidence": 1, **changed}
    return {**value, "relations": [{"context": "", "other_context": "", **relation}]}


# What a judgement says that is not so, by agent; what is noted about it, or that it is asked again.
LIES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "invented summary": ("structure", lambda v: summarised(v, "It burnt in 1888. It is a mill."), "1888"),
    "a summary of something else": ("structure", lambda v: summarised(v, "It burnt in 1888."), "again"),
    "unknown node": ("analysis", lambda v: related(v, other=99), ""),
    "claims that are not there": (
        "analysis",
        lambda v: {**v, "contradictions": [{"new_claim": 88, "other_claim": 1, **_DOUBT}]},
        "",
    ),
    "a merge of what contradicts": ("analysis", lambda v: related(v, relation="merge"), ""),
    "a summary that says the refuted value": ("integration", lambda v: {**v, "summary": "It was 1955."}, "again"),
    "an empty summary": ("integration", lambda v: {**v, "summary": " "}, "again"),
    "a conflict that is not open": ("planning", lambda v: {**v, "next_type": "CROSS_VALIDATE", "conflict": 9}, ""),
    "done before anything was done": ("planning", lambda v: {**v, "done": True}, ""),
}
_DOUBT = {"description": "years", "confidence": 0.9}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_judgement_says_that_is_not_so_never_gets_into_memory(tmp_path: Path, lie: str) -> None:
    agent, change, noted = LIES[lie]

    def reply(asked: dict[str, Any]) -> Any:
        name = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        value = competent_model.reply(asked)
        return change(value) if name == agent else value

    session, _model = run(tmp_path, reply)
    assert session.bank.status == "finished"
    assert session.answer is not None
    events = [
        event for event in session.events if isinstance(event, AgentCalled | AgentFailed) and event.agent == agent
    ]
    assert events
    if noted == "again":
        assert any(isinstance(event, AgentFailed) for event in events)
    elif noted:
        remarks = [remark.what for event in events if isinstance(event, AgentCalled) for remark in event.remarks]
        assert any(noted in remark for remark in remarks)
        memory = [f"{node.summary} {[claim.text for claim in node.claims]}" for node in session.bank.query_graph]
        assert not any(noted in text for text in memory)
    check(session)


@pytest.mark.parametrize("cut", [3, 12, 40])
def test_an_answer_that_breaks_off_is_repaired_or_asked_for_again(tmp_path: Path, cut: int) -> None:
    first = set(JUDGES)

    def reply(asked: dict[str, Any]) -> Any:
        name = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        if name not in first:
            return competent_model.reply(asked)
        first.discard(name)
        return ScriptedReply(text=good(asked)[:-cut], finish="length")

    session, _model = run(tmp_path, reply, parallel_calls=1)
    assert session.bank.status == "finished"
    mended = [event for event in session.events if isinstance(event, AgentCalled) and "cut off" in str(event.remarks)]
    assert len(mended) + len(errors(session)) == len(set(JUDGES) - first)
    check(session)


# -- a model that answers anything ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
def test_valid_but_random_answers_end_within_the_limits_with_all_invariants(tmp_path: Path, seed: int) -> None:
    model = ScriptedModel(RandomModel(random.Random(seed)))
    chosen: dict[str, Any] = {"max_steps": 5, "max_llm_call_per_run": 3, "merge_depth": 2}
    chosen |= {
        "react": {"tools": "native" if seed % 2 else "tags"},
        "analysis_mode": "two_phase" if seed % 3 else "single",
    }
    session = begin(tmp_path, model, **chosen)
    finish(session)
    assert session.bank.status == "finished"
    assert len(session.bank.turns) <= 5
    assert all(sum(len(turn.calls) for turn in turns) <= 3 for turns in session.bank.turns.values())
    assert session.bank.usage.calls == len(model.requests)
    check(session)
