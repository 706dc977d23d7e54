"""The adapter: between the bank and another agent framework, which does the work of the steps in its own way.

`enhance()` gives a step's prompt, `intercept(messages)` takes the step's messages back. Everything between two steps
(reading documents, comparing, planning) is done by the session, as it is for the built-in ReAct agent.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol

from memory_bank.agents.agent import Judgement
from memory_bank.agents.react import REACT, EnhancedPrompt, StepResult, Tools
from memory_bank.bank.bank import Bank
from memory_bank.bank.message import Message, ToolCall
from memory_bank.engines.llm.prompt import language_of
from memory_bank.engines.llm.react_prompt import opening, wire
from memory_bank.engines.llm.reading import read_step
from memory_bank.engines.llm.tool_calls import run_tools, specifications
from memory_bank.events import EngineChoice, Event, PromptEnhanced
from memory_bank.modules.embedding import Embedder
from memory_bank.recorder import Recorder


class Steps(Protocol):
    """What the adapter needs of a session."""

    bank: Bank

    def run(self) -> Iterator[Event]:
        """Do what is left to do, as events; stopped and called again it goes on where it was."""
        ...

    def enhance(self) -> EnhancedPrompt:
        """The prompt for the current task."""
        ...


class Adapter:
    """One session's steps, handed to another framework. `name` and `model` go into the record of each step."""

    def __init__(self, session: Steps, recorder: Recorder, tools: Tools, embedder: Embedder) -> None:
        self.name, self.model = "outside", "outside"
        self._session = session
        self._recorder = recorder
        self._tools = tools
        self._embedder = embedder
        self._brought: dict[str, tuple[Message, ...]] = {}

    def enhance(self) -> EnhancedPrompt | None:
        """The prompt of the next step, after all that comes before it; None when nothing is left to do.

        Then `session.answer` holds the answer. Asked again, it gives the same prompt until `intercept` was called.
        """
        if not self._waiting:
            with closing(self._run()) as events:
                next((event for event in events if isinstance(event, PromptEnhanced)), None)
        return self._session.enhance() if self._waiting else None

    def instructions(self, prompt: EnhancedPrompt) -> str:
        """What to tell an agent beside the prompt: its role, the tools, and how the answer of this step must look."""
        language = language_of(prompt.insight_doc.task_goal)
        return opening(prompt, self._tools, language, native=True)[0].content

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The bank's own tools in OpenAI's format, for whoever wants to offer them."""
        return specifications(self._tools)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What one of the bank's tools brings, as text for the agent. A failure is told in words, never raised."""
        called = ToolCall(name=name, arguments=dict(arguments))
        found = run_tools([called], self._tools, self._embedder.count_tokens, 1)
        text = "\n".join(str(sent["content"]) for sent in wire(found, native=False))
        self._brought[text] = found
        return text

    def intercept(self, messages: Sequence[Message | Mapping[str, Any]]) -> StepResult:
        """Take a step's messages back, in OpenAI's format or as `Message`s; the last word is the step's answer.

        The next `enhance` stores them, plans, and goes on. `InvalidOutputError` when a verdict is asked for and the
        answer holds none: nothing is recorded then. `ValueError` when no step is waiting.
        """
        if not self._waiting:
            raise ValueError("no step is waiting for messages; call enhance() first")
        prompt = self._session.enhance()
        given = [message for item in messages for message in self._messages(item, messages)]
        result = read_step(prompt, given, self._tools, self._embedder)
        choice = EngineChoice(provider=self.name, model=self.model)
        self._recorder.take(f"{REACT}/{prompt.task.id}", REACT, choice, Judgement(result, remarks=result.remarks))
        self._brought.clear()
        return result

    @property
    def _waiting(self) -> bool:
        """Whether a step's prompt was given and its messages are still out."""
        bank = self._session.bank
        task = bank.insight_doc.current_task
        return task is not None and task.id in bank.prompted and f"{REACT}/{task.id}" not in bank.judgements

    def _run(self) -> Generator[Event, None, None]:
        yield from self._session.run()

    def _messages(
        self, item: Message | Mapping[str, Any], all_of_them: Sequence[Message | Mapping[str, Any]]
    ) -> tuple[Message, ...]:
        """One message as ours; a result of one of the bank's tools as what the tool brought."""
        message = item if isinstance(item, Message) else _read(item, all_of_them)
        return self._brought.get(message.content, (message,)) if message.role == "tool" else (message,)


def _read(given: Mapping[str, Any], all_of_them: Sequence[Message | Mapping[str, Any]]) -> Message:
    """A message in OpenAI's format. `ValueError` for a role that is none of its."""
    content = given.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    name = given.get("name") or _called(given.get("tool_call_id"), all_of_them)
    role = {"developer": "system", "function": "tool"}.get(str(given.get("role")), given.get("role"))
    return Message.model_validate({"role": role, "content": content, "name": name})


def _called(call_id: object, messages: Sequence[Message | Mapping[str, Any]]) -> str | None:
    """The name of the tool that a call with this id called."""
    for message in messages:
        for call in (message.get("tool_calls") or ()) if isinstance(message, Mapping) else ():
            if call_id is not None and call.get("id") == call_id:
                return str(call.get("function", {}).get("name", ""))
    return None
