"""How a task is understood, and what a person says it is instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.agents.react import REACT
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import UsageError
from memory_bank.bank.events import AnswerGiven, EngineChoice, PlanUpdated, TaskUnderstood
from memory_bank.bank.settings import Settings
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.session.session import Session
from memory_bank.session.wiring import no_memory
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests.session.kit import parts

HISTORY = Upload("history.md", b"The mill beside the old river was built by two brothers in 1968.")
CRANE = Upload("crane.md", b"The harbour crane beside the mill was painted red by the town council in 1975.")
WHEN = "When was the mill built?"


def begin(folder: Path, task: str = WHEN, settings: Settings | None = None) -> Session:
    return Session.create(
        task, [HISTORY, CRANE], settings=settings or Settings(), sessions=folder, session_id="s", parts=parts(no_memory)
    )


def reopened(folder: Path) -> Session:
    return Session.open("s", settings=Settings(), sessions=folder, parts=parts(no_memory))


def understood(session: Session) -> list[tuple[str, str]]:
    return [(event.kind, event.by) for event in session.events if isinstance(event, TaskUnderstood)]


def test_a_session_says_at_once_what_it_takes_the_task_for(tmp_path: Path) -> None:
    assert understood(begin(tmp_path / "a")) == [("when", "agent")]
    assert understood(begin(tmp_path / "b", settings=Settings(task_kind=TaskKind.LIST))) == [("list", "person")]


def test_a_corrected_task_is_answered_anew(tmp_path: Path) -> None:
    session = begin(tmp_path)
    list(session.run())
    assert session.answer is not None
    assert "1975" not in session.answer.text
    session.correct_kind(TaskKind.SUMMARY)
    assert session.deciding
    list(session.run())
    assert understood(session) == [("when", "agent"), ("summary", "person")]
    assert session.bank.status == "finished"
    assert "1975" in session.answer.text
    export = parse_export(session.export().encode())
    assert first_difference(export) is None
    assert Bank.replay(export.events).understood == session.bank.understood


@pytest.mark.parametrize("pause_at", [TaskUnderstood, PlanUpdated, AnswerGiven])
def test_a_correction_holds_whenever_the_run_stopped(tmp_path: Path, pause_at: type) -> None:
    session = begin(tmp_path)
    list(session.run())
    session.correct_kind(TaskKind.SUMMARY)
    for event in session.run():
        if isinstance(event, pause_at):
            session.pause()
    resumed = reopened(tmp_path)
    list(resumed.run())
    assert resumed.answer is not None
    assert "1975" in resumed.answer.text
    assert len([event for event in read_events(resumed.folder / LOG_NAME) if isinstance(event, AnswerGiven)]) == 2


@pytest.mark.parametrize("correct_at", [TaskUnderstood, PlanUpdated, AnswerGiven])
def test_a_correction_while_the_session_runs_is_in_its_answer(tmp_path: Path, correct_at: type) -> None:
    session = begin(tmp_path)
    if correct_at is TaskUnderstood:  # recorded before the run
        session.correct_kind(TaskKind.SUMMARY)
    for event in session.run():
        if isinstance(event, correct_at) and len(understood(session)) == 1:
            session.correct_kind(TaskKind.SUMMARY)
    assert session.bank.status == "finished"
    assert session.answer is not None
    assert "1975" in session.answer.text


def test_a_task_beyond_the_engine_is_answered_when_a_person_says_what_it_is(tmp_path: Path) -> None:
    session = begin(tmp_path, "Translate it into French")
    list(session.run())
    assert understood(session) == [("beyond", "agent")]
    assert session.answer is not None
    assert session.answer.text == UNDERSTOOD[TaskKind.BEYOND]
    session.correct_kind(TaskKind.SUMMARY)
    list(session.run())
    assert "1975" in session.answer.text


def test_a_kind_is_not_corrected_in_a_cancelled_session_or_where_a_model_answers(tmp_path: Path) -> None:
    session = begin(tmp_path)
    session.bank.engine = {**session.bank.engine, REACT: EngineChoice(provider="openai", model="m")}
    with pytest.raises(UsageError, match="a language model answers"):
        session.correct_kind(TaskKind.LIST)
    session.cancel()
    with pytest.raises(UsageError, match="was cancelled"):
        session.correct_kind(TaskKind.LIST)
