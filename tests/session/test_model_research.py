"""Whole sessions in which a model researches: every request is recorded, and nothing that fails ends the work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_bank.bank.events import AgentCalled, AgentFailed, Event, TurnTaken
from memory_bank.session.session import Parts, Session
from tests import competent_model
from tests.scripted_model import ScriptedModel, ScriptedReply
from tests.session.test_models import DOCUMENTS, SOURCES, TASK, Reply, check, settings, status
from tests.step_clock import StepClock

OTHERS = {name: {"provider": "offline"} for name in ("classification", "structure", "analysis", "integration")}
LEAN: dict[str, Any] = {**OTHERS, "planning": {"provider": "offline"}}
ALONE: dict[str, Any] = {"llm_provider": "offline", "research": {"provider": "openai"}}
PARTS = ["plan", "findings", "reflection"]


def name_of(asked: dict[str, Any]) -> str:
    return str((asked.get("response_format") or {}).get("json_schema", {}).get("name", "react"))


def researching(asked: dict[str, Any]) -> Any:
    """A model that does its work, and researches before it answers."""
    answering = name_of(asked) == "react" and "<conflict>" not in str(asked["messages"][1]["content"])
    if answering and asked["messages"][-1]["role"] != "tool":
        return ScriptedReply(tool_calls=[("research", {"question": TASK})])
    return competent_model.reply(asked)


def begin(folder: Path, reply: Reply = researching, **given: Any) -> tuple[Session, ScriptedModel]:
    chosen = settings(**given)
    model = ScriptedModel(reply)
    parts = replace(Parts.standard(chosen, network=model), clock=StepClock())
    session = Session.create(TASK, DOCUMENTS, SOURCES, settings=chosen, sessions=folder, session_id="s", parts=parts)
    return session, model


def run(folder: Path, reply: Reply = researching, **given: Any) -> tuple[Session, ScriptedModel]:
    session, model = begin(folder, reply, **given)
    for _event in session.run():
        pass
    assert session.bank.status == "finished"
    check(session)
    return session, model


def researched(session: Session) -> list[Event]:
    return [one for one in session.events if isinstance(one, AgentCalled | AgentFailed) and one.agent == "research"]


def test_every_judgement_of_research_is_recorded_before_the_turn_that_it_led_to(tmp_path: Path) -> None:
    session, model = run(tmp_path, **LEAN)
    events = researched(session)
    assert [event.key.split("/")[2:] for event in events if isinstance(event, AgentCalled)] == [
        [str(number), part] for number, part in enumerate(PARTS, start=1)
    ]
    assert [name_of(asked) for asked in model.requests if name_of(asked) != "react"] == [
        f"research_{part}" for part in PARTS
    ]
    after = next(event for event in session.events if event.seq == events[-1].seq + 1)
    assert isinstance(after, TurnTaken)
    assert any(message.name == "research" for message in after.turn.messages)


def test_what_research_took_is_counted_by_itself_and_in_all(tmp_path: Path) -> None:
    session, model = run(tmp_path, **LEAN)
    bank = session.bank
    assert bank.usage_of["research"].calls == 3
    assert bank.usage_of["research"].cost_usd
    assert bank.usage.calls == len(model.requests)
    assert bank.engine["research"].model == "gpt-4o-mini"


def test_a_model_for_research_beside_the_embedded_engine_is_an_ordinary_choice(tmp_path: Path) -> None:
    session, model = run(tmp_path, **ALONE)
    assert {name_of(asked) for asked in model.requests} == {f"research_{part}" for part in PARTS}
    assert session.bank.usage.calls == len(model.requests) > 0
    assert session.answer is not None
    assert session.answer.citations


def broken(*parts: str, times: int = 10**6, what: Any = None) -> Reply:
    """A model that fails at some of research so many times."""
    left = dict.fromkeys((f"research_{part}" for part in parts), times)

    def reply(asked: dict[str, Any]) -> Any:
        name = name_of(asked)
        if left.get(name, 0) > 0:
            left[name] -= 1
            return status(500) if what is None else what
        return researching(asked)

    return reply


@pytest.mark.parametrize("part", PARTS)
def test_what_the_model_fails_at_twice_is_judged_by_the_embedded_engine_and_that_is_said(
    tmp_path: Path, part: str
) -> None:
    session, model = run(tmp_path, broken(part), **LEAN)
    events = researched(session)
    failed = [event for event in events if isinstance(event, AgentFailed)]
    assert [event.attempt for event in failed[:2]] == [1, 2]
    assert {event.key.split("/")[-1] for event in failed} == {part}
    judged = [event for event in events if isinstance(event, AgentCalled) and (event.calls or event.remarks)]
    calls = {event.key.split("/")[-1]: event for event in judged}
    assert [calls[one].provider for one in PARTS] == ["offline" if one == part else "openai" for one in PARTS]
    (remark,) = calls[part].remarks
    assert remark.what.startswith("The embedded engine judged instead of the model: openai at models.test answered 500")
    assert session.bank.usage.calls == len(model.requests)
    assert session.answer is not None


def test_a_second_attempt_is_shown_what_was_wrong_with_the_first(tmp_path: Path) -> None:
    session, model = run(tmp_path, broken("findings", times=1, what="They are fine pages."), **LEAN)
    first, again = (asked["messages"] for asked in model.requests if name_of(asked) == "research_findings")
    assert again[: len(first)] == first
    assert "no JSON object" in again[-1]["content"]
    calls = [event for event in researched(session) if isinstance(event, AgentCalled)]
    assert {event.provider for event in calls} == {"openai"}


def test_a_key_that_research_is_refused_with_does_not_end_the_run(tmp_path: Path) -> None:
    reply = broken(*PARTS, what=status(401))
    session, _model = run(tmp_path, reply, **LEAN)
    failed = [event for event in researched(session) if isinstance(event, AgentFailed)]
    assert {event.attempt for event in failed} == {1}
    assert "OPENAI_API_KEY" in failed[0].error


def test_a_budget_that_research_spends_ends_its_requests_and_then_the_session(tmp_path: Path) -> None:
    session, model = run(tmp_path, **LEAN, max_total_tokens=280)
    calls = [event for event in researched(session) if isinstance(event, AgentCalled)]
    by_model = [event.provider for event in calls].index("offline")
    assert [event.provider for event in calls[by_model:]] == ["offline"] * (len(calls) - by_model)
    assert "the budget is spent: " in calls[by_model].remarks[-1].what
    assert session.bank.usage.calls == len(model.requests)
    assert any("The budget is spent" in getattr(event, "message", "") for event in session.events)


def test_a_session_that_died_in_research_goes_on_after_any_event(tmp_path: Path) -> None:
    whole, _model = run(tmp_path / "whole", **LEAN)
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    first = researched(whole)[0].seq
    for cut in range(first - 1, first + 4):
        begin(tmp_path / str(cut), **LEAN)
        (tmp_path / str(cut) / "s" / "events.jsonl").write_bytes(b"".join(lines[:cut]))
        parts = replace(Parts.standard(settings(**LEAN), network=ScriptedModel(researching)), clock=StepClock())
        again = Session.open("s", settings=settings(**LEAN), sessions=tmp_path / str(cut), parts=parts)
        for _event in again.run():
            pass
        check(again)
        assert again.answer == whole.answer


def test_research_for_another_framework_is_recorded_with_its_step(tmp_path: Path) -> None:
    session, model = begin(tmp_path, **ALONE)
    prompt = session.adapter.enhance()
    while prompt is not None and prompt.conflict is not None:
        session.adapter.intercept([{"role": "assistant", "content": VERDICT}])
        prompt = session.adapter.enhance()
    assert prompt is not None
    found = session.adapter.call("research", {"question": TASK})
    assert "[n" in found
    assert researched(session) == []
    session.adapter.intercept([{"role": "tool", "content": found}, {"role": "assistant", "content": "In 1955."}])
    assert len(researched(session)) == len(model.requests) == 3
    assert session.bank.usage_of["research"].calls == 3


VERDICT = '<answer>{"verdict": "inconclusive", "reason": "Nobody knows.", "confidence": 0.5, "evidence": []}</answer>'
