"""Judgements from a script: the one fake, for tests and for trying the loop without an engine.

A script gives for each agent a function of its input, or a list of outputs and errors that are used up in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from memory_bank.agents.agent import Agent, Input, Output
from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.value import Value
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice, Usage

Script = Callable[[Any], Value] | list[Value | AgentError]
ONE_CALL = Usage(calls=1)


class ScriptedEngine:
    """Judges by a script; an agent without one fails. `asked` holds what each call was given, in order."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = dict(scripts)
        self.asked: list[tuple[str, Value]] = []

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return EngineChoice(provider="scripted", model="script")

    def judge(self, agent: Agent[Input, Output], given: Input) -> tuple[Output, Usage]:
        """The next output of the agent's script; counted as one call."""
        self.asked.append((agent.name, given))
        return cast("Output", _next(agent.name, self._scripts.get(agent.name, []), given)), ONE_CALL


class ScriptedFramework:
    """Acts by a script: a function of prompt and tools, or a list of results and errors."""

    def __init__(self, script: Callable[[EnhancedPrompt, Tools], StepResult] | list[StepResult | AgentError]) -> None:
        self._script = script
        self.prompts: list[EnhancedPrompt] = []

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return EngineChoice(provider="scripted", model="script")

    def act(self, prompt: EnhancedPrompt, tools: Tools) -> tuple[StepResult, Usage]:
        """The next result of the script; counted as one call."""
        self.prompts.append(prompt)
        if callable(self._script):
            return self._script(prompt, tools), ONE_CALL
        return cast("StepResult", _next("react", cast("Script", self._script), prompt)), ONE_CALL


def _next(agent: str, script: Script, given: Value) -> Value:
    if callable(script):
        return script(given)
    if not script:
        raise AgentError(agent, "the script has no more to say")
    item = script.pop(0)
    if isinstance(item, AgentError):
        raise item
    return item
