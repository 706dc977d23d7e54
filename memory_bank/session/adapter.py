"""The adapter: lets another agent framework do the steps of a session.

`enhance()` gives the prompt of a step, `intercept(messages)` takes its messages back. The session does everything
between two steps (reading documents, comparing, planning), as for the built-in ReAct agent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import count
from typing import Any

from memory_bank.agents.agent import prompt_language
from memory_bank.agents.react import REACT, EnhancedPrompt, StepResult
from memory_bank.bank.errors import ToolError
from memory_bank.bank.events import EngineChoice, PromptEnhanced
from memory_bank.bank.message import Message, ToolCall
from memory_bank.documents.attachment_content import AttachmentContent, content_of
from memory_bank.engines.client.structured_output import json_object
from memory_bank.engines.step.prompt import opening_messages, to_openai_messages
from memory_bank.engines.step.reading import new_tool_results, read_step
from memory_bank.engines.step.tool_calls import ALL_TOOLS, NODE_READERS, run_tools, specifications
from memory_bank.judgement.grounding import Grounding
from memory_bank.session.recorder import Events
from memory_bank.session.wiring import Components, Parts

_ROLES = {"developer": "system", "function": "tool"} | {role: role for role in ("system", "user", "assistant", "tool")}
_UNMARKED_RESULT = "<tool_response>\n"


class Adapter:
    """Hands the steps of one session to another framework. `name` and `model` are recorded with each step."""

    def __init__(
        self, components: Components, parts: Parts, run: Callable[[], Events], stopping: Callable[[], bool]
    ) -> None:
        """`run` does the session's remaining work; `stopping`: whether a requested pause or end is not recorded yet."""
        self.name, self.model = "outside", "outside"
        self._recorder = components.recorder
        self._bank = components.recorder.bank
        self._tools = components.tools
        self._step_memory = components.step_memory
        self._run, self._stopping = run, stopping
        self._embedder = parts.embedder
        self._grounding = Grounding(parts.embedder, parts.pair_judge)
        self._lock = threading.Lock()
        self._results: dict[str, list[tuple[int, Message]]] = {}  # what `call` returned in this step, by its text
        self._marks = 0

    def enhance(self) -> EnhancedPrompt | None:
        """Run the session up to its next step and return the prompt; None when nothing is left to do.

        In that case `session.answer` holds the answer, unless the session was paused or cancelled. Until `intercept` is
        called, further calls return the same prompt.
        """
        if not self._waiting:
            with closing(self._run()) as events:
                for event in events:
                    if isinstance(event, PromptEnhanced) and not self._stopping():
                        break
        running = self._bank.status == "running"
        return self._step_memory.enhance() if self._waiting and running else None

    def instructions(self, prompt: EnhancedPrompt) -> str:
        """The system prompt for an agent: its role, the tools, and the required form of the answer."""
        language = prompt_language(prompt.insight_doc.task_goal)
        return opening_messages(prompt, self._tools, language, native=True)[0].content

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The bank's own tools in OpenAI's format."""
        return specifications(self._tools)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call one of the bank's tools; the result as text for the agent. A failure is put into the text, never raised.

        May be called from several threads. The text must come back to `intercept` unchanged.
        """
        tool_call = ToolCall(name=str(name), arguments=dict(arguments) if isinstance(arguments, Mapping) else {})
        results = run_tools([tool_call], self._tools, self._embedder.count_tokens, 1)
        with self._lock:
            text = "\n".join(
                str(message["content"]) for message in to_openai_messages(results, native=False, after=self._marks)
            )
            marks = count(self._marks + 1)
            self._results[text] = [(next(marks) if result.is_material else 0, result) for result in results]
            self._marks += len(new_tool_results(results))
        return text

    def attachment(self, attachment_id: str) -> AttachmentContent:
        """The content of a file that deep retrieval names. `ToolError` if no entry names it, or it is missing."""
        attachments = (attachment for entry in self._bank.trees for attachment in entry.attachments)
        attachment = next((each for each in attachments if each.id == attachment_id), None)
        if attachment is None:
            raise ToolError(f"no entry refers to a file {attachment_id[:80]!r}")
        return content_of(attachment, self._recorder.log.folder)

    def intercept(self, messages: Sequence[Message | Mapping[str, Any]]) -> StepResult:
        """Take a step's messages back, in OpenAI's format or as `Message`s; the last one is the step's answer.

        The next `enhance` stores them, plans, and goes on. `InvalidOutputError` if the step needs a verdict and the
        answer has none; nothing is recorded then. `ValueError` when no step is waiting, or for an unknown role.
        """
        if not self._waiting:
            raise ValueError("no step is waiting for messages; call enhance() first")
        prompt = self._step_memory.enhance()
        read: list[Message] = []
        marked: dict[int, Message] = {}
        foreign: list[Message] = []
        for item in messages:
            message = item if isinstance(item, Message) else _read(item, messages)
            results = self._tool_results(message)
            read += [result for _mark, result in results] or [message]
            marked |= {mark: result for mark, result in results if mark}
            foreign += new_tool_results([message]) if not results else []
        marked |= dict(enumerate(foreign, start=max(marked, default=0) + 1))
        result = read_step(prompt, read, self._tools, self._grounding, marked=marked)
        choice = EngineChoice(provider=self.name, model=self.model)
        self._recorder.take(prompt.task.id, choice, result)
        self._recorder.log.close()
        self._results.clear()
        self._marks = 0
        return result

    @property
    def _waiting(self) -> bool:
        """Whether a step's prompt was given out and its messages have not come back."""
        bank = self._bank
        task = bank.insight_doc.current_task
        if bank.status in ("finished", "cancelled"):
            return False
        return task is not None and task.id in bank.prompted and f"{REACT}/{task.id}" not in bank.judgements

    def _tool_results(self, message: Message) -> list[tuple[int, Message]]:
        """The results of the bank's own tools in a message, each with its mark or 0; none for any other message.

        They are recognised by their whole text, since a tool name or tag can be faked. After a restart the texts are
        unknown: then what reads nodes, and unmarked results such as refusals, are at least not stored as new.
        """
        if message.role != "tool" or message.content not in self._results:
            unmarked = message.name in ALL_TOOLS and message.content.startswith(_UNMARKED_RESULT)
            from_memory = message.role == "tool" and (message.name in NODE_READERS or unmarked)
            return [(0, message.model_copy(update={"from_memory": True}))] if from_memory else []
        call_id = {"tool_call_id": message.tool_call_id}  # as the framework named its call
        return [(mark, result.model_copy(update=call_id)) for mark, result in self._results[message.content]]


def _read(item: Mapping[str, Any], messages: Sequence[Message | Mapping[str, Any]]) -> Message:
    """Read one of the messages from OpenAI's format. `ValueError` for an unknown role."""
    role = _ROLES.get(str(item.get("role")))
    if role is None:
        raise ValueError(f"a message has the role {str(item.get('role'))[:60]!r}; known are {', '.join(_ROLES)}")
    content = item.get("content") or ""
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else [content]
    texts = (  # for a part that is not text, its type
        str(part.get("text") or f"[{part.get('type', 'part')}]") if isinstance(part, Mapping) else str(part)
        for part in parts
    )
    name = item.get("name") or _called_tool(item.get("tool_call_id"), messages)
    calls = [_tool_call(call) for call in item.get("tool_calls") or () if isinstance(call, Mapping)]
    return Message.model_validate(
        {
            "role": role,
            "content": _storable("\n".join(texts)),
            "name": _storable(str(name)) if name else None,
            "tool_calls": calls,
            "tool_call_id": item.get("tool_call_id") and str(item["tool_call_id"]),
        }
    )


def _storable(text: str) -> str:
    """Text that can be written to a file: JSON may contain lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def _tool_call(item: Mapping[str, Any]) -> ToolCall:
    """A tool call from OpenAI's format; arguments that are not a JSON object are kept as text."""
    function = item.get("function") or {}
    written = str(function.get("arguments") or "{}")
    try:
        arguments = json_object(written)
    except ValueError:
        arguments = {"arguments": _storable(written)}
    return ToolCall(name=_storable(str(function.get("name", ""))), arguments=arguments, id=str(item.get("id") or ""))


def _called_tool(call_id: object, messages: Sequence[Message | Mapping[str, Any]]) -> str | None:
    """The name of the tool in the call with this id; None if there is none."""
    for message in messages:
        for call in (message.get("tool_calls") or ()) if isinstance(message, Mapping) else ():
            if call_id is not None and isinstance(call, Mapping) and call.get("id") == call_id:
                return str((call.get("function") or {}).get("name", ""))
    return None
