"""The fallback engine: two attempts of the model, then the second engine judges, and all of it is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memory_bank.agents.agent import Agent
from memory_bank.agents.attempt import AttemptResult
from memory_bank.agents.research import RESEARCH_REFLECTION, Reflection, ReflectionInput
from memory_bank.bank.errors import (
    AgentError,
    BudgetError,
    InvalidOutputError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.usage import ModelCall
from memory_bank.bank.value import Value
from memory_bank.session.recorder import FallbackEngine
from tests.scripted import ScriptedEngine

REFLECTION_INPUT = ReflectionInput(question="Where?", findings=(), pages=(), requests=("Where?",))
BY_MODEL, BY_SECOND = Reflection(enough=False, follow_ups=("there",)), Reflection(enough=True)
FAILED_CALLS = (ModelCall(provider="local", model="tiny", prompt_tokens=7),)
WRONG = InvalidOutputError(RESEARCH_REFLECTION.name, "it is no JSON", calls=FAILED_CALLS)
AWAY = ModelUnavailableError(RESEARCH_REFLECTION.name, "nobody is there", calls=FAILED_CALLS, wait=3.0)


class Account:
    """Records every judgement; `spent` is whether the budget is spent."""

    def __init__(self, *, spent: bool = False) -> None:
        self.spent = spent
        self.noted: list[tuple[str, str, int, Value | None]] = []

    def may_ask(self) -> None:
        if self.spent:
            raise BudgetError("9 of 8 tokens are spent (MAX_TOTAL_TOKENS)")

    def note(self, agent: Agent[Any, Any], choice: EngineChoice, attempted: AttemptResult[Any]) -> None:
        made = attempted.judgement.output if attempted.judgement else None
        self.noted.append((agent.name, choice.provider, len(attempted.failures), made))


def engines(script: Sequence[Value | AgentError], account: Account | None = None) -> tuple[FallbackEngine, list[float]]:
    slept: list[float] = []
    first = ScriptedEngine({RESEARCH_REFLECTION.name: list(script)}, remote=True)
    return FallbackEngine(first, _SecondEngine(), account, slept.append), slept


class _SecondEngine(ScriptedEngine):
    """The second engine."""

    def __init__(self) -> None:
        super().__init__({RESEARCH_REFLECTION.name: lambda _given: BY_SECOND})
        self.choice = EngineChoice(provider="offline", model="hash")


@pytest.mark.parametrize(
    ("script", "output", "reason", "lost", "slept"),
    [
        ([BY_MODEL], BY_MODEL, "", 0, []),
        ([WRONG, BY_MODEL], BY_MODEL, "", 1, [0.0]),
        ([AWAY, BY_MODEL], BY_MODEL, "", 1, [3.0]),
        ([WRONG, WRONG, BY_MODEL], BY_SECOND, "it is no JSON", 2, [0.0]),
        ([WRONG, AWAY], BY_SECOND, "nobody is there", 2, [0.0]),
        ([ModelRefusedError("a", "no such key", calls=FAILED_CALLS), BY_MODEL], BY_SECOND, "no such key", 1, []),
        ([ModelRequestError("a", "too long", calls=FAILED_CALLS), BY_MODEL], BY_SECOND, "too long", 1, []),
    ],
)
def test_the_model_is_asked_twice_where_a_retry_makes_sense_and_then_the_second_engine_judges(
    script: list[Value | AgentError], output: Reflection, reason: str, lost: int, slept: list[float]
) -> None:
    account = Account()
    engine, waited = engines(script, account)
    judgement = engine.judge(RESEARCH_REFLECTION, REFLECTION_INPUT)
    remark_text = f"The embedded engine judged instead of the model: {reason}"
    assert judgement.output == output
    assert [remark.what for remark in judgement.remarks] == ([remark_text] if reason else [])
    assert judgement.calls[:lost] == FAILED_CALLS * lost, "failed requests were paid for too"
    provider = "offline" if reason else "scripted"
    assert account.noted == [(RESEARCH_REFLECTION.name, provider, lost, output)]
    assert waited == slept


def test_a_spent_budget_asks_no_model() -> None:
    account = Account(spent=True)
    engine, _slept = engines([BY_MODEL], account)
    judgement = engine.judge(RESEARCH_REFLECTION, REFLECTION_INPUT)
    assert judgement.output == BY_SECOND
    assert judgement.remarks[0].what.endswith("the budget is spent: 9 of 8 tokens are spent (MAX_TOTAL_TOKENS)")
    assert account.noted == [(RESEARCH_REFLECTION.name, "offline", 0, BY_SECOND)]


def test_it_judges_without_an_account_too() -> None:
    engine, _slept = engines([WRONG, WRONG])
    assert engine.judge(RESEARCH_REFLECTION, REFLECTION_INPUT).output == BY_SECOND


def test_its_choice_and_remote_are_those_of_the_model() -> None:
    engine, _slept = engines([])
    assert (engine.remote, engine.choice.provider) == (True, "scripted")


def test_where_both_engines_fail_it_is_an_error() -> None:
    first, second = ScriptedEngine({}, remote=True), ScriptedEngine({})
    with pytest.raises(AgentError, match="no more to say"):
        FallbackEngine(first, second, sleep=lambda _seconds: None).judge(RESEARCH_REFLECTION, REFLECTION_INPUT)
