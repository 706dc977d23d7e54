"""The adapter: between the bank and another agent framework, which does the work of the steps in its own way.

`enhance()` gives a step's prompt, `intercept(messages)` takes the step's messages back. Everything between two steps
(reading documents, comparing, planning) is done by the session, as it is for the built-in ReAct agent.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol
from xml.sax.saxutils import unescape

from memory_bank.agents.agent import language_of
from memory_bank.agents.react import REACT, EnhancedPrompt, StepResult, Tools
from memory_bank.attachment_content import AttachmentContent
from memory_bank.bank.bank import Bank
from memory_bank.bank.message import Message, ToolCall
from memory_bank.engines.llm.grounding import Grounding
from memory_bank.engines.llm.react_prompt import opening, wire
from memory_bank.engines.llm.reading import brought, read_step
from memory_bank.engines.llm.structured_output import json_object
from memory_bank.engines.llm.tool_calls import BANK_TOOLS, MEMORY_TOOLS, run_tools, specifications
from memory_bank.events import EngineChoice, Event, PromptEnhanced
from memory_bank.judgement.judge import PairJudge
from memory_bank.modules.embedding import Embedder
from memory_bank.recorder import Recorder

_ROLES = {"developer": "system", "function": "tool"} | {role: role for role in ("system", "user", "assistant", "tool")}
_RESULT = re.compile(
    r"""<tool_response(?: mark="r(\d{1,9})")?(?: source=(?:"([^"]*)"|'([^']*)'))?>\n(.*?)\n</tool_response>""",
    re.DOTALL,
)
_TOLD = "<tool_response>\n"
_PAGE = re.compile(r", p\. (\d{1,9})\Z")
_QUOTED = {"&quot;": '"', "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}


class Steps(Protocol):
    """What the adapter needs of a session."""

    bank: Bank

    def run(self) -> Generator[Event, None, None]:
        """Do what is left to do, as events; stopped and called again it goes on where it was."""
        ...

    @property
    def stopping(self) -> bool:
        """Whether a pause or an end was asked for and is not recorded yet."""
        ...

    def enhance(self) -> EnhancedPrompt:
        """The prompt for the current task."""
        ...

    def attachment(self, attachment_id: str) -> AttachmentContent:
        """The content of a file that an entry refers to. `ToolError` if it cannot be had."""
        ...


class Adapter:
    """One session's steps, handed to another framework. `name` and `model` go into the record of each step."""

    def __init__(self, session: Steps, recorder: Recorder, tools: Tools, embedder: Embedder, judge: PairJudge) -> None:
        self.name, self.model = "outside", "outside"
        self._session = session
        self._recorder = recorder
        self._tools = tools
        self._embedder = embedder
        self._grounding = Grounding(embedder, judge)
        self._called = threading.Lock()
        self._given_out: set[str] = set()
        self._marks = 0

    def enhance(self) -> EnhancedPrompt | None:
        """The prompt of the next step, after all that comes before it; None when nothing is left to do.

        Then `session.answer` holds the answer, unless the session was paused or cancelled. Asked again, it gives the
        same prompt until `intercept` was called.
        """
        if not self._waiting:
            with closing(self._session.run()) as events:
                for event in events:
                    if isinstance(event, PromptEnhanced) and not self._session.stopping:
                        break
        running = self._session.bank.status == "running"
        return self._session.enhance() if self._waiting and running else None

    def instructions(self, prompt: EnhancedPrompt) -> str:
        """What to tell an agent beside the prompt: its role, the tools, and how the answer of this step must look."""
        language = language_of(prompt.insight_doc.task_goal)
        return opening(prompt, self._tools, language, native=True)[0].content

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The bank's own tools in OpenAI's format, for whoever wants to offer them."""
        return specifications(self._tools)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What one of the bank's tools brings, as text for the agent. A failure is told in words, never raised.

        May be called from several threads. The text goes back to `intercept` as it is.
        """
        called = ToolCall(name=str(name), arguments=dict(arguments) if isinstance(arguments, Mapping) else {})
        found = run_tools([called], self._tools, self._embedder.count_tokens, 1)
        with self._called:
            text = "\n".join(str(sent["content"]) for sent in wire(found, native=False, after=self._marks))
            self._marks += len(brought(found))
            self._given_out.add(text)
        return text

    def attachment(self, attachment_id: str) -> AttachmentContent:
        """The content of a file that deep retrieval names, by its type. `ToolError` if it cannot be had."""
        return self._session.attachment(attachment_id)

    def intercept(self, messages: Sequence[Message | Mapping[str, Any]]) -> StepResult:
        """Take a step's messages back, in OpenAI's format or as `Message`s; the last word is the step's answer.

        The next `enhance` stores them, plans, and goes on. `InvalidOutputError` when a verdict is asked for and the
        answer holds none: nothing is recorded then. `ValueError` when no step is waiting, or for an unknown role.
        """
        if not self._waiting:
            raise ValueError("no step is waiting for messages; call enhance() first")
        prompt = self._session.enhance()
        given: list[Message] = []
        marked: dict[int, Message] = {}
        foreign: list[Message] = []
        for item in messages:
            message = item if isinstance(item, Message) else _read(item, messages)
            results = self._results(message)
            given += [result for _mark, result in results] or [message]
            marked |= {mark: result for mark, result in results if mark}
            foreign += brought([message]) if not results else []
        marked |= dict(enumerate(foreign, start=max(marked, default=0) + 1))
        result = read_step(prompt, given, self._tools, self._grounding, marked=marked)
        choice = EngineChoice(provider=self.name, model=self.model)
        self._recorder.take(prompt.task.id, choice, result)
        self._recorder.log.close()
        self._given_out.clear()
        self._marks = 0
        return result

    @property
    def _waiting(self) -> bool:
        """Whether a step's prompt was given and its messages are still out."""
        bank = self._session.bank
        task = bank.insight_doc.current_task
        if bank.status in ("finished", "cancelled"):
            return False
        return task is not None and task.id in bank.prompted and f"{REACT}/{task.id}" not in bank.judgements

    def _results(self, message: Message) -> list[tuple[int, Message]]:
        """What one of the bank's own tools brought, each with its mark, 0 for none; nothing for any other message.

        A result is known by its text: a name or a tag could be anybody's. What a tool of that name read from memory, or
        told without a mark, as a refusal, before the process that gave it out was gone is at least not stored as new.
        """
        if message.role != "tool" or message.content not in self._given_out:
            told = message.name in BANK_TOOLS and message.content.startswith(_TOLD)
            known = message.role == "tool" and (message.name in MEMORY_TOOLS or told)
            return [(0, message.model_copy(update={"from_memory": True}))] if known else []
        return [
            (
                int(found[1] or 0),
                message.model_copy(
                    update={"content": unescape(found[4]), "from_memory": not found[1], **_source(found[2] or found[3])}
                ),
            )
            for found in _RESULT.finditer(message.content)
        ]


def _source(quoted: str | None) -> dict[str, Any]:
    """Source and page, as they stand in a result's tag."""
    if quoted is None:
        return {"source": None, "page": None}
    source = unescape(quoted, _QUOTED)
    page = _PAGE.search(source)
    return {"source": source[: page.start()] if page else source, "page": int(page[1]) if page else None}


def _read(given: Mapping[str, Any], all_of_them: Sequence[Message | Mapping[str, Any]]) -> Message:
    """A message in OpenAI's format. `ValueError` for a role that is none of its."""
    role = _ROLES.get(str(given.get("role")))
    if role is None:
        raise ValueError(f"a message has the role {str(given.get('role'))[:60]!r}; known are {', '.join(_ROLES)}")
    content = given.get("content") or ""
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else [content]
    name = given.get("name") or _called(given.get("tool_call_id"), all_of_them)
    calls = [_call(call) for call in given.get("tool_calls") or () if isinstance(call, Mapping)]
    return Message.model_validate(
        {
            "role": role,
            "content": _storable("\n".join(_text(part) for part in parts)),
            "name": _storable(str(name)) if name else None,
            "tool_calls": calls,
            "tool_call_id": given.get("tool_call_id") and str(given["tool_call_id"]),
        }
    )


def _text(part: object) -> str:
    """A part of a message's content; of what is no text, its kind."""
    if isinstance(part, Mapping):
        return str(part.get("text") or f"[{part.get('type', 'part')}]")
    return str(part)


def _storable(text: str) -> str:
    """Text that a file can hold: JSON may carry halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _call(given: Mapping[str, Any]) -> ToolCall:
    """A tool call for the record; arguments that are no JSON object are kept as they are."""
    function = given.get("function") or {}
    written = str(function.get("arguments") or "{}")
    try:
        arguments = json_object(written)
    except ValueError:
        arguments = {"arguments": _storable(written)}
    return ToolCall(name=_storable(str(function.get("name", ""))), arguments=arguments, id=str(given.get("id") or ""))


def _called(call_id: object, messages: Sequence[Message | Mapping[str, Any]]) -> str | None:
    """The name of the tool that a call with this id called."""
    for message in messages:
        for call in (message.get("tool_calls") or ()) if isinstance(message, Mapping) else ():
            if call_id is not None and isinstance(call, Mapping) and call.get("id") == call_id:
                return str((call.get("function") or {}).get("name", ""))
    return None
