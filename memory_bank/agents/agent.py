"""What an agent is: a name, a typed input, a typed output, and how freely a model should judge (section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from memory_bank.bank.value import Value
from memory_bank.events import EngineChoice, Usage

Input = TypeVar("Input", bound=Value)
Output = TypeVar("Output", bound=Value)


@dataclass(frozen=True)
class Agent(Generic[Input, Output]):
    """One of the six judgements."""

    name: str
    input_type: type[Input]
    output_type: type[Output]
    temperature: float
    top_p: float


class Engine(Protocol):
    """Who judges: a language model or the embedded engine."""

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        ...

    def judge(self, agent: Agent[Input, Output], given: Input) -> tuple[Output, Usage]:
        """The agent's judgement and what it cost. `AgentError` when none can be had."""
        ...
