"""Fake engine and framework that replay scripted outputs, for tests and for trying the loop without a model.

A script gives for each agent a function of its input, or a list of outputs and errors that are used up in order.
The fake of a model server, one layer below, is `scripted_model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, cast

from memory_bank.agents.agent import Agent, Input, Judgement, Language, Output, Several
from memory_bank.agents.react import EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.message import StepTurn
from memory_bank.bank.usage import ModelCall
from memory_bank.bank.value import Value

Script = Callable[[Any], Value] | list[Value | AgentError]
_CHOICE = EngineChoice(provider="scripted", model="script")
ONE_CALL = (ModelCall(provider=_CHOICE.provider, model=_CHOICE.model, cost_usd=0.0),)


class ScriptedEngine:
    """Engine that replays scripts; an agent without a script fails. `asked` records each call's agent and input.

    With `remote` it pretends to be a model behind a server.
    """

    def __init__(self, scripts: Mapping[str, Script], *, remote: bool = False) -> None:
        self._scripts = dict(scripts)
        self.choice, self.remote = _CHOICE, remote
        self.asked: list[tuple[str, Value]] = []

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """Return the next output of the agent's script for each input; counted as one call."""
        del language, failed
        inputs = given.each if isinstance(given, Several) else (given,)
        self.asked += [(agent.name, each) for each in inputs]
        outputs = tuple(_next_output(agent.name, self._scripts.get(agent.name, []), each) for each in inputs)
        output = Several(each=outputs) if isinstance(given, Several) else outputs[0]
        return Judgement(cast("Output", output), ONE_CALL)


class ScriptedFramework:
    """Framework that replays a script: a function of prompt and tools, or a list of results and errors."""

    choice, remote, sees = _CHOICE, False, True

    def __init__(self, script: Callable[[EnhancedPrompt, Tools], StepResult] | list[StepResult | AgentError]) -> None:
        self._script = script
        self.prompts: list[EnhancedPrompt] = []

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Return the next result of the script, in one turn that counts as one call."""
        del failed, lost
        self.prompts.append(prompt)
        if callable(self._script):
            result = self._script(prompt, tools)
        else:
            result = cast("StepResult", _next_output("react", cast("Script", self._script), prompt))
        if not turns:
            yield StepTurn(messages=result.messages, calls=ONE_CALL)
        return result


def _next_output(agent: str, script: Script, agent_input: Value) -> Value:
    """Call the script, or take its next output. `AgentError` where that is an error or nothing is left."""
    if callable(script):
        return script(agent_input)
    if not script:
        raise AgentError(agent, "the script has no more to say")
    item = script.pop(0)
    if isinstance(item, AgentError):
        raise item
    return item
