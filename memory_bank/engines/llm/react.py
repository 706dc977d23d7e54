"""ReAct on a language model: think, act, observe, until there is an answer or a limit (section 3).

Tools are offered in the request where the provider takes them, else described in the prompt; what comes back is
understood either way. A model's mistake is an observation it sees; a server's failure is an error.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from memory_bank.agents.agent import Language, language_of
from memory_bank.agents.react import REACT, EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.message import Message, ToolCall, Turn
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.client import Answered, ModelClient, Request, retry_of
from memory_bank.engines.llm.consultation import CORRECTION
from memory_bank.engines.llm.react_prompt import ANSWER_NOW, opening, wire, with_image
from memory_bank.engines.llm.reading import Ended, read_step
from memory_bank.engines.llm.structured_output import parse_reply
from memory_bank.engines.llm.tool_calls import run_tools, specifications
from memory_bank.errors import AgentError, InvalidOutputError
from memory_bank.events import EngineChoice
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.returning import Returning
from memory_bank.settings import Settings

NEAR = 0.9
"""Share of the context from which the answer is asked for at once."""
BATCH = 160
"""Characters of streamed text that make one event."""
KEPT_OF_OLD = 300
"""Characters that are kept of an old tool result when the window is full."""
_ANSWERED = re.compile(r"<answer[^>]*>\s*[^<\s].*?</answer>", re.DOTALL | re.IGNORECASE)
_TOOL_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL | re.IGNORECASE)


class TaggedCall(BaseModel):
    """A tool call written as text."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class _Step:
    """What stays the same during one step."""

    prompt: EnhancedPrompt
    tools: Tools
    language: Language
    lost: int


class ModelFramework:
    """The acting agent on a model."""

    def __init__(self, client: ModelClient, settings: Settings, embedder: Embedder) -> None:
        self._client = client
        self._settings = settings
        self._embedder = embedder

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return self._client.choice

    @property
    def remote(self) -> bool:
        """Always: a model is a server away."""
        return True

    @property
    def sees(self) -> bool:
        """Whether its model is given images, as the setting says, by default one of OpenAI's."""
        wanted = self._settings.react.images
        return wanted == "yes" or (wanted == "auto" and self._client.choice.provider == "openai")

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[Turn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task turn by turn. `AgentError` when it cannot be done."""
        language = language_of(prompt.insight_doc.task_goal)
        step = _Step(prompt, tools, language, lost)
        taken = list(turns)
        limit: Ended | None = None
        most = self._settings.max_llm_call_per_run
        while _requests(step, taken) < most and (failed is not None or (limit is None and _unanswered(taken))):
            limit = self._limit(step, taken)
            turn = yield from self._turn(step, taken, failed, limit)
            failed = None
            taken.append(turn)
            yield turn
        if limit is None and _unanswered(taken):
            limit = "call_limit"
        messages = [message for turn in taken for message in turn.messages]
        return read_step(prompt, messages, tools, self._embedder, limit or "answer")

    def _turn(
        self, step: _Step, taken: Sequence[Turn], failed: AgentError | None, limit: Ended | None
    ) -> Generator[Progress, None, Turn]:
        """One request and the tools it asks for. At a limit no tool is offered or run: what comes is the answer."""
        said = tuple(message for turn in taken for message in turn.messages)
        added = _correction(failed, step.language, said)
        if limit is not None:
            added += (Message(role="user", content=ANSWER_NOW[step.language]),)
        native = self._client.native_tools
        messages, remarks = self._fitted((*_opening(step, native=native), *said, *added))
        request: Request[BaseModel] = Request(
            REACT,
            with_image(wire(messages, native=native), step.prompt.image),
            tools=specifications(step.tools) if native and limit is None and step.prompt.image is None else (),
            stream=True,
            retry=retry_of(failed),
        )
        answered = yield from _batched(self._client.ask(request))
        if native and not self._client.native_tools:  # just found out: the model has not heard of the tools yet
            try:
                turn = yield from self._turn(step, taken, failed, limit)
            except AgentError as error:
                error.calls = (*answered.calls, *error.calls)
                raise
            return turn.model_copy(update={"calls": (*answered.calls, *turn.calls)})
        reads = step.prompt.image is not None  # then a call may be what is written in the image
        calls, observations = ((), ()) if reads else _tool_calls(answered, limit)
        spoken = Message(role="assistant", content=answered.text, reasoning=answered.reasoning, tool_calls=calls)
        results = run_tools(calls, step.tools, self._embedder.count_tokens, self._settings.parallel_calls)
        return Turn(messages=(*added, spoken, *observations, *results), calls=answered.calls, remarks=remarks)

    def _limit(self, step: _Step, taken: Sequence[Turn]) -> Ended | None:
        """The limit that is near enough for the answer to be asked for at once."""
        if _requests(step, taken) >= self._settings.max_llm_call_per_run - 1:
            return "call_limit"
        opened = _opening(step, native=self._client.native_tools)
        messages = [*opened, *(message for turn in taken for message in turn.messages)]
        tokens = sum(self._embedder.count_tokens(message.content) for message in messages)
        return "token_limit" if tokens >= NEAR * self._settings.max_context_tokens else None

    def _fitted(self, messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Remark, ...]]:
        """The messages that fit the window: of the oldest tool results only the beginning is kept, as needed."""
        count = self._embedder.count_tokens
        kept = list(messages)
        spare = self._settings.react.window - sum(count(message.content) for message in kept)
        shortened = 0
        last = max((index for index, message in enumerate(kept) if message.role == "assistant"), default=0)
        for index, message in enumerate(kept[:last]):
            if spare >= 0:
                break
            if message.role == "tool" and len(message.content) > KEPT_OF_OLD:
                brief = message.model_copy(update={"content": message.content[:KEPT_OF_OLD] + " […]"})
                spare += count(message.content) - count(brief.content)
                kept[index] = brief
                shortened += 1
        what = f"{shortened} earlier tool results, to fit the window of {self._settings.react.window} tokens"
        return tuple(kept), (Remark(kind="shortened", what=what),) if shortened else ()


def _opening(step: _Step, *, native: bool) -> tuple[Message, ...]:
    return opening(step.prompt, step.tools, step.language, native=native)


def _requests(step: _Step, taken: Sequence[Turn]) -> int:
    return step.lost + sum(len(turn.calls) for turn in taken)


def _unanswered(taken: Sequence[Turn]) -> bool:
    """Whether the last turn called tools, or there was none."""
    return not taken or taken[-1].messages[-1].role != "assistant"


def _correction(failed: AgentError | None, language: Language, said: Sequence[Message]) -> tuple[Message, ...]:
    """What a model is told about an answer that could not be used, with the answer where it is not there yet."""
    if not isinstance(failed, InvalidOutputError):
        return ()
    told = Message(role="user", content=CORRECTION[language].format(reason=failed.reason))
    if failed.said and (not said or said[-1].role != "assistant"):
        return (Message(role="assistant", content=failed.said), told)
    return (told,)


def _batched(asking: Generator[str, None, Answered[BaseModel]]) -> Generator[str, None, Answered[BaseModel]]:
    """Text as it comes, in pieces that are worth an event each."""
    asked, waiting = Returning(asking), ""
    for piece in asked:
        waiting += piece
        if len(waiting) >= BATCH:
            yield waiting
            waiting = ""
    if waiting:
        yield waiting
    return asked.result


def _tool_calls(answered: Answered[BaseModel], limit: Ended | None) -> tuple[tuple[ToolCall, ...], tuple[Message, ...]]:
    """The tools a model asks for, in the request's way or as tags, and what it is told about tags that say nothing."""
    written_calls = list(_TOOL_CALL.finditer(answered.text))
    last = written_calls[-1].end() if written_calls else 0
    if limit is not None or (not answered.tool_calls and _ANSWERED.search(answered.text, last)):
        return (), ()
    calls, observations = list(answered.tool_calls), []
    for written in written_calls:
        try:
            call = parse_reply(written[1], TaggedCall)
        except ValueError as error:
            what = f"The tool call could not be read: {error}. Write name and arguments as one JSON object."
            observations.append(Message(role="tool", content=what, from_memory=True))
        else:
            calls.append(ToolCall(name=call.name, arguments=call.arguments))
    return tuple(calls), tuple(observations)
