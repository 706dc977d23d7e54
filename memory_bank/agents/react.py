"""ReAct: types for carrying out the current task with tools, by the built-in framework or by another one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from memory_bank.agents.remember import Kind
from memory_bank.bank.above import Above
from memory_bank.bank.conflict import Conflict, Verification
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import EngineChoice, Notice
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.query_graph import Node
from memory_bank.bank.source import Source
from memory_bank.bank.task_kind import TaskKind
from memory_bank.bank.usage import ModelCall, Remark
from memory_bank.bank.value import Id, Value, Worded, WordedText, Wordings


class Quote(Value):
    """A verbatim passage: `text` is characters `start` to `end` of an entry.

    If the step itself found it, there is no entry yet (`entry_id` is None); it is located once its source has entries.
    """

    source: str
    text: str
    entry_id: str | None = None
    start: int = 0
    end: int = 0


class AnswerStatement(Worded):
    """A sentence of the answer with the passages that support it. Without a `text` it is its quotation.

    `value` is the short answer, put before it. A `text` without a passage is not affirmed; `cited` are passages that it
    names all the same, shown as unconfirmed. `heading` stands once above consecutive statements that share it. What
    another document denies is `opposed`, what may answer but not surely is `unsure`; both are shown and not affirmed.
    """

    quotes: tuple[Quote, ...]
    text: str | None = None
    value: WordedText | None = None
    heading: WordedText | None = None
    cited: tuple[Quote, ...] = ()
    opposed: bool = False
    unsure: bool = False


class ImageRead(Value):
    """The image that a step read. `facts`, what is known about it besides its text, go into its entry's metadata.

    An image without text is `described`: the description is not a statement of a source.
    """

    id: Id
    facts: dict[str, Any] = Field(default_factory=dict)
    described: bool = False


class StepResult(Worded):
    """The complete result of one step.

    For a NORMAL task, `statements` are the evidence of the answer, and `conflicts` the conflicts that concern it. For a
    CROSS_VALIDATE task, `verification` is the verdict, and `also` those on other conflicts that its evidence settles.
    If `image` was read, `answer` is the text that stands for it. `ended` says whether the step finished or reached a
    limit, `remarks` what could not be trusted in the answer, `unanswered` which parts of the task found no answer
    while others did, `lines` those of the answer that are ours, and `calls` the requests made to check the answer,
    which belong to no turn. `nearest` are the passages nearest to a task that found no answer.
    """

    answer: WordedText
    messages: tuple[Message, ...]
    statements: tuple[AnswerStatement, ...] = ()
    conflicts: tuple[str, ...] = ()
    verification: Verification | None = None
    also: tuple[Verification, ...] = ()
    image: ImageRead | None = None
    ended: Literal["answer", "call_limit", "token_limit"] = "answer"
    remarks: tuple[Remark, ...] = ()
    unanswered: tuple[str, ...] = ()
    calls: tuple[ModelCall, ...] = Field(default=(), exclude=True)
    lines: Wordings = ()
    nearest: tuple[Quote, ...] = ()


class LibraryPassage(Value):
    """A passage of a document in the reference library: `text` is characters `start` to `end` of it.

    `title` is the document's, or what stands in it before its first sentence, or its first line; `above` is what stands
    above the passage.
    """

    source_id: str
    source: str
    text: str
    start: int
    end: int
    page: int | None
    title: str = ""
    above: Above = Above()


class WebPage(Value):
    """A result from the web: a search hit with its snippet, or a page with its text. All of it is untrusted."""

    url: str
    title: str
    text: str


class WaitingImage(Value):
    """An image that the step has to read: its source and its file. The content is untrusted."""

    source: Source
    path: Path


class EnhancedPrompt(Value):
    """The input of a step: the Insight Doc and the retrieved memory, as values and as marked-up `text`.

    `nodes` are newest first; `left_out` are the ids of those that did not fit. `image` is the one to read, if any.
    `references` are the names of the reference sources, `others` further open conflicts that the step may settle too.
    `kind` is what a person says the task is; without it the framework judges that.
    """

    task: CurrentTask
    insight_doc: InsightDoc
    nodes: tuple[Node, ...]
    left_out: tuple[str, ...]
    conflict: Conflict | None
    text: str
    image: WaitingImage | None = None
    references: tuple[str, ...] = ()
    others: tuple[Conflict, ...] = ()
    kind: TaskKind | None = None


class Tools(Protocol):
    """The tools of a step; parallel calls are safe.

    What fails raises a `MemoryBankError` that says why: its text is what a model is told, and it never ends a step.

    `callable_by_model` names the tools that a model may call: those that need no API key, or have theirs. `web` says
    whether `web_search` has its API key; it is then a part of the tool `search`. `long_term` is long-term memory, if
    the person turned it on.
    """

    callable_by_model: frozenset[str]
    web: bool
    long_term: LongTermTools | None

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        """All entries of a node's trees, oldest first."""

    def search(self, query: str) -> tuple[LibraryPassage, ...]:
        """Passages of the reference library, best first."""

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        """Web pages with a snippet of each, best first. `ToolError` if the search fails."""

    def visit(self, url: str) -> WebPage:
        """The text of a web page. `ToolError` if it is not public or cannot be loaded."""

    def research(self, question: str) -> tuple[Node, ...]:
        """The nodes of the memory that are relevant to a question, best first."""

    def conflicts(self) -> tuple[Conflict, ...]:
        """All conflicts found so far, oldest first, with their status."""

    def may_ask(self) -> None:
        """`BudgetError` when the step may make no further request to a model beside its turns."""


class LongTermTools(Protocol):
    """Long-term memory as a step uses it; parallel calls are safe. `LongTermError` if the store is unavailable."""

    def facts(self, query: str) -> tuple[str, ...]:
        """Facts from the person that are relevant to a query, best first, each with its day and any contradiction."""

    def episodes(self, goal: str) -> tuple[str, ...]:
        """Earlier tasks similar to a goal, best first: what was done, and the outcome."""

    def store(self, content: str, context: str, kind: Kind) -> str:
        """Store a fact beyond the session; returns in words what became of it."""


Progress = StepTurn | str | Notice
"""What a framework yields while it acts: a finished turn, a piece of streamed text, or a progress notice."""


class Framework(Protocol):
    """Carries out steps: the built-in ReAct agent, or another agent framework.

    `choice` is its provider and model, for the record. `remote`: whether it waits for a server and counts against the
    budget. `sees`: whether it can read images; if not, the embedded engine reads them.
    """

    choice: EngineChoice
    remote: bool
    sees: bool

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task, yielding each turn when it is done, and text and notices as they come.

        `turns` were done before a crash or a failure and are continued; `failed` is the error of that attempt, `lost`
        the number of requests of this step that were in vain so far. `AgentError` if the task cannot be done.
        """


REACT = "react"
SEARCH = "search"
VISIT = "visit"
"""The tool that reads a web page, which is also stored as a file."""
REACT_TEMPERATURE, REACT_TOP_P = 0.6, 0.95
