"""The fake server: the `openai` package understands its replies."""

from __future__ import annotations

import json

import httpx2
import openai
import pytest

from tests.engines.conftest import KEY, MESSAGES
from tests.scripted_model import Script, ScriptedModel, ScriptedReply

SAID = ScriptedReply(
    "Built in 1848, as the register says.", "I look it up.", [("search", {"query": "Beacon Mill"})], "tool_calls"
)


def library(model: ScriptedModel) -> openai.OpenAI:
    http = httpx2.Client(transport=model)
    return openai.OpenAI(api_key=KEY, base_url="https://models.example/v1", max_retries=0, http_client=http)


def test_a_reply_holds_all_that_was_said() -> None:
    reply = library(ScriptedModel([SAID])).chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
    message = reply.choices[0].message
    assert message.content == SAID.text
    assert getattr(message, "reasoning_content", None) == SAID.reasoning
    assert message.tool_calls is not None
    function = getattr(message.tool_calls[0], "function", None)
    assert (function.name, json.loads(function.arguments)) == SAID.tool_calls[0]  # type: ignore[union-attr]
    assert reply.choices[0].finish_reason == "tool_calls"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 20)


def test_a_streamed_reply_holds_the_same_in_pieces() -> None:
    created = library(ScriptedModel([SAID])).chat.completions.create(model="m", messages=MESSAGES, stream=True)  # type: ignore[call-overload]
    chunks = list(created)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    calls = [call for delta in deltas for call in delta.tool_calls or ()]
    assert "".join(delta.content or "" for delta in deltas) == SAID.text
    assert sum(bool(delta.content) for delta in deltas) > 1
    assert "".join(getattr(delta, "reasoning_content", "") for delta in deltas) == SAID.reasoning
    assert [call.function.name for call in calls if call.function.name] == ["search"]
    assert json.loads("".join(call.function.arguments for call in calls)) == {"query": "Beacon Mill"}
    assert len(calls) > 2
    assert chunks[-1].usage.prompt_tokens == 100


@pytest.mark.parametrize(
    ("script", "texts"),
    [(["one", {"two": 2}], ["one", '{"two": 2}']), (lambda asked: asked["messages"][0]["content"], ["hi", "hi"])],
)
def test_a_script_is_a_list_of_replies_or_a_function_of_what_was_asked(script: Script, texts: list[str]) -> None:
    model = ScriptedModel(script)
    asked = library(model).chat.completions
    replies = [asked.create(model="m", messages=[{"role": "user", "content": "hi"}]) for _ in texts]
    assert [reply.choices[0].message.content for reply in replies] == texts
    assert [request["model"] for request in model.requests] == ["m", "m"]
    assert [request.url.path for request in model.sent] == ["/v1/chat/completions"] * 2


def test_an_exhausted_script_is_a_server_error() -> None:
    with pytest.raises(openai.InternalServerError, match="the script has no more to say"):
        library(ScriptedModel([])).chat.completions.create(model="m", messages=[])


def test_a_real_request_fails_a_unit_test() -> None:
    with httpx2.Client() as http, pytest.raises(AssertionError, match=r"a real request to models\.example"):
        http.get("https://models.example/v1")
