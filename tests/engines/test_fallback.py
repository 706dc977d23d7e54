"""A model with the embedded engine behind it: two attempts, then the other judges, and all of it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memory_bank.agents.agent import Agent
from memory_bank.agents.attempt import Attempted
from memory_bank.agents.research import RESEARCH_REFLECTION, Reflection, ReflectionGiven
from memory_bank.bank.usage import ModelCall
from memory_bank.bank.value import Value
from memory_bank.engines.fallback import FallbackEngine
from memory_bank.engines.scripted import ScriptedEngine
from memory_bank.errors import (
    AgentError,
    BudgetError,
    InvalidOutputError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from memory_bank.events import EngineChoice

GIVEN = ReflectionGiven(question="Where?", findings=(), pages=(), requests=("Where?",))
BY_MODEL, BY_OTHER = Reflection(enough=False, follow_ups=("there",)), Reflection(enough=True)
LOST = (ModelCall(provider="local", model="tiny", prompt_tokens=7),)
WRONG = InvalidOutputError(RESEARCH_REFLECTION.name, "it is no JSON", calls=LOST)
AWAY = ModelUnavailableError(RESEARCH_REFLECTION.name, "nobody is there", calls=LOST, wait=3.0)


class Account:
    """Keeps what it is told; may be spent."""

    def __init__(self, *, spent: bool = False) -> None:
        self.spent = spent
        self.noted: list[tuple[str, str, int, Value | None]] = []

    def may_ask(self) -> None:
        if self.spent:
            raise BudgetError("9 of 8 tokens are spent (MAX_TOTAL_TOKENS)")

    def note(self, agent: Agent[Any, Any], choice: EngineChoice, attempted: Attempted[Any]) -> None:
        made = attempted.judgement.output if attempted.judgement else None
        self.noted.append((agent.name, choice.provider, len(attempted.failures), made))


def engines(said: Sequence[Value | AgentError], account: Account | None = None) -> tuple[FallbackEngine, list[float]]:
    slept: list[float] = []
    first = ScriptedEngine({RESEARCH_REFLECTION.name: list(said)}, remote=True)
    return FallbackEngine(first, _Other(), account, slept.append), slept


class _Other(ScriptedEngine):
    """The engine behind it."""

    def __init__(self) -> None:
        super().__init__({RESEARCH_REFLECTION.name: lambda _given: BY_OTHER})

    @property
    def choice(self) -> EngineChoice:
        return EngineChoice(provider="offline", model="hash")


@pytest.mark.parametrize(
    ("said", "output", "why", "lost", "slept"),
    [
        ([BY_MODEL], BY_MODEL, "", 0, []),
        ([WRONG, BY_MODEL], BY_MODEL, "", 1, [0.0]),
        ([AWAY, BY_MODEL], BY_MODEL, "", 1, [3.0]),
        ([WRONG, WRONG, BY_MODEL], BY_OTHER, "it is no JSON", 2, [0.0]),
        ([WRONG, AWAY], BY_OTHER, "nobody is there", 2, [0.0]),
        ([ModelRefusedError("a", "no such key", calls=LOST), BY_MODEL], BY_OTHER, "no such key", 1, []),
        ([ModelRequestError("a", "too long", calls=LOST), BY_MODEL], BY_OTHER, "too long", 1, []),
    ],
)
def test_the_model_is_asked_twice_where_that_makes_sense_and_then_the_other_judges(
    said: list[Value | AgentError], output: Reflection, why: str, lost: int, slept: list[float]
) -> None:
    account = Account()
    engine, waited = engines(said, account)
    judgement = engine.judge(RESEARCH_REFLECTION, GIVEN)
    told = f"The embedded engine judged instead of the model: {why}"
    assert judgement.output == output
    assert [remark.what for remark in judgement.remarks] == ([told] if why else [])
    assert judgement.calls[:lost] == LOST * lost, "what came to nothing was paid for too"
    provider = "offline" if why else "scripted"
    assert account.noted == [(RESEARCH_REFLECTION.name, provider, lost, output)]
    assert waited == slept


def test_a_spent_budget_asks_no_model() -> None:
    account = Account(spent=True)
    engine, _slept = engines([BY_MODEL], account)
    judgement = engine.judge(RESEARCH_REFLECTION, GIVEN)
    assert judgement.output == BY_OTHER
    assert judgement.remarks[0].what.endswith("the budget is spent: 9 of 8 tokens are spent (MAX_TOTAL_TOKENS)")
    assert account.noted == [(RESEARCH_REFLECTION.name, "offline", 0, BY_OTHER)]


def test_without_an_account_it_judges_all_the_same() -> None:
    engine, _slept = engines([WRONG, WRONG])
    assert engine.judge(RESEARCH_REFLECTION, GIVEN).output == BY_OTHER


def test_it_passes_for_the_model() -> None:
    engine, _slept = engines([])
    assert (engine.remote, engine.choice.provider) == (True, "scripted")


def test_what_neither_can_judge_is_an_error() -> None:
    first, second = ScriptedEngine({}, remote=True), ScriptedEngine({})
    with pytest.raises(AgentError, match="no more to say"):
        FallbackEngine(first, second, sleep=lambda _seconds: None).judge(RESEARCH_REFLECTION, GIVEN)
