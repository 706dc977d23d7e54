"""Make a judgement, and retry it once if it failed and a second attempt may succeed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from memory_bank.agents.agent import Judgement, Output
from memory_bank.bank.errors import AgentError
from memory_bank.bank.usage import ModelCall

ATTEMPTS = 2


@dataclass(frozen=True)
class AttemptResult(Generic[Output]):
    """The result of the attempts: the failures, and the judgement if one succeeded."""

    failures: tuple[AgentError, ...] = ()
    judgement: Judgement[Output] | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The requests of all attempts."""
        failed = tuple(call for failure in self.failures for call in failure.calls)
        return (*failed, *(self.judgement.calls if self.judgement else ()))


def attempt(
    judge: Callable[[AgentError | None], Judgement[Output]], sleep: Callable[[float], None]
) -> AttemptResult[Output]:
    """Judge, and once more if that fails; `judge` is given the error of the attempt before. May run in any thread."""
    failures: tuple[AgentError, ...] = ()
    while len(failures) < ATTEMPTS and (not failures or failures[-1].retried):
        if failures:
            sleep(failures[-1].wait)
        try:
            return AttemptResult(failures, judge(failures[-1] if failures else None))
        except AgentError as error:
            failures = (*failures, error)
    return AttemptResult(failures)
