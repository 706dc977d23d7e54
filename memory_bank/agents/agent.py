"""Define an agent: its name, typed input and output, and sampling parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Value

Input = TypeVar("Input", bound=Value)
Output = TypeVar("Output", bound=Value)

Language = Literal["en", "zh"]
"""The languages in which prompts are written."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")


def prompt_language(task: str) -> Language:
    """The language of a task's prompts: Chinese if it has more Chinese characters than words in Latin letters."""
    return "zh" if len(_CHINESE.findall(task)) > len(_LATIN.findall(task)) else "en"


@dataclass(frozen=True)
class Agent(Generic[Input, Output]):
    """A kind of judgement. Several may share their settings: those of `research_plan` are under `research`."""

    name: str
    input_type: type[Input]
    output_type: type[Output]
    temperature: float
    top_p: float

    @property
    def set_as(self) -> str:
        """The name of the agent's settings, which is also recorded in events."""
        return self.name.partition("_")[0]


class Several(Value):
    """Inputs of one agent that a model is asked about in one request, or the outputs for them in the same order."""

    each: tuple[Any, ...]


@dataclass(frozen=True)
class Judgement(Generic[Output]):
    """An engine's output for an input, with the requests and reasoning it took, and what code had to correct.

    `choice` is who judged, if that was not the engine itself.
    """

    output: Output
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
    reasoning: str = ""
    choice: EngineChoice | None = None

    @property
    def usage(self) -> Usage:
        """The total usage of the requests."""
        return Usage.of(self.calls)


class Engine(Protocol):
    """Runs agents: a language model or the embedded engine.

    `choice` is its provider and model, for the record. `remote`: whether judgements wait for a server; if so, they run
    in parallel and count against the budget.
    """

    choice: EngineChoice
    remote: bool

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """Run an agent in the language of the task. `AgentError` if that fails.

        `failed` is the error of the first attempt at the same judgement, so that a model can be shown it.
        """
