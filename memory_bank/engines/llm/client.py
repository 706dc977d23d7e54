"""The one client of language models: one request in, one checked reply out, over the `openai` package.

What a server does not know (a JSON schema, streamed usage, a temperature) is found out once and remembered. Retries
are not made here but by whoever records them; the only second request here is one without the parameter at fault.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx2
import openai
from pydantic import BaseModel

from memory_bank.bank.message import ToolCall
from memory_bank.bank.usage import ModelCall
from memory_bank.engines.llm.endpoint import Endpoint, endpoint_of
from memory_bank.engines.llm.faults import Secrets, fault, rejected_parameter
from memory_bank.engines.llm.prices import cost_usd
from memory_bank.engines.llm.structured_output import parse_reply, schema_of, split_reasoning
from memory_bank.errors import InvalidOutputError, ModelUnavailableError
from memory_bank.events import EngineChoice
from memory_bank.settings import Settings

Reply = TypeVar("Reply", bound=BaseModel)
_OPTIONAL = ("response_format", "stream_options", "temperature", "top_p", "tools", "max_tokens")
"""Parameters that a server may not know; a request is still worth making without them."""


@dataclass(frozen=True)
class Request(Generic[Reply]):
    """What a model is asked. `reply_type` is the shape of the answer, None for free text.

    `messages` and `tools` are in OpenAI's format. `stream` asks for the text as it comes.
    """

    agent: str
    messages: Sequence[Mapping[str, Any]]
    reply_type: type[Reply] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    stream: bool = False
    correcting: bool = False


@dataclass(frozen=True)
class Answered(Generic[Reply]):
    """What a model answered: the checked value where a shape was asked for, and the text without its reasoning.

    `cut` tells that the answer ended at the limit of its tokens.
    """

    value: Reply | None
    text: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    calls: tuple[ModelCall, ...]
    cut: bool


@dataclass
class _Heard:
    """What came back over the wire, whole or piece by piece."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tools: dict[int, dict[str, str]] = field(default_factory=dict)

    def usage(self, usage: Any) -> None:  # noqa: ANN401 - servers send what they like
        """The server's own count."""
        self.prompt_tokens = getattr(usage, "prompt_tokens", 0) or 0
        self.completion_tokens = getattr(usage, "completion_tokens", 0) or 0

    def tool(self, index: int, call: Any) -> None:  # noqa: ANN401 - likewise
        """A tool call or a piece of one."""
        known = self.tools.setdefault(index, {"id": "", "name": "", "arguments": ""})
        known["id"] = getattr(call, "id", None) or known["id"]
        function = getattr(call, "function", None)
        known["name"] += getattr(function, "name", None) or ""
        known["arguments"] += getattr(function, "arguments", None) or ""


class ModelClient:
    """Speaks to one model of one server. Safe to use from several threads."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        transport: httpx2.BaseTransport | None = None,
        elapsed: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.endpoint = endpoint
        self._elapsed = elapsed
        self._secrets = Secrets.of(endpoint)
        self._lock = threading.Lock()
        self._unknown: set[str] = set()  # parameters that this server turned down
        self._client = openai.OpenAI(
            api_key=endpoint.api_key.get_secret_value() or "none",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=httpx2.Client(
                transport=transport, timeout=httpx2.Timeout(endpoint.timeout, connect=10.0), follow_redirects=False
            ),
        )

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return EngineChoice(provider=self.endpoint.provider, model=self.endpoint.model)

    def ask(self, request: Request[Reply]) -> Generator[str, None, Answered[Reply]]:
        """Ask, yielding text as it comes where the request streams, and return what was answered.

        `ModelUnavailableError` where trying again later may help, `ModelRefusedError` where a person must change a
        setting, `InvalidOutputError` where the model answered with something else. No error text holds a key.
        """
        calls: tuple[ModelCall, ...] = ()
        while True:
            parameters = self._parameters(request)
            started = self._elapsed()
            heard = _Heard()
            try:
                yield from self._send(parameters, heard)
            except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
                failed = self._call(heard, started, request, calls, self._secrets.redact(str(error))[:300])
                calls = (*calls, failed)
                rejected = rejected_parameter(error, [name for name in _OPTIONAL if name in parameters])
                if rejected is None:
                    raise fault(error, request.agent, self.endpoint, self._secrets, calls) from None
                with self._lock:
                    self._unknown.add(rejected)
                continue
            return self._answered(request, heard, (*calls, self._call(heard, started, request, calls)))

    def check(self) -> str:
        """Make the smallest possible request and return what the server says its model is. Errors as of `ask`."""
        request: Request[BaseModel] = Request("connection", [{"role": "user", "content": "Say: ready"}])
        finish(self.ask(request))
        return self.endpoint.model

    # -- one request -----------------------------------------------------------------------------------------

    def _parameters(self, request: Request[Reply]) -> dict[str, Any]:
        end = self.endpoint
        parameters: dict[str, Any] = {
            "model": end.model,
            "messages": list(request.messages),
            "temperature": end.temperature,
            "top_p": end.top_p,
            "max_tokens": end.max_tokens,
        }
        if request.reply_type is not None:
            schema = {"name": request.agent, "strict": True, "schema": schema_of(request.reply_type)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.tools:
            parameters["tools"] = list(request.tools)
        if request.stream:
            parameters |= {"stream": True, "stream_options": {"include_usage": True}}
        known = {name: value for name, value in parameters.items() if name not in self._unknown}
        if "max_tokens" in self._unknown:  # the newer name of the same
            known["max_completion_tokens"] = end.max_tokens
        if request.reply_type is not None and "response_format" in self._unknown:
            known["messages"] = [*known["messages"], {"role": "user", "content": _shape(request.reply_type)}]
        return known

    def _send(self, parameters: dict[str, Any], heard: _Heard) -> Generator[str, None, None]:
        completions = self._client.chat.completions
        if not parameters.get("stream"):
            reply = completions.create(**parameters)
            if not getattr(reply, "choices", None):
                raise ValueError("the server's answer holds no choices")
            message = reply.choices[0].message
            heard.text = message.content or ""
            heard.reasoning = getattr(message, "reasoning_content", None) or ""
            heard.finish = reply.choices[0].finish_reason or ""
            for index, call in enumerate(message.tool_calls or ()):
                heard.tool(index, call)
            heard.usage(reply.usage)
            return
        with completions.create(**parameters) as chunks:
            for chunk in chunks:
                if chunk.usage is not None:
                    heard.usage(chunk.usage)
                for choice in chunk.choices[:1]:
                    heard.finish = choice.finish_reason or heard.finish
                    heard.reasoning += getattr(choice.delta, "reasoning_content", None) or ""
                    for call in choice.delta.tool_calls or ():
                        heard.tool(call.index or 0, call)
                    if choice.delta.content:
                        heard.text += choice.delta.content
                        yield self._secrets.redact(choice.delta.content)

    def _call(
        self,
        heard: _Heard,
        started: float,
        request: Request[Reply],
        before: tuple[ModelCall, ...],
        error: str | None = None,
    ) -> ModelCall:
        end = self.endpoint
        retry = "parameter" if before else "correction" if request.correcting else "no"
        return ModelCall(
            provider=end.provider,
            model=end.model,
            prompt_tokens=heard.prompt_tokens,
            completion_tokens=heard.completion_tokens,
            milliseconds=round((self._elapsed() - started) * 1000),
            cost_usd=cost_usd(end.model, heard.prompt_tokens, heard.completion_tokens),
            retry=retry,
            error=error,
        )

    # -- what came back --------------------------------------------------------------------------------------

    def _answered(self, request: Request[Reply], heard: _Heard, calls: tuple[ModelCall, ...]) -> Answered[Reply]:
        text, thought = split_reasoning(self._secrets.redact(heard.text))
        reasoning = "\n".join(part for part in (self._secrets.redact(heard.reasoning), thought) if part)
        tool_calls = self._tool_calls(request, heard, calls)
        if not text.strip() and not tool_calls:
            raise ModelUnavailableError(request.agent, "the model's answer was empty", said=reasoning, calls=calls)
        value = None
        if request.reply_type is not None:
            try:
                value = parse_reply(text, request.reply_type)
            except ValueError as error:
                raise InvalidOutputError(request.agent, str(error), said=text, calls=calls) from None
        return Answered(value, text, reasoning, tool_calls, calls, cut=heard.finish == "length")

    def _tool_calls(
        self, request: Request[Reply], heard: _Heard, calls: tuple[ModelCall, ...]
    ) -> tuple[ToolCall, ...]:
        found = []
        for _index, call in sorted(heard.tools.items()):
            try:
                arguments = json.loads(self._secrets.redact(call["arguments"]) or "{}")
            except ValueError:
                arguments = None
            if not isinstance(arguments, dict):
                said = f"{call['name']}({call['arguments'][:500]})"
                reason = f"the arguments of the tool {call['name'][:60]!r} are no JSON object"
                raise InvalidOutputError(request.agent, reason, said=self._secrets.redact(said), calls=calls)
            found.append(ToolCall(name=call["name"], arguments=arguments, id=call["id"]))
        return tuple(found)


def finish(answering: Generator[str, None, Answered[Reply]]) -> Answered[Reply]:
    """What `ModelClient.ask` returns, for whoever does not care to see it come."""
    while True:
        try:
            next(answering)
        except StopIteration as ended:
            answered: Answered[Reply] = ended.value
            return answered


def _shape(reply_type: type[BaseModel]) -> str:
    """The request for a shape in words, for a server that takes no schema."""
    return f"Answer with one JSON object and nothing else. Its JSON Schema: {json.dumps(schema_of(reply_type))}"


class ModelClients:
    """The clients of the settings' agents: those of one server and one model share what was found out about it."""

    def __init__(self, settings: Settings, transport: httpx2.BaseTransport | None = None) -> None:
        self._settings = settings
        self._transport = transport
        self._clients: dict[Endpoint, ModelClient] = {}

    def client(self, agent: str) -> ModelClient:
        """The client for an agent. `SettingsError` names what is missing."""
        endpoint = endpoint_of(self._settings, agent)
        if endpoint not in self._clients:
            self._clients[endpoint] = ModelClient(endpoint, transport=self._transport)
        return self._clients[endpoint]
