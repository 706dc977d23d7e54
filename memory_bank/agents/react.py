"""ReAct: does the current task with tools. The built-in framework behind the adapter; another may take its place."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from memory_bank.agents.remember import Kind
from memory_bank.bank.conflict import Conflict, Verification
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, Turn
from memory_bank.bank.query_graph import Node
from memory_bank.bank.source import Source
from memory_bank.bank.usage import Remark
from memory_bank.bank.value import Id, Value
from memory_bank.errors import AgentError
from memory_bank.events import EngineChoice, Notice


class Quote(Value):
    """A passage, word for word: `text[start:end]` of an entry.

    One that the step itself found is no entry yet (`entry_id` None); it is looked for in its source once it is.
    """

    source: str
    text: str
    entry_id: str | None = None
    start: int = 0
    end: int = 0


class Statement(Value):
    """A sentence of the answer with the passages it rests on. Without a `text` of its own it is its quotation.

    `value` answers first; a written sentence without a passage is not affirmed. `heading` stands above all that have
    the same one, one after another.
    """

    quotes: tuple[Quote, ...]
    text: str | None = None
    value: str | None = None
    heading: str | None = None


class ImageRead(Value):
    """Which image a step read. `facts`, what is known of it beside what it says, go into its entry's metadata.

    One that says nothing is `described`: what is said of it is no statement of a source.
    """

    id: Id
    facts: dict[str, Any] = Field(default_factory=dict)
    described: bool = False


class StepResult(Value):
    """What a framework brought back from one step, complete.

    `statements` is the answer's evidence for a NORMAL task, `conflicts` the conflicts that bear on it; `verification`
    is the verdict for a CROSS_VALIDATE. Where `image` was read, `answer` is the text that stands for it. `ended` says
    whether the step came to its end or to a limit, `remarks` what of the answer was not to be trusted, `unanswered` the
    parts of the task that found no answer while others did.
    """

    answer: str
    messages: tuple[Message, ...]
    statements: tuple[Statement, ...] = ()
    conflicts: tuple[str, ...] = ()
    verification: Verification | None = None
    image: ImageRead | None = None
    ended: Literal["answer", "call_limit", "token_limit"] = "answer"
    remarks: tuple[Remark, ...] = ()
    unanswered: tuple[str, ...] = ()


class Passage(Value):
    """A passage of a document of the reference library: `text` is its text from `start` to `end`."""

    source_id: str
    source: str
    text: str
    start: int
    end: int
    page: int | None
    score: float


class WebPage(Value):
    """What the web brought: a hit of a search with its snippet, or a page with its text. All of it is untrusted."""

    url: str
    title: str
    text: str


class WaitingImage(Value):
    """An image that the step is to read: its source, and the file where it waits. The content is untrusted."""

    source: Source
    path: Path


class EnhancedPrompt(Value):
    """What a step is given: the Insight Doc and the retrieved memory, as values and as marked-up `text`.

    `nodes` are newest first; `left_out` are the ids of those that did not fit. `image` is the one that is to be read.
    """

    task: CurrentTask
    insight_doc: InsightDoc
    nodes: tuple[Node, ...]
    left_out: tuple[str, ...]
    conflict: Conflict | None
    text: str
    image: WaitingImage | None = None


class Tools(Protocol):
    """What a step may call; parallel calls are safe. Of the tools here only those of the web fail, with `ToolError`.

    Whoever acts gives its text to the model as the observation; it never ends a step.
    """

    @property
    def offered(self) -> frozenset[str]:
        """Names of the tools that a model may call: those that need no key, and those that have theirs."""
        ...

    @property
    def web(self) -> bool:
        """Whether `web_search` has its key; it is then a part of the tool `search`."""
        ...

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """Every entry of a node's trees, oldest first."""
        ...

    def search(self, query: str) -> tuple[Passage, ...]:
        """Passages of the reference library, best first."""
        ...

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        """Pages of the web with a snippet of each, best first. `ToolError` when they cannot be had."""
        ...

    def visit(self, url: str) -> WebPage:
        """The text of a page of the web. `ToolError` when it is not public or cannot be had."""
        ...

    def research(self, question: str) -> tuple[Node, ...]:
        """Nodes of the memory that bear on a question, best first (section 4)."""
        ...

    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict found so far, oldest first, with how it stands."""
        ...

    @property
    def lasting(self) -> Lasting | None:
        """Long-term memory, where the person turned it on."""
        ...


class Lasting(Protocol):
    """What a step may do with long-term memory; parallel calls are safe. `LongTermError` where the store is away."""

    def facts(self, query: str) -> tuple[str, ...]:
        """What the person told that bears on a query, best first, each with its day and what is said against it."""
        ...

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks like a goal, best first: what was done, and what came of it."""
        ...

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Have a fact kept beyond the session; what became of it, in words."""
        ...


Progress = Turn | str | Notice
"""What a framework yields while it acts: a finished turn, a piece of what is being said, or how far it has got."""


class Framework(Protocol):
    """Whoever does the work of a step: the built-in ReAct agent, or another agent framework."""

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        ...

    @property
    def remote(self) -> bool:
        """Whether it waits for a server, and counts against the budget."""
        ...

    @property
    def sees(self) -> bool:
        """Whether it reads images; those of one that does not are read by the embedded engine."""
        ...

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task, yielding each turn when it is done, text and notices as they come.

        `turns` were taken before a crash or a failure and are gone on from; `failed` is how it ended then,
        `lost` how many requests of this step came to nothing so far.
        `AgentError` when the task cannot be done.
        """
        ...


REACT = "react"
VISIT = "visit"
"""The tool that reads a page of the web: what it brings is kept as a file too."""
REACT_TEMPERATURE, REACT_TOP_P = 0.6, 0.95
