"""An engine with a fallback: where the model fails twice the embedded engine judges, and a remark says so.

For judgements whose failure must not end a run, and that only a tool waits for: those of research.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output
from memory_bank.agents.attempt import AttemptResult, attempt
from memory_bank.bank.errors import AgentError, BudgetError
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.usage import Remark
from memory_bank.text.wording import Wording


class Account(Protocol):
    """Checks the budget and records judgements. Both methods are called from the thread that judges."""

    def may_ask(self) -> None:
        """Raise `BudgetError` when the budget is spent."""
        ...

    def note(self, agent: Agent[Any, Any], choice: EngineChoice, attempted: AttemptResult[Any]) -> None:
        """Record a judgement, the engine that made it, and the failed attempts before it."""
        ...


@dataclass
class FallbackEngine:
    """Judges with `first`, in two attempts; if both fail, with `second`, and a remark says why."""

    first: Engine
    second: Engine
    account: Account | None = None
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self.choice, self.remote = self.first.choice, self.first.remote

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The judgement, with the requests of all attempts. `AgentError` only where `second` fails too."""
        del failed
        attempted, reason = AttemptResult[Output](), ""
        try:
            if self.account is not None:
                self.account.may_ask()
        except BudgetError as error:
            reason = Wording("the budget is spent: {reason}", reason=error)
        else:
            attempted = attempt(self.first, agent, given, language, self.sleep)
        judgement, choice = attempted.judgement, self.first.choice
        if judgement is None:
            reason = reason or attempted.failures[-1].reason
            judgement, choice = self.second.judge(agent, given, language), self.second.choice
            remark = Remark(
                kind="repaired",
                what=Wording("The embedded engine judged instead of the model: {reason}", reason=reason),
            )
            judgement = replace(judgement, remarks=(*judgement.remarks, remark))
        attempted = AttemptResult(attempted.failures, judgement)
        if self.account is not None:
            self.account.note(agent, choice, attempted)
        return Judgement(judgement.output, attempted.calls, judgement.remarks, judgement.reasoning)
