"""What an agent is: a name, a typed input, a typed output, and how freely a model should judge (section 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from memory_bank.bank.usage import ModelCall, Remark, Usage
from memory_bank.bank.value import Value
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice

Input = TypeVar("Input", bound=Value)
Output = TypeVar("Output", bound=Value)

Language = Literal["en", "zh"]
"""The languages that prompts are written in."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")


def language_of(task: str) -> Language:
    """The language to speak to a model in: Chinese for a task with more Chinese characters than words."""
    return "zh" if len(_CHINESE.findall(task)) > len(_LATIN.findall(task)) else "en"


@dataclass(frozen=True)
class Agent(Generic[Input, Output]):
    """A judgement: one of the six, or one of several that are set together (`research_plan`)."""

    name: str
    input_type: type[Input]
    output_type: type[Output]
    temperature: float
    top_p: float

    @property
    def set_as(self) -> str:
        """The name of its settings, by which it is also recorded."""
        return self.name.partition("_")[0]


@dataclass(frozen=True)
class Judgement(Generic[Output]):
    """What an engine made of an input, and what it took: requests, reasoning, and what code had to mend."""

    output: Output
    calls: tuple[ModelCall, ...] = ()
    remarks: tuple[Remark, ...] = ()
    reasoning: str = ""

    @property
    def usage(self) -> Usage:
        """The sum of the requests."""
        return Usage.of(self.calls)


class Engine(Protocol):
    """Who judges: a language model or the embedded engine."""

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        ...

    @property
    def remote(self) -> bool:
        """Whether a judgement waits for a server: such ones are made side by side, and count against the budget."""
        ...

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The agent's judgement, in the language of the task. `AgentError` when none can be had.

        `failed` is how the first attempt at the same judgement ended, so that a model can be shown its error.
        """
        ...
