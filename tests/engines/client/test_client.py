"""The client: one request in, one checked reply out, whatever parameters and formats the server supports."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier
from typing import Any, Literal

import httpcore2
import httpx2
import pytest
from pydantic import BaseModel

from memory_bank.bank.errors import (
    AgentError,
    InvalidOutputError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.message import ToolCall
from memory_bank.bank.settings import Settings
from memory_bank.bank.usage import ModelCall
from memory_bank.engines.client.client import ModelClient, ModelClients, Request, ask_to_end
from memory_bank.engines.client.structured_output import schema_of
from tests.engines.conftest import (
    ENDPOINT,
    KEY,
    MESSAGES,
    REAL_REQUEST,
    client,
    delta,
    refusal,
    say,
    streamed,
)
from tests.scripted_model import ScriptedModel, ScriptedReply


class Built(BaseModel):
    mill: str
    year: int
    kind: Literal["cotton", "wool"] = "cotton"


BUILT = {"mill": "Beacon Mill", "year": 1848, "kind": "cotton"}
PLAIN: Request[Any] = Request("planning", MESSAGES)
SHAPED: Request[Built] = Request("planning", MESSAGES, Built)
STREAMED: Request[Any] = Request("react", MESSAGES, stream=True)
SEARCH = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}


# -- what is sent and what comes back --------------------------------------------------------------------------------


def test_a_plain_question_has_a_plain_answer() -> None:
    asked, model = client(["In 1848."])
    pieces, answered = say(asked, PLAIN)
    assert (pieces, answered.text, answered.value, answered.cut) == ([], "In 1848.", None, False)
    assert model.requests == [
        {"model": "gpt-4o-mini", "messages": MESSAGES, "temperature": 0.4, "top_p": 0.9, "max_tokens": 256}
    ]
    assert model.sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert str(model.sent[0].url) == "https://models.example/v1/chat/completions"
    assert model.sent[0].extensions["timeout"] == {"connect": 10.0, "read": 30.0, "write": 30.0, "pool": 30.0}


def test_every_request_is_recorded_with_tokens_time_and_cost() -> None:
    asked, _model = client([ScriptedReply("In 1848.", prompt_tokens=1_000, completion_tokens=200)])
    (call,) = ask_to_end(asked.ask(PLAIN)).calls
    assert call.cost_usd == pytest.approx(0.00027)
    assert call.model_copy(update={"cost_usd": None}) == ModelCall(
        provider="openai", model="gpt-4o-mini", prompt_tokens=1_000, completion_tokens=200, milliseconds=1_000
    )


def test_a_model_without_a_price_has_no_cost() -> None:
    asked, _model = client(["ready"], model="tiny", provider="local")
    assert ask_to_end(asked.ask(PLAIN)).calls[0].cost_usd is None
    assert asked.choice == EngineChoice(provider="local", model="tiny")


@pytest.mark.parametrize(
    "usage", [None, "much", {"prompt_tokens": "12"}, {"prompt_tokens": -5, "completion_tokens": None}]
)
def test_a_count_that_is_none_is_estimated(usage: Any) -> None:
    reply = httpx2.Response(200, json={"choices": [{"message": {"content": "ready"}}], "usage": usage})
    asked, _model = client([reply])
    (call,) = ask_to_end(asked.ask(PLAIN)).calls
    assert call.estimated
    assert (call.prompt_tokens > 0, call.completion_tokens) == (True, 2)


def test_a_shape_is_asked_for_by_its_schema() -> None:
    asked, model = client([BUILT])
    answered = ask_to_end(asked.ask(SHAPED))
    assert answered.value == Built(mill="Beacon Mill", year=1848)
    assert model.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "planning", "strict": True, "schema": schema_of(Built)},
    }


def test_an_answer_of_another_shape_is_told_with_what_was_said() -> None:
    asked, _model = client([{"mill": "Beacon Mill", "year": "long ago"}])
    with pytest.raises(InvalidOutputError) as raised:
        ask_to_end(asked.ask(SHAPED))
    assert raised.value.reason == "year should be a valid integer"
    assert raised.value.said == '{"mill": "Beacon Mill", "year": "long ago"}'
    assert raised.value.calls[0].prompt_tokens == 100


def test_a_correction_is_recorded_as_one() -> None:
    asked, _model = client([BUILT])
    request = Request("planning", MESSAGES, Built, retry="correction")
    assert ask_to_end(asked.ask(request)).calls[0].retry == "correction"


def test_a_question_is_never_changed() -> None:
    messages = [{"role": "user", "content": "When?"}]
    asked, _model = client([refusal(400, "response_format is unknown"), BUILT])
    ask_to_end(asked.ask(Request("planning", messages, Built)))
    assert messages == [{"role": "user", "content": "When?"}]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("said", "reasoning"),
    [
        (ScriptedReply("In 1848.", "I look it up."), "I look it up."),
        (ScriptedReply("<think>I look it up.</think>In 1848."), "I look it up."),
        (ScriptedReply("<think>Then I write.</think>In 1848.", "I look it up."), "I look it up.\nThen I write."),
    ],
)
def test_reasoning_is_kept_apart(said: ScriptedReply, reasoning: str, *, stream: bool) -> None:
    asked, _model = client([said])
    answered = ask_to_end(asked.ask(Request("react", MESSAGES, stream=stream)))
    assert (answered.text, answered.reasoning) == ("In 1848.", reasoning)


def test_reasoning_has_two_names() -> None:
    message = {"role": "assistant", "content": "In 1848.", "reasoning": "I look it up."}
    asked, _model = client([httpx2.Response(200, json={"choices": [{"message": message}]})])
    assert ask_to_end(asked.ask(PLAIN)).reasoning == "I look it up."


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_was_cut_off_says_so(*, stream: bool) -> None:
    asked, _model = client([ScriptedReply("In 18", finish="length")])
    assert ask_to_end(asked.ask(Request("react", MESSAGES, stream=stream))).cut


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (ScriptedReply(""), "the model's answer was empty"),
        (ScriptedReply(" \n", "I wonder."), "the model's answer was empty"),
        (ScriptedReply("<think>I wonder", finish="length"), "the limit of its tokens was reached before it began"),
    ],
)
def test_an_empty_answer_is_no_answer(said: ScriptedReply, reason: str, *, stream: bool) -> None:
    asked, _model = client([said])
    with pytest.raises(ModelUnavailableError, match=reason) as raised:
        ask_to_end(asked.ask(Request("react", MESSAGES, stream=stream)))
    assert raised.value.calls[0].completion_tokens == 20
    assert raised.value.wait > 0


def test_halves_of_characters_become_text_that_a_file_can_hold() -> None:
    body = rb'{"choices": [{"message": {"content": "a\ud800b", "reasoning_content": "\udc00"}}]}'
    asked, _model = client([httpx2.Response(200, content=body, headers={"content-type": "application/json"})])
    answered = ask_to_end(asked.ask(PLAIN))
    assert (answered.text, answered.reasoning) == ("a?b", "?")


def test_a_connection_is_checked_by_a_small_question() -> None:
    asked, model = client(["ready"])
    assert asked.check() == "gpt-4o-mini"
    assert len(model.requests) == 1


# -- streams ---------------------------------------------------------------------------------------------------------


def test_the_pieces_of_a_stream_are_its_text() -> None:
    text = "Beacon Mill was built in 1848, as the register says."
    asked, model = client([ScriptedReply(text, prompt_tokens=7, completion_tokens=9)])
    pieces, answered = say(asked, STREAMED)
    assert len(pieces) > 1
    assert "".join(pieces) == answered.text == text
    assert (answered.calls[0].prompt_tokens, answered.calls[0].completion_tokens) == (7, 9)
    assert model.requests[0]["stream"] is True
    assert model.requests[0]["stream_options"] == {"include_usage": True}


def test_text_comes_before_the_stream_has_ended() -> None:
    asked, _model = client([streamed([delta(content="Built "), delta(content="in 1848")], httpx2.ReadError("cut"))])
    answering = asked.ask(STREAMED)
    assert next(answering) == "Built "
    answering.close()


# -- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_may_call_tools(*, stream: bool) -> None:
    calls = [("search", {"query": "Beacon Mill, when built"}), ("visit", {"page": 3})]
    asked, model = client([ScriptedReply(tool_calls=calls, finish="tool_calls")])
    answered = ask_to_end(asked.ask(Request("react", MESSAGES, tools=[SEARCH], stream=stream)))
    assert answered.tool_calls == (
        ToolCall(name="search", arguments={"query": "Beacon Mill, when built"}, id="call_1"),
        ToolCall(name="visit", arguments={"page": 3}, id="call_2"),
    )
    assert answered.text == ""
    assert model.requests[0]["tools"] == [SEARCH]


def called(arguments: Any, name: str = "search") -> httpx2.Response:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}
    return httpx2.Response(200, json={"choices": [{"message": {"content": None, "tool_calls": [call]}}]})


@pytest.mark.parametrize(
    "arguments", ["{query: mill}", "mill", "[1]", '"x"', '{"k": NaN}', '{"k": "\\ud800"}', '{"a":' * 5_000]
)
def test_tool_arguments_that_are_no_json_object_are_told(arguments: str) -> None:
    asked, _model = client([called(arguments)])
    with pytest.raises(InvalidOutputError, match="the arguments of the tool 'search' are no JSON object") as raised:
        ask_to_end(asked.ask(PLAIN))
    assert raised.value.said.startswith("search(")
    assert len(raised.value.calls) == 1


@pytest.mark.parametrize("arguments", ["", None, {"query": "mill"}])
def test_a_tool_without_arguments_is_called_without(arguments: Any) -> None:
    asked, _model = client([called(arguments)])
    assert ask_to_end(asked.ask(PLAIN)).tool_calls[0].arguments == {}


# -- what a server does not know -------------------------------------------------------------------------------------


def picky(*unknown: str) -> Any:
    """A server that rejects a request because of the first of these parameters in it."""

    def answer(asked: dict[str, Any]) -> Any:
        found = next((name for name in unknown if name in asked), None)
        return BUILT if found is None else refusal(400, f"Unsupported parameter: '{found}'", param=found)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "unknown field", param="response_format"),
        refusal(400, "unknown field", param="response_format.json_schema"),
        refusal(400, "response_format of this type is unavailable now"),
        refusal(400, "failed to parse grammar"),
        refusal(501, "json_schema is not implemented"),
        httpx2.Response(400, text="This server takes no response_format."),
        httpx2.Response(422, json={"detail": [{"loc": ["body", "response_format", "type"], "msg": "no", "input": {}}]}),
    ],
)
def test_a_server_without_schemas_is_asked_in_words_from_then_on(answer: httpx2.Response) -> None:
    asked, model = client([answer, BUILT, BUILT])
    first, second = ask_to_end(asked.ask(SHAPED)), ask_to_end(asked.ask(SHAPED))
    assert first.value == second.value == Built(mill="Beacon Mill", year=1848)
    assert ["response_format" in request for request in model.requests] == [True, False, False]
    assert "JSON Schema" not in str(model.requests[0]["messages"])
    for request in model.requests[1:]:
        assert request["messages"][1:] == MESSAGES
        assert '"enum": ["cotton", "wool"]' in request["messages"][0]["content"]
    assert [(call.retry, bool(call.error)) for call in first.calls] == [("no", True), ("parameter", False)]
    assert [call.retry for call in second.calls] == ["no"]


@pytest.mark.parametrize(
    ("unknown", "kept"),
    [
        (("temperature",), {"top_p", "max_tokens", "response_format"}),
        (("top_p", "temperature"), {"max_tokens", "response_format"}),
        (("max_tokens",), {"temperature", "top_p", "max_completion_tokens", "response_format"}),
        (("max_tokens", "temperature", "top_p", "response_format"), {"max_completion_tokens"}),
    ],
)
def test_a_parameter_that_a_model_does_not_take_is_left_out(unknown: tuple[str, ...], kept: set[str]) -> None:
    asked, model = client(picky(*unknown))
    assert ask_to_end(asked.ask(SHAPED)).value is not None
    assert model.requests[-1].keys() - {"model", "messages"} == kept
    assert len(model.requests) == len(unknown) + 1
    ask_to_end(asked.ask(SHAPED))
    assert len(model.requests) == len(unknown) + 2


def test_the_limit_of_tokens_is_kept_under_its_newer_name() -> None:
    asked, model = client(picky("max_tokens"))
    ask_to_end(asked.ask(PLAIN))
    assert model.requests[-1]["max_completion_tokens"] == 256


def test_a_server_that_streams_no_usage_is_asked_without() -> None:
    asked, model = client(picky("stream_options"))
    ask_to_end(asked.ask(STREAMED))
    assert [sorted(request.keys() & {"stream", "stream_options"}) for request in model.requests] == [
        ["stream", "stream_options"],
        ["stream"],
    ]


@pytest.mark.parametrize("message", ["tiny does not support tools", '"auto" tool choice is not enabled'])
def test_a_model_without_tools_is_asked_without(message: str) -> None:
    asked, model = client([refusal(400, message), "In 1848."])
    assert ask_to_end(asked.ask(Request("react", MESSAGES, tools=[SEARCH]))).text == "In 1848."
    assert ["tools" in request for request in model.requests] == [True, False]


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "messages with role 'tool' must follow 'tool_calls'"),
        refusal(400, "the prompt is too long"),
        refusal(404, "response_format"),
        httpx2.Response(422, json={"detail": [{"loc": ["body", "messages"], "msg": "no", "input": "temperature"}]}),
    ],
)
def test_another_fault_is_not_taken_for_a_parameter(answer: httpx2.Response) -> None:
    asked, model = client([answer, BUILT])
    with pytest.raises((ModelRefusedError, ModelRequestError)):
        ask_to_end(asked.ask(Request("planning", MESSAGES, Built, tools=[SEARCH])))
    assert len(model.requests) == 1


def test_a_server_that_turns_down_everything_is_not_asked_for_ever() -> None:
    asked, model = client(lambda sent: refusal(400, "no", param=sorted(sent.keys() - {"messages", "model"})[0]))
    with pytest.raises(ModelRequestError) as raised:
        ask_to_end(asked.ask(Request("react", MESSAGES, Built, tools=[SEARCH])))
    assert len(raised.value.calls) == len(model.requests) <= 7


def test_what_is_found_out_about_a_model_holds_for_all_agents() -> None:
    model = ScriptedModel(picky("response_format"))
    given: dict[str, Any] = {"llm_provider": "openai", "openai": {"api_key": KEY}}
    clients = ModelClients(Settings(_env_file=None, **given, react={"model": "gpt-5"}), model, len)  # type: ignore[call-arg]
    for agent in ("planning", "structure", "react"):
        ask_to_end(clients.client(agent).ask(Request(agent, MESSAGES, Built)))
    asked = [(request["model"], "response_format" in request) for request in model.requests]
    assert asked == [
        ("gpt-4o-mini", True),
        ("gpt-4o-mini", False),
        ("gpt-4o-mini", False),
        ("gpt-5", True),
        ("gpt-5", False),
    ]


def test_a_client_serves_eight_threads_at_once() -> None:
    together = Barrier(8, timeout=30)

    def answer(asked: dict[str, Any]) -> Any:
        if "response_format" in asked:
            together.wait()
            return refusal(400, "no response_format here")
        return {"mill": asked["messages"][-1]["content"], "year": 1848}

    asked, model = client(answer)
    requests = [Request("planning", [{"role": "user", "content": f"mill {n}"}], Built) for n in range(8)]
    with ThreadPoolExecutor(8) as threads:
        values = [answered.value for answered in threads.map(lambda each: ask_to_end(asked.ask(each)), requests)]
    assert values == [Built(mill=f"mill {n}", year=1848) for n in range(8)]
    assert len(model.requests) == 16


# -- the key ---------------------------------------------------------------------------------------------------------

SPLITS = [
    (KEY,),
    (KEY[:1], KEY[1:]),
    (KEY[:9], KEY[9:]),
    tuple(KEY),
    (f"a {KEY[:5]}", f"{KEY[5:]} b {KEY[:3]}", KEY[3:]),
]


@pytest.mark.parametrize("pieces", SPLITS)
def test_a_key_in_a_stream_is_hidden_however_it_is_cut(pieces: tuple[str, ...]) -> None:
    asked, _model = client([streamed([*(delta(content=piece) for piece in pieces), delta(finish="stop"), "[DONE]"])])
    shown, answered = say(asked, STREAMED)
    assert "".join(shown) == answered.text == "".join(pieces).replace(KEY, "[key]")
    assert "[key]" in answered.text


@pytest.mark.parametrize("stream", [False, True])
def test_a_key_in_an_answer_is_hidden(*, stream: bool) -> None:
    said = ScriptedReply(f"It is {KEY}.", f"They sent {KEY}.", [("search", {"query": f"what is {KEY}"})])
    asked, _model = client([said])
    pieces, answered = say(asked, Request("react", MESSAGES, stream=stream))
    shown = f"{pieces} {answered}"
    assert KEY not in shown
    assert (answered.text, answered.reasoning) == ("It is [key].", "They sent [key].")
    assert answered.tool_calls[0].arguments == {"query": "what is [key]"}


@pytest.mark.parametrize(
    ("reply", "request_"),
    [
        (called("x" * 495 + KEY), PLAIN),
        (called("no", name=KEY), PLAIN),
        (called("no", name="x" * 55 + KEY), PLAIN),
        (ScriptedReply(f"I will not say {KEY}."), SHAPED),
        ({"mill": KEY, "year": KEY}, SHAPED),
        (ScriptedReply("", f"it is {KEY}"), PLAIN),
    ],
)
def test_a_key_in_an_answer_that_cannot_be_used_is_hidden(reply: Any, request_: Request[Any]) -> None:
    asked, _model = client([reply])
    with pytest.raises(AgentError) as raised:
        ask_to_end(asked.ask(request_))
    assert KEY[:6] not in f"{raised.value} {raised.value.reason} {raised.value.said} {raised.value.calls}"


def test_the_name_of_a_called_tool_hides_the_key() -> None:
    asked, _model = client([called("{}", name=KEY)])
    assert ask_to_end(asked.ask(PLAIN)).tool_calls[0].name == "[key]"


def wired(*parts: bytes) -> httpx2.HTTPTransport:
    """The HTTP library's own transport on a fake socket."""
    transport = httpx2.HTTPTransport()
    transport._pool = httpcore2.ConnectionPool(network_backend=httpcore2.MockBackend(list(parts)))  # type: ignore[assignment]
    return transport


@pytest.mark.parametrize("status", ["200 OK", "401 Unauthorized", "503 Busy", "307 Elsewhere"])
@pytest.mark.parametrize("address", ["http://models.example/v1", "http://me:pass-word@models.example/v1"])
def test_the_libraries_log_neither_key_nor_password(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, status: str, address: str
) -> None:
    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", REAL_REQUEST)
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    body = b'{"choices": [{"message": {"content": "%s"}, "finish_reason": "stop"}]}' % KEY.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    asked = ModelClient(replace(ENDPOINT, base_url=address), count_tokens=len, transport=wired(head.encode(), body))
    with suppress(AgentError):
        assert ask_to_end(asked.ask(PLAIN)).text == "[key]"
    logged = {record.name.partition(".")[0] for record in caplog.records}
    assert {"openai", "httpx2", "httpcore2"} <= logged
    for secret in (KEY, "pass-word", "bWU6cGFzcy13b3Jk"):
        assert secret not in caplog.text
    assert ENDPOINT.model not in caplog.text  # nor what was asked


def test_a_server_that_takes_a_schema_only_beside_json_object_is_given_it_there() -> None:
    """The server of llama.cpp for Python responds like this, with status 500."""
    place = "{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}"
    llama = f"1 validation error: {place}"
    asked, model = client([refusal(500, llama), BUILT, BUILT])
    for _ in range(2):
        assert ask_to_end(asked.ask(Request("planning", MESSAGES, Built))).value == Built(mill="Beacon Mill", year=1848)
    formats = [request["response_format"] for request in model.requests]
    assert [found["type"] for found in formats] == ["json_schema", "json_object", "json_object"]
    assert formats[1]["schema"] == formats[0]["json_schema"]["schema"]
    assert "JSON Schema" in model.requests[1]["messages"][0]["content"]


def test_the_shape_in_words_stands_at_the_end_of_the_instructions() -> None:
    asked, model = client([refusal(400, "no response_format here"), BUILT])
    ask_to_end(asked.ask(Request("planning", [{"role": "system", "content": "Plan."}, *MESSAGES], Built)))
    instructions, *rest = model.requests[1]["messages"]
    assert instructions["content"].startswith("Plan.\n\nAnswer with one JSON object")
    assert rest == MESSAGES


def test_a_crash_says_nothing_of_a_parameter() -> None:
    asked, model = client([refusal(500, "the tools of the grammar crashed")])
    with pytest.raises(ModelUnavailableError):
        ask_to_end(asked.ask(SHAPED))
    assert len(model.requests) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_that_a_server_does_not_count_are_estimated_and_marked(stream: bool) -> None:  # noqa: FBT001
    asked, _model = client([ScriptedReply("Built in 1772.", prompt_tokens=0, completion_tokens=0), "Built."])
    (uncounted,) = ask_to_end(asked.ask(Request("react", MESSAGES, stream=stream))).calls
    assert uncounted.estimated
    assert uncounted.prompt_tokens > 0
    assert uncounted.completion_tokens == 4
    (counted,) = ask_to_end(asked.ask(Request("react", MESSAGES, stream=stream))).calls
    assert (counted.estimated, counted.prompt_tokens) == (False, 100)
