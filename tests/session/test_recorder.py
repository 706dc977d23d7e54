from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.agents.react import REACT, EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import (
    AgentError,
    BudgetError,
    CorruptLogError,
    InvalidOutputError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
    RunStoppedError,
    UsageError,
)
from memory_bank.bank.events import (
    AgentCalled,
    AgentFailed,
    EdgeCreated,
    EngineChoice,
    Event,
    Notice,
    TextStreamed,
    TurnTaken,
)
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.usage import ModelCall, Usage
from memory_bank.bank.value import Value
from memory_bank.session.recorder import Budget, Recorder
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.transfer import export_layers
from tests.builders import every_event, make_created
from tests.engines.offline.fake_tools import FakeTools
from tests.step_clock import StepClock

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
    assert len(EventLog(tmp_path).events) == 2


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


# -- judgements side by side ---------------------------------------------------------------------------------

WAIT = 10.0
"""Seconds after which a test that waits for another thread fails."""


class Side(Adder):
    """A model that adds, as `does` has it for the first of the numbers: wait, set an event, or raise."""

    def __init__(self, **does: Callable[[], object]) -> None:
        super().__init__(remote=True)
        self.does = does
        self.lock = threading.Lock()
        self.heard: list[int] = []

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        number = given.model_dump()["numbers"][0]
        with self.lock:
            self.heard.append(number)
        self.does.get(f"on_{number}", lambda: None)()
        return super().judge(agent, given, language, failed)


def raises(error: BaseException) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def asked(*numbers: int) -> list[list[tuple[str, Numbers]]]:
    return [[(f"sum/{number}", Numbers(numbers=(number,)))] for number in numbers]


def keys(events: Sequence[Event]) -> list[str]:
    return [f"{event.type} {event.key}" for event in events if isinstance(event, AgentCalled | AgentFailed)]


def called(*numbers: int) -> list[str]:
    return [f"agent_called sum/{number}" for number in numbers]


def test_judgements_are_recorded_in_the_order_asked_for_whichever_is_made_first(
    tmp_path: Path, recorder: Making
) -> None:
    third = threading.Event()
    engine = Side(on_1=lambda: third.wait(WAIT) or pytest.fail("the third never came"), on_3=third.set)
    used = recorder(tmp_path, engine)
    events, results = drain(used.judge_groups(SUM, asked(1, 2, 3, 4)))
    assert results == [Sum(total=number) for number in (1, 2, 3, 4)]
    assert keys(events) == called(1, 2, 3, 4) == keys(used.log.events)


def test_no_more_are_made_at_once_than_the_budget_allows(tmp_path: Path, recorder: Making) -> None:
    two = threading.Barrier(2)
    used = recorder(tmp_path, Side(**{f"on_{number}": lambda: two.wait(WAIT) for number in (1, 2, 3, 4)}))
    used.budget = Budget(parallel=2)
    assert len(drain(used.judge_groups(SUM, asked(1, 2, 3, 4)))[1]) == 4
    used.budget = Budget(parallel=1)
    assert keys(drain(used.judge_groups(SUM, asked(5, 6)))[0]) == called(5, 6)


def test_what_is_judged_already_is_not_asked_again_nor_is_a_key_twice(tmp_path: Path, recorder: Making) -> None:
    engine = Side()
    used = recorder(tmp_path, engine)
    drain(used.judge_groups(SUM, asked(2, 3)))
    events, results = drain(used.judge_groups(SUM, asked(1, 2, 3, 4, 4)))
    assert keys(events) == called(1, 4)
    assert results == [Sum(total=number) for number in (1, 2, 3, 4, 4)]
    assert sorted(engine.heard) == [1, 2, 3, 4]
    assert drain(used.judge_groups(SUM, [])) == ([], [])


def test_one_that_fails_is_an_error_in_its_place(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path, Side(on_2=raises(InvalidOutputError("sum", "nonsense", said="?", calls=(CALL,)))))
    events, results = drain(used.judge_groups(SUM, asked(1, 2, 3)))
    assert keys(events) == ["agent_called sum/1", *["agent_failed sum/2"] * 2, "agent_called sum/3"]
    assert [event.again for event in events if isinstance(event, AgentFailed)] == [True, False]
    assert isinstance(results[1], InvalidOutputError)
    assert [results[0], results[2]] == [Sum(total=1), Sum(total=3)]


def test_one_that_a_server_does_not_take_is_not_asked_again(tmp_path: Path, recorder: Making) -> None:
    engine = Side(on_2=raises(ModelRequestError("sum", "too long")))
    events, _results = drain(recorder(tmp_path, engine).judge_groups(SUM, asked(1, 2, 3)))
    assert keys(events) == ["agent_called sum/1", "agent_failed sum/2", "agent_called sum/3"]


def test_a_refusal_stops_the_run_and_what_was_paid_for_is_kept(tmp_path: Path, recorder: Making) -> None:
    engine = Side(on_2=raises(ModelRefusedError("sum", "wrong key")))
    used = recorder(tmp_path, engine)
    used.budget = Budget(parallel=3)
    with pytest.raises(RunStoppedError, match="wrong key"):
        drain(used.judge_groups(SUM, asked(1, 2, 3, 4, 5, 6)))
    written = keys(used.log.events)
    assert written[:3] == ["agent_called sum/1", "agent_failed sum/2", "agent_called sum/3"]
    assert sorted(engine.heard) == [int(key[-1]) for key in written]


def test_a_budget_that_ends_in_the_middle_keeps_what_was_paid_for(tmp_path: Path, recorder: Making) -> None:
    engine = Side()
    used = recorder(tmp_path, engine)
    used.budget = Budget(tokens=2 * CALL.prompt_tokens, parallel=2)
    with pytest.raises(BudgetError):
        drain(used.judge_groups(SUM, asked(1, 2, 3, 4, 5, 6)))
    assert keys(used.log.events) == called(1, 2, 3)
    assert sorted(engine.heard) == [1, 2, 3]
    used.budget = Budget()
    assert keys(drain(used.judge_groups(SUM, asked(1, 2, 3, 4)))[0]) == called(4)


def test_who_stops_listening_has_what_was_in_flight(tmp_path: Path, recorder: Making) -> None:
    engine = Side()
    used = recorder(tmp_path, engine)
    used.budget = Budget(parallel=3)
    running = used.judge_groups(SUM, asked(1, 2, 3, 4, 5, 6))
    next(running)
    running.close()
    assert keys(used.log.events) == called(1, 2, 3) == keys(EventLog(tmp_path).events)
    assert sorted(engine.heard) == [1, 2, 3]


@pytest.mark.parametrize("remote", [True, False])
def test_who_stops_at_a_first_failure_has_the_second_attempt(tmp_path: Path, recorder: Making, *, remote: bool) -> None:
    used = recorder(tmp_path, Adder(failures=1, remote=remote))
    running = used.judge_groups(SUM, asked(1))
    assert isinstance(next(running), AgentFailed)
    running.close()
    assert keys(used.log.events) == ["agent_failed sum/1", "agent_called sum/1"]


def test_a_bug_in_one_leaves_the_others_recorded(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path, Side(on_2=raises(ZeroDivisionError("a bug"))))
    used.budget = Budget(parallel=3)
    with pytest.raises(ZeroDivisionError):
        drain(used.judge_groups(SUM, asked(1, 2, 3, 4)))
    assert keys(used.log.events)[:2] == called(1, 3)


def test_an_engine_in_this_process_costs_nothing_and_is_not_bound(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path, Adder())
    used.budget = Budget(tokens=1)
    assert len(drain(used.judge_groups(SUM, asked(1, 2, 3)))[1]) == 3


# -- the budget ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "spent", "told"),
    [
        (Budget(), Usage(prompt_tokens=10**9, cost_usd=10**6), None),
        (Budget(), Usage(cost_usd=None), None),
        (Budget(tokens=100), Usage(prompt_tokens=60, completion_tokens=39), None),
        (Budget(tokens=100), Usage(prompt_tokens=60, completion_tokens=40), "100 of 100 tokens"),
        (Budget(tokens=100), Usage(prompt_tokens=10, cost_usd=None), None),
        (Budget(cost_usd=1.0), Usage(cost_usd=0.99), None),
        (Budget(cost_usd=1.0), Usage(cost_usd=1.0), "1.0000 of 1.0000 USD"),
        (Budget(cost_usd=1.0), Usage(cost_usd=None), "MAX_TOTAL_TOKENS instead"),
    ],
)
def test_a_budget_holds_until_it_is_spent(budget: Budget, spent: Usage, told: str | None) -> None:
    if told is None:
        budget.check(spent)
    else:
        with pytest.raises(BudgetError, match=told):
            budget.check(spent)


# -- a step --------------------------------------------------------------------------------------------------

PROMPT = FakeTools({"a.txt": "The dam was finished in 1970."}).prompt("When?")
RESULT = StepResult(answer="1970", messages=())
WRONG = InvalidOutputError("react", "no verdict", said="?", calls=(CALL,))
AWAY = ModelUnavailableError("react", "no answer", calls=(CALL,), wait=5.0)


def turn(role: str = "tool") -> StepTurn:
    return StepTurn(messages=(Message.model_validate({"role": role, "content": "x"}),), calls=(CALL,))


class Acting:
    """A framework that does what it is told, call by call: each is a list of turns, text, an error, or the result."""

    choice = EngineChoice(provider="openai", model="actor")

    def __init__(self, *calls: list[StepTurn | str | BaseException | StepResult], remote: bool = True) -> None:
        self.calls = list(calls)
        self.remote = remote
        self.given: list[tuple[int, AgentError | None]] = []
        self.lost: list[int] = []

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        del prompt, tools
        self.lost.append(lost)
        self.given.append((len(turns), failed))
        for item in self.calls.pop(0):
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, StepResult):
                return item
            yield item
        raise AssertionError("the script has no more to do")


def act(used: Recorder, framework: Acting) -> tuple[list[Event], StepResult]:
    return drain(used.act(framework, PROMPT, FakeTools({})))


def failures(used: Recorder) -> list[tuple[str, int, bool]]:
    return [(event.error, event.attempt, event.again) for event in used.log.events if isinstance(event, AgentFailed)]


def test_a_step_is_recorded_turn_by_turn_and_its_result_once(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    framework = Acting([turn(), "text", turn("assistant"), RESULT])
    events, result = act(used, framework)
    assert result == RESULT
    assert [type(event) for event in events] == [TurnTaken, TextStreamed, TurnTaken, AgentCalled]
    assert [event.number for event in events if isinstance(event, TurnTaken)] == [1, 2]
    assert used.bank.usage == SPENT + SPENT
    assert act(used, framework) == ([], RESULT)
    assert f"{REACT}/t1" in used.bank.judgements


def test_requests_that_checked_an_answer_are_recorded_with_it_and_cost_what_they_cost(
    tmp_path: Path, recorder: Making
) -> None:
    used = recorder(tmp_path)
    events, _result = act(used, Acting([turn("assistant"), RESULT.model_copy(update={"calls": (CALL,)})]))
    assert isinstance(events[-1], AgentCalled)
    assert events[-1].calls == (CALL,)
    assert used.bank.usage == SPENT + SPENT
    assert act(used, Acting()) == ([], RESULT)


def test_a_failure_is_retried_once_from_the_last_turn(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    framework = Acting([turn(), turn(), AWAY], [turn("assistant"), RESULT])
    events, _result = act(used, framework)
    assert framework.given == [(0, None), (2, AWAY)]
    assert [event.number for event in events if isinstance(event, TurnTaken)] == [1, 2, 3]
    assert failures(used) == [("no answer", 1, True)]


def test_a_step_of_a_run_that_died_goes_on_from_its_turns(tmp_path: Path, recorder: Making) -> None:
    first = recorder(tmp_path)
    running = first.act(Acting([turn(), turn(), RESULT]), PROMPT, FakeTools({}))
    next(running)
    running.close()
    first.log.close()
    framework = Acting([RESULT])
    assert act(recorder(tmp_path), framework)[1] == RESULT
    assert framework.given == [(1, None)]


# What goes wrong in a step, call by call of the framework, and the attempts as they are recorded.
TROUBLE: dict[str, tuple[list[list[StepTurn | str | BaseException | StepResult]], list[int], bool]] = {
    "twice on end": ([[AWAY], [AWAY]], [1, 2], False),
    "with a turn between": ([[AWAY], [turn(), AWAY], [turn(), AWAY], [RESULT]], [1, 1, 1], True),
    "twice on end after a turn": ([[turn(), AWAY], [AWAY]], [1, 2], False),
    "wrong twice": ([[turn(), WRONG], [WRONG]], [1, 2], False),
    "wrong twice with turns between": ([[turn(), WRONG], [turn(), turn(), WRONG]], [1, 2], False),
    "wrong, away, wrong, with turns between": ([[WRONG], [turn(), AWAY], [turn(), WRONG]], [1, 1, 2], False),
    "away, then wrong for the first time": ([[AWAY], [turn(), WRONG], [turn(), RESULT]], [1, 1], True),
    "wrong, then away at once": ([[WRONG], [AWAY]], [1, 2], False),
    "not taken": ([[turn(), ModelRequestError("react", "too long")]], [1], False),
}


@pytest.mark.parametrize("trouble", TROUBLE)
def test_a_step_fails_after_two_failures_on_end_or_two_wrong_answers(
    tmp_path: Path, recorder: Making, trouble: str
) -> None:
    calls, attempts, ends_well = TROUBLE[trouble]
    used = recorder(tmp_path)
    framework = Acting(*[list(call) for call in calls])
    if ends_well:
        assert act(used, framework)[1] == RESULT
    else:
        with pytest.raises(AgentError):
            act(used, framework)
    assert [attempt for _error, attempt, _again in failures(used)] == attempts
    assert [again for _error, _attempt, again in failures(used)] == [*[True] * (len(attempts) - 1), ends_well]
    assert framework.calls == []
    assert (f"{REACT}/t1" in used.bank.judgements) is ends_well


def test_a_refused_step_stops_the_run(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    with pytest.raises(RunStoppedError, match="wrong key"):
        act(used, Acting([turn(), ModelRefusedError("react", "wrong key")]))
    assert failures(used) == [("wrong key", 1, False)]
    assert act(used, framework := Acting([RESULT]))[1] == RESULT
    assert framework.given == [(1, None)]


def test_the_budget_is_looked_at_before_a_step_and_after_each_turn_that_goes_on(
    tmp_path: Path, recorder: Making
) -> None:
    used = recorder(tmp_path)
    used.budget = Budget(tokens=2 * CALL.prompt_tokens)
    with pytest.raises(BudgetError):
        act(used, Acting([turn(), turn(), turn(), RESULT]))
    assert [type(event) for event in used.log.events] == [TurnTaken, TurnTaken]
    framework = Acting([RESULT])
    with pytest.raises(BudgetError):
        act(used, framework)
    assert framework.given == []


def test_an_answer_that_spends_the_last_of_the_budget_is_taken(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    used.budget = Budget(tokens=2 * CALL.prompt_tokens)
    assert act(used, Acting([turn(), turn("assistant"), RESULT]))[1] == RESULT


def test_a_framework_in_this_process_is_not_bound_by_the_budget(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    used.budget = Budget(tokens=1)
    events, _result = act(used, Acting([turn(), turn(), RESULT], remote=False))
    assert isinstance(events[-1], AgentCalled)
    assert events[-1].usage.seconds > 0


def test_what_is_no_agents_failure_in_a_step_is_not_retried(tmp_path: Path, recorder: Making) -> None:
    used = recorder(tmp_path)
    with pytest.raises(ZeroDivisionError):
        act(used, Acting([turn(), ZeroDivisionError("a bug")]))
    assert failures(used) == []
    assert len(used.log.events) == 1
