"""The client of language models, over the `openai` package: one request in, one checked reply out.

A parameter that a server rejects (JSON schema, streamed usage, temperature) is remembered and not sent again. Retries
are left to the caller, who records them; the only second request here is one without the rejected parameter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import httpx2
from pydantic import BaseModel

from memory_bank.bank.errors import AgentError, InvalidOutputError, ModelUnavailableError
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.message import ToolCall
from memory_bank.bank.settings import Settings
from memory_bank.bank.usage import ModelCall, Retry
from memory_bank.engines.client.endpoint import Endpoint, endpoint_of
from memory_bank.engines.client.faults import BACK_OFF, Secrets, rejected_parameter, takes_json_object, to_agent_error
from memory_bank.engines.client.prices import cost_usd
from memory_bank.engines.client.structured_output import json_object, parse_reply, schema_of, split_reasoning
from memory_bank.text.iteration import Returning
from memory_bank.text.wording import Wording, one_line

Reply = TypeVar("Reply", bound=BaseModel)
CHARACTERS_PER_TOKEN = 40
"""Far more than any text has: an answer longer than this times its token limit does not end, and is cut."""
_OPTIONAL = ("response_format", "stream_options", "temperature", "top_p", "tools", "max_tokens")
"""Parameters that a server may reject; a request still works without them."""


@dataclass(frozen=True)
class Request(Generic[Reply]):
    """A request to a model. `reply_type` is the type of the answer, None for free text.

    `messages` and `tools` are in OpenAI's format. `stream` asks for the text as it is generated.
    """

    agent: str
    messages: Sequence[Mapping[str, Any]]
    reply_type: type[Reply] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    stream: bool = False
    retry: Retry = "no"


@dataclass(frozen=True)
class ModelReply(Generic[Reply]):
    """What a model answered: the checked value where a type was asked for, and the text without its reasoning.

    `cut` means that the answer ended at its token limit.
    """

    value: Reply | None
    text: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    calls: tuple[ModelCall, ...]
    cut: bool


@dataclass
class _RawReply:
    """The server's reply, whole or collected from a stream. Servers send anything, so types are checked on reading."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    tool_calls: dict[int, dict[str, str]] = field(default_factory=dict)

    def add_choice(self, choice: Any, part: Literal["message", "delta"]) -> str:  # noqa: ANN401 - unchecked JSON
        """Add an answer or a streamed piece of one; returns its text."""
        message = getattr(choice, part, None)
        text = _text(message, "content")
        self.text += text
        self.reasoning += _text(message, "reasoning_content") or _text(message, "reasoning")
        self.finish_reason = _text(choice, "finish_reason") or self.finish_reason
        for position, call in enumerate(_items(message, "tool_calls")):
            index = getattr(call, "index", None) if part == "delta" else None
            self._add_tool_call(index if isinstance(index, int) else position, call)
        return text

    def set_usage(self, usage: Any) -> None:  # noqa: ANN401 - likewise
        """Take the server's own token counts; the last ones count."""
        if usage is not None:
            self.prompt_tokens = _count(usage, "prompt_tokens")
            self.completion_tokens = _count(usage, "completion_tokens")
            details = getattr(usage, "prompt_tokens_details", None)
            self.cached_tokens = _count(details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens")

    def estimate_usage(self, messages: Sequence[Mapping[str, Any]], count_tokens: Callable[[str], int]) -> None:
        """Count the tokens where the server did not: budgets must hold there too."""
        self.estimated = not (self.prompt_tokens or self.completion_tokens)
        if self.estimated:
            self.prompt_tokens = sum(count_tokens(str(message.get("content") or "")) for message in messages)
            self.completion_tokens = count_tokens(f"{self.reasoning}{self.text}")

    def _add_tool_call(self, index: int, call: Any) -> None:  # noqa: ANN401 - likewise
        call_id = _text(call, "id")
        while call_id and self.tool_calls.get(index, {}).get("id") not in (None, "", call_id):
            index += 1  # some servers give every call the same index
        parts = self.tool_calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        parts["id"] = call_id or parts["id"]
        function = getattr(call, "function", None)
        parts["name"] += _text(function, "name")
        parts["arguments"] += _text(function, "arguments")


def _text(holder: Any, name: str) -> str:  # noqa: ANN401 - likewise
    """A text attribute of what a server sent; lone surrogates, which JSON may carry, are replaced."""
    value = getattr(holder, name, None)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _count(holder: Any, name: str) -> int:  # noqa: ANN401 - likewise
    value = getattr(holder, name, None)
    return max(value, 0) if isinstance(value, int) else 0


def _items(holder: Any, name: str) -> list[Any]:  # noqa: ANN401 - likewise
    value = getattr(holder, name, None)
    return value if isinstance(value, list) else []


class ModelClient:
    """Asks one model of one server. Safe to use from several threads.

    `unknown` are the parameters that the server is known to reject; newly rejected ones are added to it.
    `count_tokens` is used where the server does not count tokens itself.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        count_tokens: Callable[[str], int],
        transport: httpx2.BaseTransport | None = None,
        elapsed: Callable[[], float] = time.perf_counter,
        unknown: set[str] | None = None,
    ) -> None:
        import openai  # noqa: PLC0415 - the import takes a second: only runs that ask a model pay for it

        self.endpoint = endpoint
        self._elapsed = elapsed
        self._secrets = Secrets.of(endpoint)
        self._unknown = set() if unknown is None else unknown
        self._count_tokens = count_tokens
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
                limits=httpx2.Limits(max_keepalive_connections=0),  # no connection to close or to go stale
                event_hooks={"request": [_remove_account_headers] if endpoint.provider != "openai" else []},
            ),
        )

    @property
    def choice(self) -> EngineChoice:
        """Provider and model, for the record."""
        return EngineChoice(provider=self.endpoint.provider, model=self.endpoint.model_name)

    @property
    def native_tools(self) -> bool:
        """Whether tools go into the request: by setting, until the server rejects them."""
        return self.endpoint.native_tools and "tools" not in self._unknown

    def ask(self, request: Request[Reply]) -> Generator[str, None, ModelReply[Reply]]:
        """Ask, yielding text as it comes where the request streams, and return the answer.

        `ModelUnavailableError` where trying again later may help, `ModelRefusedError` where a person must change a
        setting, `InvalidOutputError` where the answer is not of the type asked for. No error text holds a key.
        """
        import openai  # noqa: PLC0415

        calls: tuple[ModelCall, ...] = ()
        while True:
            parameters = self._parameters(request)
            started = self._elapsed()
            raw = _RawReply()
            try:
                yield from self._send(parameters, raw)
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                if raw.text or raw.reasoning:  # the stream broke off; what came is paid for
                    raw.estimate_usage(parameters["messages"], self._count_tokens)
                error_text = self._secrets.redact(one_line(str(error)))[:300]
                calls = (*calls, self._call(raw, started, request, calls, error_text))
                rejected = rejected_parameter(error, [name for name in _OPTIONAL if name in parameters])
                if rejected is None:
                    raise to_agent_error(error, request.agent, self.endpoint, self._secrets, calls) from None
                if rejected == "response_format" and "json_schema" in parameters[rejected] and takes_json_object(error):
                    rejected = "json_schema"
                self._unknown.add(rejected)
                continue
            raw.estimate_usage(parameters["messages"], self._count_tokens)
            return self._answered(request, raw, (*calls, self._call(raw, started, request, calls)))

    def check(self) -> str:
        """Make a small request and return the name of the model. Raises like `ask`."""
        request: Request[BaseModel] = Request("connection", [{"role": "user", "content": "Say: ready"}])
        ask_to_end(self.ask(request))
        return self.endpoint.model_name

    # -- one request -----------------------------------------------------------------------------------------

    def _parameters(self, request: Request[Reply]) -> dict[str, Any]:
        endpoint = self.endpoint
        parameters: dict[str, Any] = {
            "model": endpoint.model,
            "messages": list(request.messages),
            "temperature": endpoint.temperature,
            "top_p": endpoint.top_p,
            "max_tokens": endpoint.max_tokens,
        }
        if request.reply_type is not None:
            schema = schema_of(request.reply_type)
            parameters["response_format"] = (
                {"type": "json_object", "schema": schema}
                if "json_schema" in self._unknown
                else {"type": "json_schema", "json_schema": {"name": request.agent, "strict": True, "schema": schema}}
            )
        if request.tools:
            parameters["tools"] = list(request.tools)
        if request.stream:
            parameters |= {"stream": True, "stream_options": {"include_usage": True}}
        accepted = {name: value for name, value in parameters.items() if name not in self._unknown}
        if "max_tokens" in self._unknown:  # the newer name of the same
            accepted["max_completion_tokens"] = endpoint.max_tokens
        if request.reply_type is not None and self._unknown & {"json_schema", "response_format"}:
            accepted["messages"] = _with_schema(accepted["messages"], request.reply_type)
        return accepted

    def _send(self, parameters: dict[str, Any], raw: _RawReply) -> Iterator[str]:
        if parameters.get("stream"):
            yield from self._secrets.redact_stream(self._stream(parameters, raw))
            return
        reply = self._client.chat.completions.create(**parameters)
        raw.set_usage(getattr(reply, "usage", None))
        choices = _items(reply, "choices")
        if not choices:
            raise ValueError("it holds no choices")
        raw.add_choice(choices[0], "message")

    def _stream(self, parameters: dict[str, Any], raw: _RawReply) -> Iterator[str]:
        with self._client.chat.completions.create(**parameters) as chunks:
            for chunk in chunks:
                raw.set_usage(getattr(chunk, "usage", None))
                for choice in _items(chunk, "choices")[:1]:
                    yield raw.add_choice(choice, "delta")
                if len(raw.text) + len(raw.reasoning) > CHARACTERS_PER_TOKEN * self.endpoint.max_tokens:
                    raw.finish_reason = "length"  # the server ignores the limit
                    break
        if not raw.finish_reason:
            raise ValueError("it broke off")

    def _call(
        self,
        raw: _RawReply,
        started: float,
        request: Request[Reply],
        earlier: tuple[ModelCall, ...],
        error: str | None = None,
    ) -> ModelCall:
        return ModelCall(
            provider=self.endpoint.provider,
            model=self.endpoint.model_name,
            prompt_tokens=raw.prompt_tokens,
            completion_tokens=raw.completion_tokens,
            cached_tokens=raw.cached_tokens,
            estimated=raw.estimated,
            milliseconds=round((self._elapsed() - started) * 1000),
            cost_usd=cost_usd(self.endpoint.model, raw.prompt_tokens, raw.completion_tokens),
            retry="parameter" if earlier else request.retry,
            error=error,
        )

    # -- the reply ---------------------------------------------------------------------------------------------

    def _answered(self, request: Request[Reply], raw: _RawReply, calls: tuple[ModelCall, ...]) -> ModelReply[Reply]:
        text, inline_reasoning = split_reasoning(self._secrets.redact(raw.text))
        reasoning = "\n".join(part for part in (self._secrets.redact(raw.reasoning), inline_reasoning) if part)
        cut = raw.finish_reason == "length"
        if not text.strip() and not raw.tool_calls:
            reason = (
                Wording(
                    "the model's answer was empty: the limit of its tokens was reached before it began (LLM_MAX_TOKENS)"
                )
                if cut
                else Wording("the model's answer was empty")
            )
            raise ModelUnavailableError(request.agent, reason, said=reasoning, calls=calls, wait=BACK_OFF)
        tool_calls = self._tool_calls(request, raw, calls)
        value = None
        if request.reply_type is not None:
            try:
                value = parse_reply(text, request.reply_type)
            except ValueError as error:
                raise InvalidOutputError(request.agent, str(error), said=text, calls=calls) from None
        return ModelReply(value, text, reasoning, tool_calls, calls, cut=cut)

    def _tool_calls(
        self, request: Request[Reply], raw: _RawReply, calls: tuple[ModelCall, ...]
    ) -> tuple[ToolCall, ...]:
        tool_calls = []
        for _index, raw_call in sorted(raw.tool_calls.items()):
            call = {name: self._secrets.redact(value) for name, value in raw_call.items()}
            try:
                arguments = json_object(call["arguments"] or "{}")
            except ValueError:
                reason = Wording("the arguments of the tool {tool} are no JSON object", tool=repr(call["name"][:60]))
                answer = f"{call['name']}({call['arguments'][:500]})"
                raise InvalidOutputError(request.agent, reason, said=answer, calls=calls) from None
            tool_calls.append(ToolCall(name=call["name"], arguments=arguments, id=call["id"]))
        return tuple(tool_calls)


def retry_of(failed: AgentError | None) -> Retry:
    """The reason recorded for a retry after this failure."""
    if failed is None:
        return "no"
    return "correction" if isinstance(failed, InvalidOutputError) else "transient"


def ask_to_end(stream: Generator[str, None, ModelReply[Reply]]) -> ModelReply[Reply]:
    """Run `ModelClient.ask` to its end and return the answer, for callers that ignore the stream."""
    pieces = Returning(stream)
    for _piece in pieces:
        pass
    return pieces.result


def _remove_account_headers(request: httpx2.Request) -> None:
    """Keep the environment's OpenAI account, which the `openai` package always sends, from other providers."""
    for header in ("openai-organization", "openai-project"):
        request.headers.pop(header, None)


def _with_schema(messages: Sequence[Mapping[str, Any]], reply_type: type[BaseModel]) -> list[Mapping[str, Any]]:
    """The messages with the JSON Schema as text, at the end of the instructions, which a server may cache."""
    schema = json.dumps(schema_of(reply_type))
    instruction = f"Answer with one JSON object and nothing else. Its JSON Schema: {schema}"
    first, *rest = messages
    if first["role"] != "system":
        return [{"role": "system", "content": instruction}, *messages]
    return [{**first, "content": f"{first['content']}\n\n{instruction}"}, *rest]


@dataclass
class ModelClients:
    """The clients of all agents. Parameters that a model of a server rejects are remembered for all of them."""

    settings: Settings
    transport: httpx2.BaseTransport | None
    count_tokens: Callable[[str], int]
    _clients: dict[Endpoint, ModelClient] = field(default_factory=dict, init=False)
    _unknown: dict[tuple[str, str], set[str]] = field(default_factory=dict, init=False)

    def client(self, agent: str) -> ModelClient:
        """The client for an agent. `SettingsError` names what is missing."""
        endpoint = endpoint_of(self.settings, agent)
        if endpoint not in self._clients:
            unknown = self._unknown.setdefault((endpoint.base_url, endpoint.model), set())
            self._clients[endpoint] = ModelClient(
                endpoint, count_tokens=self.count_tokens, transport=self.transport, unknown=unknown
            )
        return self._clients[endpoint]
