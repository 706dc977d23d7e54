from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import EventLog
from memory_bank.bank.transfer import export_layers
from memory_bank.bank.usage import ModelCall, Usage
from memory_bank.bank.value import Value
from memory_bank.clock import StepClock
from memory_bank.errors import AgentError, CorruptLogError, UsageError
from memory_bank.events import AgentCalled, AgentFailed, EdgeCreated, EngineChoice, Event, Notice
from memory_bank.recorder import Recorder
from tests.builders import every_event, make_created

Result = TypeVar("Result")
CALL = ModelCall(provider="local", model="adder", prompt_tokens=7, milliseconds=250, cost_usd=0.5)
SPENT = Usage(calls=1, prompt_tokens=7, cost_usd=0.5, seconds=0.25)
Making = Callable[..., Recorder]


class Sum(Value):
    total: int


class Numbers(Value):
    numbers: tuple[int, ...]


SUM = Agent("sum", Numbers, Sum, temperature=0.0, top_p=1.0)


class Ticking(StepClock):
    """Each reading of `elapsed` is half a second after the one before."""

    def __init__(self) -> None:
        super().__init__()
        self._elapsed = 0.0

    def elapsed(self) -> float:
        self._elapsed += 0.5
        return self._elapsed


class Adder:
    """An engine that adds, after failing as often as it is told."""

    choice = EngineChoice(provider="offline", model="adder")

    def __init__(self, failures: int = 0, error: BaseException | None = None, *, remote: bool = False) -> None:
        self.failures = failures
        self.error = error
        self.remote = remote
        self.asked = 0
        self.told: list[AgentError | None] = []

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        del language
        self.asked += 1
        self.told.append(failed)
        if self.asked <= self.failures:
            raise self.error or AgentError(agent.name, f"failure {self.asked}", calls=(CALL,), wait=3.0)
        total = sum(given.model_dump()["numbers"])
        return Judgement(agent.output_type.model_validate({"total": total}), (CALL,))


@pytest.fixture
def recorder() -> Iterator[Making]:
    """Makes recorders, whose files are closed after the test."""
    made: list[Recorder] = []

    def make(folder: Path, engine: Adder | None = None) -> Recorder:
        made.append(Recorder(EventLog(folder), Ticking(), {"sum": engine or Adder()}))
        return made[-1]

    yield make
    for each in made:
        each.log.close()


def drain(running: Generator[Event, None, Result]) -> tuple[list[Event], Result]:
    """What a generator yields and what it returns."""
    events = []
    while True:
        try:
            events.append(next(running))
        except StopIteration as stop:
            return events, stop.value


def judge(given: Recorder, key: str = "sum/1") -> tuple[list[Event], Sum]:
    return drain(given.judge(SUM, key, Numbers(numbers=(1, 2, 3))))


def test_a_judgement_is_recorded_with_who_made_it_and_how_long_it_took(tmp_path: Path, recorder: Making) -> None:
    events, output = judge(recorder(tmp_path))
    assert output == Sum(total=6)
    assert [type(event) for event in events] == [AgentCalled]
    called = events[0]
    assert isinstance(called, AgentCalled)
    assert (called.key, called.agent, called.provider, called.model) == ("sum/1", "sum", "offline", "adder")
    assert (called.output, called.usage) == ({"total": 6}, SPENT)


def test_a_recorded_judgement_is_not_made_again_nor_recorded_again(tmp_path: Path, recorder: Making) -> None:
    engine = Adder()
    used = recorder(tmp_path, engine)
    judge(used)
    assert judge(used) == ([], Sum(total=6))
    assert (engine.asked, len(used.log.events)) == (1, 1)
    judge(used, "sum/2")
    assert engine.asked == 2


def test_a_judgement_recorded_before_a_crash_is_not_paid_for_twice(tmp_path: Path, recorder: Making) -> None:
    judge(recorder(tmp_path))  # and never closed
    engine = Adder()
    assert judge(recorder(tmp_path, engine)) == ([], Sum(total=6))
    assert engine.asked == 0


def test_one_failure_is_recorded_and_made_good_by_the_second_attempt(tmp_path: Path, recorder: Making) -> None:
    engine = Adder(failures=1)
    used = recorder(tmp_path, engine)
    events, output = judge(used)
    assert output == Sum(total=6)
    assert [type(event) for event in events] == [AgentFailed, AgentCalled]
    assert events == used.log.events
    failed = events[0]
    assert isinstance(failed, AgentFailed)
    assert (failed.attempt, failed.error, failed.key, failed.agent) == (1, "failure 1", "sum/1", "sum")
    assert used.bank.usage == SPENT + SPENT == used.bank.usage_of["sum"]  # the failed attempt was paid for too
    assert [told is None for told in engine.told] == [True, False]  # the second time it is shown what was wrong


def test_two_failures_are_an_error_and_both_are_recorded(tmp_path: Path, recorder: Making) -> None:
    engine = Adder(failures=9)
    used = recorder(tmp_path, engine)
    running = used.judge(SUM, "sum/1", Numbers(numbers=()))
    with pytest.raises(AgentError) as raised:
        drain(running)
    assert raised.value.agent == "sum"
    assert engine.asked == 2
    assert [(type(event), event.attempt) for event in used.log.events if isinstance(event, AgentFailed)] == [
        (AgentFailed, 1),
        (AgentFailed, 2),
    ]
    assert used.bank.judgements == {}


def test_what_failed_twice_can_be_asked_for_again_later(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path, Adder(failures=2))
    with pytest.raises(AgentError):
        judge(used)
    assert judge(used)[1] == Sum(total=6)


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyboardInterrupt(), OSError("disk")])
def test_what_is_no_agents_failure_is_neither_retried_nor_recorded_as_one(
    tmp_path: Path, recorder: Making, error: BaseException
) -> None:
    engine = Adder(failures=9, error=error)
    used = recorder(tmp_path, engine)
    with pytest.raises(type(error)):
        judge(used)
    assert (engine.asked, used.log.events) == (1, [])


def test_events_are_numbered_and_timed_in_log_and_bank_alike(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    recorded = [used.record(event) for event in every_event()]
    assert [event.seq for event in recorded] == list(range(1, len(recorded) + 1))
    assert all(a.at < b.at for a, b in pairwise(recorded))
    assert recorded == used.log.events == EventLog(tmp_path).events
    assert export_layers(used.bank) == export_layers(Bank.replay(EventLog(tmp_path).events))


def test_a_recorder_over_a_log_goes_on_where_it_ended(tmp_path: Path, recorder: Making) -> None:
    first = recorder(tmp_path)
    first.record(make_created())
    first.log.close()
    second = recorder(tmp_path)
    assert second.bank.session_id == "session-1"
    assert second.record(Notice(message="on")).seq == 2


def test_an_event_that_does_not_fit_never_reaches_the_log(tmp_path: Path, recorder: Making) -> None:
    """With it in the log, the session could never be opened again."""
    used = recorder(tmp_path)
    used.record(make_created())
    with pytest.raises(CorruptLogError):
        used.record(EdgeCreated(node_ids=("n1", "n2")))
    used.record(Notice(message="the run failed"))
    used.log.close()
    assert [event.type for event in recorder(tmp_path).log.events] == ["session_created", "notice"]


def test_a_second_writer_changes_neither_its_bank_nor_the_log(tmp_path: Path, recorder: Making) -> None:
    first = recorder(tmp_path)
    first.record(make_created())
    second = recorder(tmp_path)
    first.record(Notice(message="still at it"))
    with pytest.raises(UsageError):
        second.record(make_created("another"))
    assert second.bank.session_id == "session-1"
    assert (second.bank.events_applied, len(EventLog(tmp_path).events)) == (1, 2)


def test_the_same_work_by_the_same_clock_writes_the_same_bytes(tmp_path: Path, recorder: Making) -> None:
    written = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        used = recorder(folder, Adder(failures=1))
        used.record(make_created())
        judge(used)
        used.log.close()
        written.append((folder / "events.jsonl").read_bytes())
    assert written[0] == written[1]


def test_the_event_is_yielded_only_after_it_took_effect(tmp_path: Path, recorder: Making) -> None:
    """Who stops listening at an event has it in the log."""
    used = recorder(tmp_path)
    running = used.judge(SUM, "sum/1", Numbers(numbers=(1,)))
    event = next(running)
    running.close()
    assert EventLog(tmp_path).events == [event]
    assert "sum/1" in used.bank.judgements
