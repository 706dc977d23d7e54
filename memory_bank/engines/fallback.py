"""A model with the embedded engine behind it: what the model failed at twice is judged all the same, and that is said.

For judgements that no run may end because of, and that nobody waits for but a tool: those of research.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output
from memory_bank.agents.attempt import Attempted, attempt
from memory_bank.bank.usage import Remark
from memory_bank.errors import AgentError, BudgetError
from memory_bank.events import EngineChoice


class Account(Protocol):
    """Who keeps account of what is asked of models. Both are called from the thread that asks."""

    def may_ask(self) -> None:
        """`BudgetError` when nothing more may be spent."""
        ...

    def note(self, agent: Agent[Any, Any], choice: EngineChoice, attempted: Attempted[Any]) -> None:
        """Take note of a judgement, of who made it, and of the failures before it."""
        ...


@dataclass(frozen=True)
class FallbackEngine:
    """Judges by `first`, in two attempts; else by `second`, with a remark that says why."""

    first: Engine
    second: Engine
    account: Account | None = None
    sleep: Callable[[float], None] = time.sleep

    @property
    def choice(self) -> EngineChoice:
        """Provider and model of the first."""
        return self.first.choice

    @property
    def remote(self) -> bool:
        """Whether the first waits for a server."""
        return self.first.remote

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The judgement, with the requests of all attempts. `AgentError` only where the second has none either."""
        del failed
        attempted, why = self._attempt(agent, given, language)
        judgement, choice = attempted.judgement, self.first.choice
        if judgement is None:
            made, choice = self.second.judge(agent, given, language), self.second.choice
            remark = Remark(kind="repaired", what=f"The embedded engine judged instead of the model: {why}")
            judgement = Judgement(made.output, made.calls, (*made.remarks, remark), made.reasoning)
        attempted = Attempted(attempted.failures, judgement)
        if self.account is not None:
            self.account.note(agent, choice, attempted)
        return Judgement(judgement.output, attempted.calls, judgement.remarks, judgement.reasoning)

    def _attempt(self, agent: Agent[Input, Output], given: Input, language: Language) -> tuple[Attempted[Output], str]:
        """What the first makes of it, and why there is no judgement where there is none."""
        try:
            if self.account is not None:
                self.account.may_ask()
        except BudgetError as error:
            return Attempted(), f"the budget is spent: {error}"
        attempted = attempt(self.first, agent, given, language, self.sleep)
        return attempted, attempted.failures[-1].reason if attempted.judgement is None else ""
