"""ReAct: does the current task with tools. The built-in framework behind the adapter; another may take its place."""

from __future__ import annotations

from typing import Literal, Protocol

from memory_bank.bank.conflict import Conflict, Verification
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Node
from memory_bank.bank.value import Value
from memory_bank.events import EngineChoice, Usage


class Message(Value):
    """One message of a step. `from_memory` marks what was read from the bank: it is never stored again as new.

    `source` names the document a tool result came from.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    name: str | None = None
    source: str | None = None
    page: int | None = None
    from_memory: bool = False


class Statement(Value):
    """A sentence of the answer, word for word the passage `text[start:end]` of an entry; `value` answers first."""

    entry_id: str
    start: int
    end: int
    value: str | None = None


class StepResult(Value):
    """What a framework brought back from one step, complete.

    `statements` is the answer's evidence for a NORMAL task, `conflicts` the decided or disputed conflicts that
    bear on it; `verification` is the verdict for a CROSS_VALIDATE.
    """

    answer: str
    messages: tuple[Message, ...]
    statements: tuple[Statement, ...] = ()
    conflicts: tuple[str, ...] = ()
    verification: Verification | None = None


class Passage(Value):
    """A passage of a document of the reference library: `text` is its text from `start` to `end`."""

    source_id: str
    source: str
    text: str
    start: int
    end: int
    page: int | None
    score: float


class EnhancedPrompt(Value):
    """What a step is given: the Insight Doc and the retrieved memory, as values and as marked-up `text`.

    `nodes` are newest first; `left_out` are the ids of those that did not fit.
    """

    task: CurrentTask
    insight_doc: InsightDoc
    nodes: tuple[Node, ...]
    left_out: tuple[str, ...]
    conflict: Conflict | None
    text: str


class Tools(Protocol):
    """What a step may call. A failing tool returns an empty result or an observation, never an exception."""

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """Every entry of a node's trees, oldest first."""
        ...

    def search(self, query: str) -> tuple[Passage, ...]:
        """Passages of the reference library, best first."""
        ...

    def research(self, question: str) -> tuple[Node, ...]:
        """Nodes of the memory that bear on a question, best first (section 4)."""
        ...

    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict found so far, oldest first, with how it stands."""
        ...


class Framework(Protocol):
    """Whoever does the work of a step: the built-in ReAct agent, or another agent framework."""

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        ...

    def act(self, prompt: EnhancedPrompt, tools: Tools) -> tuple[StepResult, Usage]:
        """Carry out the current task. `AgentError` when it cannot be done."""
        ...


REACT = "react"
