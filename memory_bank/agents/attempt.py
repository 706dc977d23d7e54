"""A judgement that is tried once more where it failed and another attempt may do better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output
from memory_bank.bank.usage import ModelCall
from memory_bank.errors import AgentError

ATTEMPTS = 2


@dataclass(frozen=True)
class Attempted(Generic[Output]):
    """How the attempts ended: the failures, then the judgement if there is one."""

    failures: tuple[AgentError, ...] = ()
    judgement: Judgement[Output] | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The requests of all attempts."""
        lost = tuple(call for failure in self.failures for call in failure.calls)
        return (*lost, *(self.judgement.calls if self.judgement else ()))


def attempt(
    engine: Engine,
    agent: Agent[Input, Output],
    given: Input,
    language: Language,
    sleep: Callable[[float], None],
) -> Attempted[Output]:
    """Judge, and once more if that fails; the model is shown its error. May run in any thread."""
    failures: tuple[AgentError, ...] = ()
    while len(failures) < ATTEMPTS and (not failures or failures[-1].retried):
        if failures:
            sleep(failures[-1].wait)
        try:
            return Attempted(failures, engine.judge(agent, given, language, failures[-1] if failures else None))
        except AgentError as error:
            failures = (*failures, error)
    return Attempted(failures)
