"""ReAct by a language model: think, act, observe, until there is an answer or a limit.

Tools are offered in the request where the provider supports it, else described in the prompt; tool calls are read in
both formats. A model's mistake becomes an observation that it sees; a server's failure is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from pydantic import BaseModel

from memory_bank.agents.agent import Language, prompt_language
from memory_bank.agents.react import REACT, SEARCH, EnhancedPrompt, Progress, StepResult, Tools
from memory_bank.bank.conflict import SIDES, Conflict
from memory_bank.bank.errors import AgentError, BudgetError, InvalidOutputError, ModelRequestError
from memory_bank.bank.message import Message, StepTurn, ToolCall
from memory_bank.bank.settings import Settings
from memory_bank.engines.client.client import ModelClient, ModelReply, Request, retry_of
from memory_bank.engines.client.structured_output import parse_reply
from memory_bank.engines.llm.consultation import CORRECTION, Consultation
from memory_bank.engines.llm.grounding_check import GROUNDING_CHECK, try_to_check
from memory_bank.engines.llm.working_memory import MIN_STEP_ROOM, WindowBudget, WorkingMemory
from memory_bank.engines.step.prompt import (
    ANSWER_NOW,
    FRAME_TOKENS,
    TOOL_CALL,
    opening_messages,
    sent_tokens,
    to_openai_messages,
    with_image,
)
from memory_bank.engines.step.reading import EndReason, read_step, verdict_result
from memory_bank.engines.step.tool_calls import MAX_QUERY_CHARACTERS, EarlierResults, run_tools, specifications
from memory_bank.judgement.conflict_relevance import SOMEWHAT
from memory_bank.judgement.grounding import Grounding
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.same_dispute import reuse_verdict
from memory_bank.search.embedding import Embedder
from memory_bank.text.iteration import Returning
from memory_bank.text.sentences import sentences
from memory_bank.text.shortening import shorten
from memory_bank.text.wording import Wording, one_line

ANSWER_NOW_SHARE = 0.9
"""Share of the context limit from which the model is told to answer now."""
STREAM_BATCH_CHARACTERS = 160
"""Characters of streamed text per event."""
MOST_OTHERS = 5
"""Other conflicts that a verification may settle too."""
_CALL = "search_1"
_ANSWERED = re.compile(r"<answer[^>]*>\s*[^<\s].*?</answer>", re.DOTALL | re.IGNORECASE)
_SOME_RESULTS = EarlierResults((Message(role="tool", content=""),))
"""Stands for any results when the size of the opening is measured."""


class TaggedCall(BaseModel):
    """A tool call written as text."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class _Step:
    """What stays the same during one step. `lost_requests` failed before and count against the limit."""

    prompt: EnhancedPrompt
    tools: Tools
    language: Language
    lost_requests: int


class ModelFramework:
    """The ReAct agent on a language model. It is given images by setting, or by default if the model is OpenAI's."""

    remote = True  # the model is asked over HTTP

    def __init__(self, client: ModelClient, settings: Settings, embedder: Embedder, judge: PairJudge) -> None:
        self._client, self.choice = client, client.choice
        images = settings.react.images
        self.sees = images == "yes" or (images == "auto" and self.choice.provider == "openai")
        self._settings = settings
        self._embedder = embedder
        self._grounding = Grounding(embedder, judge)

    def act(
        self,
        prompt: EnhancedPrompt,
        tools: Tools,
        turns: Sequence[StepTurn] = (),
        failed: AgentError | None = None,
        lost: int = 0,
    ) -> Generator[Progress, None, StepResult]:
        """Carry out the current task turn by turn. `AgentError` when it cannot be done."""
        language = prompt_language(prompt.insight_doc.task_goal)
        if prompt.conflict is not None:
            if not turns:
                known = reuse_verdict(prompt.conflict, tools.conflicts(), self._grounding.judge)
                if known is not None:
                    return verdict_result(known)
                searched = search_both(prompt.conflict, tools, self._embedder.count_tokens)
                yield searched
                turns = (searched,)
            prompt = with_others(prompt, turns[0], tools, self._embedder)
        step = _Step(prompt, tools, language, lost)
        memory = WorkingMemory(prompt, self._bounds(step), self._embedder, turns)
        limit: EndReason | None = None
        most_requests = self._settings.max_llm_call_per_run
        while _request_count(step, memory) < most_requests and (
            failed is not None or (limit is None and _unanswered(memory))
        ):
            limit = self._limit(step, memory)
            turn = yield from self._turn(step, memory, failed, limit)
            failed = None
            memory.add(turn)
            yield turn
        if limit is None and _unanswered(memory):
            limit = "call_limit"
        return self._read(step, memory, limit or "answer")

    def _read(self, step: _Step, memory: WorkingMemory, ended: EndReason) -> StepResult:
        """The result of the turns. The model is asked once more about the sentences that the pair model leaves open."""
        window, count = self._settings.react.window, self._embedder.count_tokens
        check = Consultation(GROUNDING_CHECK, self._client, window, count, step.language)
        grounding = self._grounding
        if _request_count(step, memory) < self._settings.max_llm_call_per_run:
            with suppress(BudgetError):  # it allows no request beside the turns
                step.tools.may_ask()
                grounding = replace(grounding, second_look=partial(try_to_check, consultation=check))
        messages = [message for turn in memory.turns for message in turn.messages]
        result = read_step(step.prompt, messages, step.tools, grounding, ended)
        return result.model_copy(update={"calls": check.calls, "remarks": (*result.remarks, *check.remarks)})

    def _turn(
        self, step: _Step, memory: WorkingMemory, failed: AgentError | None, limit: EndReason | None
    ) -> Generator[Progress, None, StepTurn]:
        """One request and the tools it calls. At a limit no tool is offered or run: the reply is the answer."""
        added = self._correction(step, memory, failed)
        if limit is not None:
            added += (Message(role="user", content=ANSWER_NOW[step.language]),)
        native, has_image = self._client.native_tools, step.prompt.image is not None
        tools = (
            specifications(step.tools, memory.results, step.language)
            if native and limit is None and not has_image
            else ()
        )
        answered = yield from _batched(self._client.ask(self._request(step, memory, added, tools, failed)))
        if (
            native and not self._client.native_tools
        ):  # the server just rejected the parameter, so the model has not seen the tools
            try:
                turn = yield from self._turn(step, memory, failed, limit)
            except AgentError as error:
                error.calls = (*answered.calls, *error.calls)
                raise
            return turn.model_copy(update={"calls": (*answered.calls, *turn.calls)})
        # In a step that reads an image, a tool call may be text of the image.
        calls, observations = ((), ()) if has_image else _tool_calls(answered, limit)
        reply = Message(role="assistant", content=answered.text, reasoning=answered.reasoning, tool_calls=calls)
        count, parallel = self._embedder.count_tokens, self._settings.parallel_calls
        results = run_tools(calls, step.tools, count, parallel, memory.results)
        messages = (*added, reply, *observations, *results)
        return StepTurn(messages=messages, calls=answered.calls, remarks=memory.remarks)

    def _request(
        self,
        step: _Step,
        memory: WorkingMemory,
        added: Sequence[Message],
        tools: tuple[dict[str, Any], ...],
        failed: AgentError | None,
    ) -> Request[BaseModel]:
        """The request to send: the opening, the turns as they fit, and the added messages.

        `ModelRequestError` when the opening alone leaves no room to work in.
        """
        bounds, native, results = memory.bounds, self._client.native_tools, memory.results
        if bounds.room < MIN_STEP_ROOM:
            reason = Wording(
                "the task and its memory take {number} of the {tokens} tokens of REACT_WINDOW: raise it, or lower "
                "MEMORY_TOKENS",
                number=bounds.window - bounds.room,
                tokens=bounds.window,
            )
            raise ModelRequestError(REACT, reason)
        messages = _opening(step, memory.earlier, results, native=native)
        messages += to_openai_messages((*memory.messages, *added), native=native, after=len(results.marked))
        return Request(REACT, with_image(messages, step.prompt.image), tools=tools, stream=True, retry=retry_of(failed))

    def _bounds(self, step: _Step) -> WindowBudget:
        """How the window is divided; valid for both ways to offer tools."""
        opening_tokens = 0
        for native in (True, False):
            messages = _opening(step, " ", _SOME_RESULTS, native=native)
            tools = (
                specifications(step.tools, _SOME_RESULTS, step.language) if native and step.prompt.image is None else ()
            )
            opening_tokens = max(opening_tokens, sent_tokens(messages, tools, self._embedder.count_tokens))
        window = self._settings.react.window
        return WindowBudget(window, window - opening_tokens)

    def _limit(self, step: _Step, memory: WorkingMemory) -> EndReason | None:
        """The limit that is so near that the model must answer now; None where there is none."""
        if _request_count(step, memory) >= self._settings.max_llm_call_per_run - 1:
            return "call_limit"
        tokens = memory.bounds.window - memory.bounds.room + memory.tokens
        return "token_limit" if tokens >= ANSWER_NOW_SHARE * self._settings.max_context_tokens else None

    def _correction(self, step: _Step, memory: WorkingMemory, failed: AgentError | None) -> tuple[Message, ...]:
        """What was wrong with an unusable answer; the answer first, unless the turns hold it or there is no room."""
        if not isinstance(failed, InvalidOutputError):
            return ()
        count = self._embedder.count_tokens
        room = memory.bounds.reserve - count(ANSWER_NOW[step.language]) - 3 * FRAME_TOKENS
        text = shorten(CORRECTION[step.language].format(reason=failed.reason), room, count)
        correction = (Message(role="user", content=text),)
        in_turns = memory.turns[-1].messages[-1].role == "assistant" if memory.turns else False
        if failed.said and not in_turns and count(failed.said) <= room - count(text):
            return (Message(role="assistant", content=failed.said), *correction)
        return correction


def search_both(conflict: Conflict, tools: Tools, count_tokens: Callable[[str], int]) -> StepTurn:
    """The first turn of a verification, which code takes: a search for both claims, each passage once."""
    queries = list(dict.fromkeys(one_line(claim.text)[:MAX_QUERY_CHARACTERS] for claim in conflict.claims))
    calls = [ToolCall(name=SEARCH, arguments={"query": query}, id=_CALL) for query in queries]
    results = {(result.source, result.content): result for result in run_tools(calls, tools, count_tokens, 1)}
    call = ToolCall(name=SEARCH, arguments={"query": " / ".join(queries)}, id=_CALL)
    return StepTurn(messages=(Message(role="assistant", content="", tool_calls=(call,)), *results.values()))


def with_others(prompt: EnhancedPrompt, searched: StepTurn, tools: Tools, embedder: Embedder) -> EnhancedPrompt:
    """The prompt of a verification with the other open conflicts that the passages of its first search bear on.

    Those that share a claim with its conflict come first.
    """
    contents = [message.content for message in searched.messages if message.is_material]
    texts = [span.of(content) for content in contents for span in sentences(content)]
    conflict = prompt.conflict
    waiting = [each for each in tools.conflicts() if each.verdict is None and (not conflict or each.id != conflict.id)]
    if not waiting or not texts:
        return prompt
    claims = embedder.embed([claim.text for each in waiting for claim in each.claims])
    nearest = (claims @ embedder.embed(texts).T).max(axis=1).reshape(len(waiting), -1).max(axis=1)
    own = {claim.id for claim in conflict.parties} if conflict else set[str]()
    nearest[[not own.isdisjoint(claim.id for claim in each.parties) for each in waiting]] = 1
    nearest_first = [waiting[n] for n in np.argsort(-nearest, kind="stable") if nearest[n] >= SOMEWHAT]
    others = nearest_first[:MOST_OTHERS]
    if not others:
        return prompt
    lines: list[str] = []
    for other in others:
        lines.append(f"[{other.id}]")
        # A verdict holds of all claims of a side, also of one that joined it for being alike: so all of them are shown.
        for side, claims in zip(SIDES, other.sides, strict=True):
            lines += [f"{side} ({claim.source}): {one_line(claim.text)}" for claim in claims]
    block = "\n".join(lines)
    text = f"{prompt.text}\n<conflicts>\n{escape(block)}\n</conflicts>"
    return prompt.model_copy(update={"others": tuple(others), "text": text})


def _opening(step: _Step, earlier: str, results: EarlierResults, *, native: bool) -> list[dict[str, Any]]:
    """The instructions and the task, as they are sent."""
    opening = opening_messages(step.prompt, step.tools, step.language, native=native, earlier=earlier, results=results)
    return to_openai_messages(opening, native=native)


def _request_count(step: _Step, memory: WorkingMemory) -> int:
    return step.lost_requests + sum(len(turn.calls) for turn in memory.turns)


def _unanswered(memory: WorkingMemory) -> bool:
    """Whether the last turn called tools, or there was none."""
    return not memory.turns or memory.turns[-1].messages[-1].role != "assistant"


def _batched(stream: Generator[str, None, ModelReply[BaseModel]]) -> Generator[str, None, ModelReply[BaseModel]]:
    """Batch streamed text into pieces of about `STREAM_BATCH_CHARACTERS` characters."""
    pieces, buffer = Returning(stream), ""
    for piece in pieces:
        buffer += piece
        if len(buffer) >= STREAM_BATCH_CHARACTERS:
            yield buffer
            buffer = ""
    if buffer:
        yield buffer
    return pieces.result


def _tool_calls(
    answered: ModelReply[BaseModel], limit: EndReason | None
) -> tuple[tuple[ToolCall, ...], tuple[Message, ...]]:
    """The tool calls of a reply, native or as tags, and an observation for each tag that could not be read."""
    tags = list(TOOL_CALL.finditer(answered.text))
    last_tag_end = tags[-1].end() if tags else 0
    if limit is not None or (not answered.tool_calls and _ANSWERED.search(answered.text, last_tag_end)):
        return (), ()
    calls, observations = list(answered.tool_calls), []
    for tag in tags:
        try:
            call = parse_reply(tag[1], TaggedCall)
        except ValueError as error:
            text = f"The tool call could not be read: {error}. Write name and arguments as one JSON object."
            observations.append(Message(role="tool", content=text, from_memory=True))
        else:
            calls.append(ToolCall(name=call.name, arguments=call.arguments))
    return tuple(calls), tuple(observations)
