"""Judgements from a script: the one fake of an engine, for tests and for trying the loop without one.

A script gives for each agent a function of its input, or a list of outputs and errors that are used up in order.
What stands in for a model's server, a layer below, is `engines/llm/scripted_model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, cast

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output
from memory_bank.agents.react import EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.message import Turn
from memory_bank.bank.usage import ModelCall
from memory_bank.bank.value import Value
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice

Script = Callable[[Any], Value] | list[Value | AgentError]
_CHOICE = EngineChoice(provider="scripted", model="script")
ONE_CALL = (ModelCall(provider=_CHOICE.provider, model=_CHOICE.model, cost_usd=0.0),)


class ScriptedEngine:
    """Judges by a script; an agent without one fails. `asked` holds what each call was given, in order."""

    def __init__(self, scripts: Mapping[str, Script], *, remote: bool = False) -> None:
        self._scripts = dict(scripts)
        self._remote = remote
        self.asked: list[tuple[str, Value]] = []

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return _CHOICE

    @property
    def remote(self) -> bool:
        """Whether it passes for a model behind a server."""
        return self._remote

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The next output of the agent's script; counted as one call."""
        del language, failed
        self.asked.append((agent.name, given))
        return Judgement(cast("Output", _next(agent.name, self._scripts.get(agent.name, []), given)), ONE_CALL)


class ScriptedFramework:
    """Acts by a script: a function of prompt and tools, or a list of results and errors."""

    def __init__(self, script: Callable[[EnhancedPrompt, Tools], StepResult] | list[StepResult | AgentError]) -> None:
        self._script = script
        self.prompts: list[EnhancedPrompt] = []

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return _CHOICE

    @property
    def remote(self) -> bool:
        """Never: the script is in this process."""
        return False

    @property
    def sees(self) -> bool:
        """Always: the script gets the image."""
        return True

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """The next result of the script, in one turn that counts as one call."""
        del failed, lost
        self.prompts.append(prompt)
        if callable(self._script):
            result = self._script(prompt, tools)
        else:
            result = cast("StepResult", _next("react", cast("Script", self._script), prompt))
        if not turns:
            yield Turn(messages=result.messages, calls=ONE_CALL)
        return result


def _next(agent: str, script: Script, given: Value) -> Value:
    if callable(script):
        return script(given)
    if not script:
        raise AgentError(agent, "the script has no more to say")
    item = script.pop(0)
    if isinstance(item, AgentError):
        raise item
    return item
