"""The one client of language models: one request in, one checked reply out, over the `openai` package.

What a server does not know (a JSON schema, streamed usage, a temperature) is found out once and remembered. Retries
are not made here but by whoever records them; the only second request here is one without the parameter at fault.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import httpx2
from pydantic import BaseModel

from memory_bank.bank.message import ToolCall
from memory_bank.bank.usage import ModelCall, Retry
from memory_bank.engines.llm.endpoint import Endpoint, endpoint_of
from memory_bank.engines.llm.faults import (
    BACK_OFF,
    RedactedStream,
    Secrets,
    fault,
    rejected_parameter,
    takes_json_object,
)
from memory_bank.engines.llm.prices import cost_usd
from memory_bank.engines.llm.structured_output import json_object, parse_reply, schema_of, split_reasoning
from memory_bank.errors import AgentError, InvalidOutputError, ModelUnavailableError
from memory_bank.events import EngineChoice
from memory_bank.modules.returning import Returning
from memory_bank.one_line import one_line
from memory_bank.settings import Settings

Reply = TypeVar("Reply", bound=BaseModel)
CHARACTERS_PER_TOKEN = 40
"""Far more than any text has: an answer longer than that by the limit of its tokens has no end."""
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
    retry: Retry = "no"


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
    """What came back over the wire, whole or piece by piece. Servers send what they like: nothing has its type yet."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    tools: dict[int, dict[str, str]] = field(default_factory=dict)

    def choice(self, choice: Any, part: Literal["message", "delta"]) -> str:  # noqa: ANN401 - whatever was sent
        """An answer or a piece of one; returns its text."""
        said = getattr(choice, part, None)
        text = _text(said, "content")
        self.text += text
        self.reasoning += _text(said, "reasoning_content") or _text(said, "reasoning")
        self.finish = _text(choice, "finish_reason") or self.finish
        for place, call in enumerate(_items(said, "tool_calls")):
            index = getattr(call, "index", None) if part == "delta" else None
            self._tool(index if isinstance(index, int) else place, call)
        return text

    def usage(self, usage: Any) -> None:  # noqa: ANN401 - likewise
        """The server's own count; the last one holds."""
        if usage is not None:
            self.prompt_tokens = _count(usage, "prompt_tokens")
            self.completion_tokens = _count(usage, "completion_tokens")

    def estimate(self, messages: Sequence[Mapping[str, Any]], count_tokens: Callable[[str], int]) -> None:
        """Count what a server did not: a budget must hold with it too."""
        self.estimated = not (self.prompt_tokens or self.completion_tokens)
        if self.estimated:
            self.prompt_tokens = sum(count_tokens(str(message.get("content") or "")) for message in messages)
            self.completion_tokens = count_tokens(f"{self.reasoning}{self.text}")

    def _tool(self, index: int, call: Any) -> None:  # noqa: ANN401 - likewise
        found = _text(call, "id")
        while found and self.tools.get(index, {}).get("id") not in (None, "", found):
            index += 1  # some servers give every call the same place
        known = self.tools.setdefault(index, {"id": "", "name": "", "arguments": ""})
        known["id"] = found or known["id"]
        function = getattr(call, "function", None)
        known["name"] += _text(function, "name")
        known["arguments"] += _text(function, "arguments")


def _text(holder: Any, name: str) -> str:  # noqa: ANN401 - likewise
    """Text in what a server sent, such as a file can hold: JSON may carry halves of characters."""
    value = getattr(holder, name, None)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _count(holder: Any, name: str) -> int:  # noqa: ANN401 - likewise
    value = getattr(holder, name, None)
    return max(value, 0) if isinstance(value, int) else 0


def _items(holder: Any, name: str) -> list[Any]:  # noqa: ANN401 - likewise
    value = getattr(holder, name, None)
    return value if isinstance(value, list) else []


class ModelClient:
    """Speaks to one model of one server. Safe to use from several threads.

    `unknown` are the parameters that the server is known to turn down; what is found out is added to it.
    `count_tokens` stands in where a server does not count tokens itself.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        transport: httpx2.BaseTransport | None = None,
        elapsed: Callable[[], float] = time.perf_counter,
        unknown: set[str] | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        import openai  # noqa: PLC0415 - takes a second, which only those who ask a model wait for

        self.endpoint = endpoint
        self._elapsed = elapsed
        self._secrets = Secrets.of(endpoint)
        self._unknown = set() if unknown is None else unknown
        self._count_tokens = count_tokens or _estimate
        address = httpx2.URL(endpoint.base_url)
        self._client = openai.OpenAI(
            api_key=endpoint.api_key.get_secret_value() or "none",
            base_url=address.copy_with(userinfo=b""),  # the HTTP library logs addresses
            max_retries=0,
            http_client=httpx2.Client(
                transport=transport,
                auth=(address.username, address.password) if address.userinfo else None,
                timeout=httpx2.Timeout(endpoint.timeout, connect=10.0),
                follow_redirects=False,
                limits=httpx2.Limits(max_keepalive_connections=0),  # nothing to close, and none that went stale
                event_hooks={"request": [_without_account] if endpoint.provider != "openai" else []},
            ),
        )

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return EngineChoice(provider=self.endpoint.provider, model=self.endpoint.model_name)

    @property
    def native_tools(self) -> bool:
        """Whether tools go into the request: by setting, until the server turns them down."""
        return self.endpoint.native_tools and "tools" not in self._unknown

    def ask(self, request: Request[Reply]) -> Generator[str, None, Answered[Reply]]:
        """Ask, yielding text as it comes where the request streams, and return what was answered.

        `ModelUnavailableError` where trying again later may help, `ModelRefusedError` where a person must change a
        setting, `InvalidOutputError` where the model answered with something else. No error text holds a key.
        """
        import openai  # noqa: PLC0415

        calls: tuple[ModelCall, ...] = ()
        while True:
            parameters = self._parameters(request)
            started = self._elapsed()
            heard = _Heard()
            try:
                yield from self._send(parameters, heard)
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                if heard.text or heard.reasoning:  # it broke off, and was paid for so far
                    heard.estimate(parameters["messages"], self._count_tokens)
                what = self._secrets.redact(one_line(str(error)))[:300]
                calls = (*calls, self._call(heard, started, request, calls, what))
                rejected = rejected_parameter(error, [name for name in _OPTIONAL if name in parameters])
                if rejected is None:
                    raise fault(error, request.agent, self.endpoint, self._secrets, calls) from None
                if rejected == "response_format" and "json_schema" in parameters[rejected] and takes_json_object(error):
                    rejected = "json_schema"
                self._unknown.add(rejected)
                continue
            heard.estimate(parameters["messages"], self._count_tokens)
            return self._answered(request, heard, (*calls, self._call(heard, started, request, calls)))

    def check(self) -> str:
        """Make a small request, and return the name of the model that was asked. Errors as of `ask`."""
        request: Request[BaseModel] = Request("connection", [{"role": "user", "content": "Say: ready"}])
        finish(self.ask(request))
        return self.endpoint.model_name

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
            parameters["response_format"] = self._response_format(request.agent, request.reply_type)
        if request.tools:
            parameters["tools"] = list(request.tools)
        if request.stream:
            parameters |= {"stream": True, "stream_options": {"include_usage": True}}
        known = {name: value for name, value in parameters.items() if name not in self._unknown}
        if "max_tokens" in self._unknown:  # the newer name of the same
            known["max_completion_tokens"] = end.max_tokens
        if request.reply_type is not None and self._unknown & {"json_schema", "response_format"}:
            known["messages"] = _with_shape(known["messages"], request.reply_type)
        return known

    def _response_format(self, agent: str, reply_type: type[BaseModel]) -> dict[str, Any]:
        """The shape as a JSON Schema; for a server that takes it only beside `json_object`, in that way."""
        schema = schema_of(reply_type)
        if "json_schema" in self._unknown:
            return {"type": "json_object", "schema": schema}
        return {"type": "json_schema", "json_schema": {"name": agent, "strict": True, "schema": schema}}

    def _send(self, parameters: dict[str, Any], heard: _Heard) -> Generator[str, None, None]:
        completions = self._client.chat.completions
        if not parameters.get("stream"):
            reply = completions.create(**parameters)
            heard.usage(getattr(reply, "usage", None))
            for choice in _items(reply, "choices")[:1]:
                heard.choice(choice, "message")
                return
            raise ValueError("it holds no choices")
        shown = RedactedStream(self._secrets)
        with completions.create(**parameters) as chunks:
            for chunk in chunks:
                heard.usage(getattr(chunk, "usage", None))
                for choice in _items(chunk, "choices")[:1]:
                    text = shown.take(heard.choice(choice, "delta"))
                    if text:
                        yield text
                if len(heard.text) + len(heard.reasoning) > CHARACTERS_PER_TOKEN * self.endpoint.max_tokens:
                    heard.finish = "length"  # the server does not keep the limit
                    break
        if not heard.finish:
            raise ValueError("it broke off")
        rest = shown.rest()
        if rest:
            yield rest

    def _call(
        self,
        heard: _Heard,
        started: float,
        request: Request[Reply],
        before: tuple[ModelCall, ...],
        error: str | None = None,
    ) -> ModelCall:
        end = self.endpoint
        retry: Retry = "parameter" if before else request.retry
        return ModelCall(
            provider=end.provider,
            model=end.model_name,
            prompt_tokens=heard.prompt_tokens,
            completion_tokens=heard.completion_tokens,
            estimated=heard.estimated,
            milliseconds=round((self._elapsed() - started) * 1000),
            cost_usd=cost_usd(end.model, heard.prompt_tokens, heard.completion_tokens),
            retry=retry,
            error=error,
        )

    # -- what came back --------------------------------------------------------------------------------------

    def _answered(self, request: Request[Reply], heard: _Heard, calls: tuple[ModelCall, ...]) -> Answered[Reply]:
        text, thought = split_reasoning(self._secrets.redact(heard.text))
        reasoning = "\n".join(part for part in (self._secrets.redact(heard.reasoning), thought) if part)
        cut = heard.finish == "length"
        if not text.strip() and not heard.tools:
            reason = "the model's answer was empty"
            if cut:
                reason += ": the limit of its tokens was reached before it began (LLM_MAX_TOKENS)"
            raise ModelUnavailableError(request.agent, reason, said=reasoning, calls=calls, wait=BACK_OFF)
        tool_calls = self._tool_calls(request, heard, calls)
        value = None
        if request.reply_type is not None:
            try:
                value = parse_reply(text, request.reply_type)
            except ValueError as error:
                raise InvalidOutputError(request.agent, str(error), said=text, calls=calls) from None
        return Answered(value, text, reasoning, tool_calls, calls, cut=cut)

    def _tool_calls(self, request: Request[Reply], heard: _Heard, calls: tuple[ModelCall, ...]) -> tuple[ToolCall, ...]:
        found = []
        for _index, call in sorted(heard.tools.items()):
            known = {name: self._secrets.redact(value) for name, value in call.items()}
            try:
                arguments = json_object(known["arguments"] or "{}")
            except ValueError:
                reason = f"the arguments of the tool {known['name'][:60]!r} are no JSON object"
                said = f"{known['name']}({known['arguments'][:500]})"
                raise InvalidOutputError(request.agent, reason, said=said, calls=calls) from None
            found.append(ToolCall(name=known["name"], arguments=arguments, id=known["id"]))
        return tuple(found)


def retry_of(failed: AgentError | None) -> Retry:
    """Why a request is made once more, after that failure."""
    if failed is None:
        return "no"
    return "correction" if isinstance(failed, InvalidOutputError) else "transient"


def finish(answering: Generator[str, None, Answered[Reply]]) -> Answered[Reply]:
    """What `ModelClient.ask` returns, for whoever does not care to see it come."""
    asked = Returning(answering)
    for _piece in asked:
        pass
    return asked.result


def _without_account(request: httpx2.Request) -> None:
    """The `openai` package puts the environment's OpenAI account into every request; others are not to see it."""
    for header in ("openai-organization", "openai-project"):
        request.headers.pop(header, None)


def _estimate(text: str) -> int:
    """Tokens of a text, where nothing better counts them: four characters each, in Chinese one."""
    return math.ceil(sum(1.0 if character > "\u2e7f" else 0.25 for character in text))


def _with_shape(messages: Sequence[Mapping[str, Any]], reply_type: type[BaseModel]) -> list[Mapping[str, Any]]:
    """The messages with the shape of the answer in words, at the end of the instructions: a server may cache these."""
    schema = json.dumps(schema_of(reply_type))
    told = f"Answer with one JSON object and nothing else. Its JSON Schema: {schema}"
    first, *rest = messages
    if first["role"] != "system":
        return [{"role": "system", "content": told}, *messages]
    return [{**first, "content": f"{first['content']}\n\n{told}"}, *rest]


class ModelClients:
    """The clients of the settings' agents. What is found out about a model of a server holds for all of them."""

    def __init__(
        self,
        settings: Settings,
        transport: httpx2.BaseTransport | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        self._count_tokens = count_tokens
        self._settings = settings
        self._transport = transport
        self._clients: dict[Endpoint, ModelClient] = {}
        self._unknown: dict[tuple[str, str], set[str]] = {}

    def client(self, agent: str) -> ModelClient:
        """The client for an agent. `SettingsError` names what is missing."""
        endpoint = endpoint_of(self._settings, agent)
        if endpoint not in self._clients:
            unknown = self._unknown.setdefault((endpoint.base_url, endpoint.model), set())
            self._clients[endpoint] = ModelClient(
                endpoint, transport=self._transport, unknown=unknown, count_tokens=self._count_tokens
            )
        return self._clients[endpoint]
