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
from memory_bank.engines.llm.client import Answered, ModelClient, Request, retry_of
from memory_bank.engines.llm.consultation import CORRECTION
from memory_bank.engines.llm.grounding import Grounding
from memory_bank.engines.llm.react_prompt import (
    ANSWER_NOW,
    FRAME_TOKENS,
    TOOL_CALL,
    opening,
    sent_tokens,
    wire,
    with_image,
)
from memory_bank.engines.llm.reading import Ended, read_step
from memory_bank.engines.llm.structured_output import parse_reply
from memory_bank.engines.llm.tool_calls import NO_RESULTS, EarlierResults, run_tools, specifications
from memory_bank.engines.llm.window import shorten
from memory_bank.engines.llm.working_memory import LEAST_ROOM, Bounds, WorkingMemory
from memory_bank.errors import AgentError, InvalidOutputError, ModelRequestError
from memory_bank.events import EngineChoice
from memory_bank.judgement.judge import PairJudge
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.returning import Returning
from memory_bank.settings import Settings

NEAR = 0.9
"""Share of the context from which the answer is asked for at once."""
BATCH = 160
"""Characters of streamed text that make one event."""
_ANSWERED = re.compile(r"<answer[^>]*>\s*[^<\s].*?</answer>", re.DOTALL | re.IGNORECASE)
_SOME = EarlierResults((Message(role="tool", content=""),))


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

    def __init__(self, client: ModelClient, settings: Settings, embedder: Embedder, judge: PairJudge) -> None:
        self._client = client
        self._settings = settings
        self._embedder = embedder
        self._grounding = Grounding(embedder, judge)

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
        memory = WorkingMemory(prompt, self._bounds(step), self._embedder, turns)
        limit: Ended | None = None
        most = self._settings.max_llm_call_per_run
        while _requests(step, memory) < most and (failed is not None or (limit is None and _unanswered(memory))):
            limit = self._limit(step, memory)
            turn = yield from self._turn(step, memory, failed, limit)
            failed = None
            memory.add(turn)
            yield turn
        if limit is None and _unanswered(memory):
            limit = "call_limit"
        messages = [message for turn in memory.turns for message in turn.messages]
        return read_step(prompt, messages, tools, self._grounding, limit or "answer")

    def _turn(
        self, step: _Step, memory: WorkingMemory, failed: AgentError | None, limit: Ended | None
    ) -> Generator[Progress, None, Turn]:
        """One request and the tools it asks for. At a limit no tool is offered or run: what comes is the answer."""
        added = self._correction(step, memory, failed)
        if limit is not None:
            added += (Message(role="user", content=ANSWER_NOW[step.language]),)
        native, reads = self._client.native_tools, step.prompt.image is not None
        tools = specifications(step.tools, memory.results) if native and limit is None and not reads else ()
        answered = yield from _batched(self._client.ask(self._request(step, memory, added, tools, failed)))
        if native and not self._client.native_tools:  # just found out: the model has not heard of the tools yet
            try:
                turn = yield from self._turn(step, memory, failed, limit)
            except AgentError as error:
                error.calls = (*answered.calls, *error.calls)
                raise
            return turn.model_copy(update={"calls": (*answered.calls, *turn.calls)})
        # Where an image is read, a call may be what is written in it.
        calls, observations = ((), ()) if reads else _tool_calls(answered, limit)
        spoken = Message(role="assistant", content=answered.text, reasoning=answered.reasoning, tool_calls=calls)
        count, parallel = self._embedder.count_tokens, self._settings.parallel_calls
        results = run_tools(calls, step.tools, count, parallel, memory.results)
        messages = (*added, spoken, *observations, *results)
        return Turn(messages=messages, calls=answered.calls, remarks=memory.remarks)

    def _request(
        self,
        step: _Step,
        memory: WorkingMemory,
        added: Sequence[Message],
        tools: tuple[dict[str, Any], ...],
        failed: AgentError | None,
    ) -> Request[BaseModel]:
        """What is sent: the opening, the turns as they fit, and what is told beside them.

        `ModelRequestError` when the opening alone leaves no room to work in.
        """
        bounds, native, results = memory.bounds, self._client.native_tools, memory.results
        if bounds.room < LEAST_ROOM:
            taken = f"the task and its memory take {bounds.window - bounds.room} of the {bounds.window} tokens"
            raise ModelRequestError(REACT, f"{taken} of REACT_WINDOW: raise it, or lower MEMORY_TOKENS")
        opened = _opening(step, native=native, earlier=memory.earlier, results=results)
        sent = wire(opened, native=native)
        sent += wire((*memory.messages, *added), native=native, after=len(results.marked))
        return Request(REACT, with_image(sent, step.prompt.image), tools=tools, stream=True, retry=retry_of(failed))

    def _bounds(self, step: _Step) -> Bounds:
        """How the window is shared out, whichever way the tools turn out to be offered."""
        taken = 0
        for native in (True, False):
            sent = wire(_opening(step, native=native, earlier=" ", results=_SOME), native=native)
            tools = specifications(step.tools, _SOME) if native and step.prompt.image is None else ()
            taken = max(taken, sent_tokens(sent, tools, self._embedder.count_tokens))
        window = self._settings.react.window
        return Bounds(window, window - taken)

    def _limit(self, step: _Step, memory: WorkingMemory) -> Ended | None:
        """The limit that is near enough for the answer to be asked for at once."""
        if _requests(step, memory) >= self._settings.max_llm_call_per_run - 1:
            return "call_limit"
        tokens = memory.bounds.window - memory.bounds.room + memory.tokens
        return "token_limit" if tokens >= NEAR * self._settings.max_context_tokens else None

    def _correction(self, step: _Step, memory: WorkingMemory, failed: AgentError | None) -> tuple[Message, ...]:
        """What a model is told about an answer that could not be used.

        With the answer where it is not there yet, as far as there is room for it.
        """
        if not isinstance(failed, InvalidOutputError):
            return ()
        count = self._embedder.count_tokens
        room = memory.bounds.reserve - count(ANSWER_NOW[step.language]) - 3 * FRAME_TOKENS
        told = shorten(CORRECTION[step.language].format(reason=failed.reason), room, count)
        correction = (Message(role="user", content=told),)
        said = memory.turns[-1].messages[-1].role == "assistant" if memory.turns else False
        if failed.said and not said and count(failed.said) <= room - count(told):
            return (Message(role="assistant", content=failed.said), *correction)
        return correction


def _opening(
    step: _Step, *, native: bool, earlier: str = "", results: EarlierResults = NO_RESULTS
) -> tuple[Message, ...]:
    return opening(step.prompt, step.tools, step.language, native=native, earlier=earlier, results=results)


def _requests(step: _Step, memory: WorkingMemory) -> int:
    return step.lost + sum(len(turn.calls) for turn in memory.turns)


def _unanswered(memory: WorkingMemory) -> bool:
    """Whether the last turn called tools, or there was none."""
    return not memory.turns or memory.turns[-1].messages[-1].role != "assistant"


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
    written_calls = list(TOOL_CALL.finditer(answered.text))
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
