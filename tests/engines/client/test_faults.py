"""Errors of a server: the message for people, whether a retry follows, and that no key is in it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import AgentError, ModelRefusedError, ModelRequestError, ModelUnavailableError
from memory_bank.engines.client.client import Request
from memory_bank.engines.client.faults import BACK_OFF, LONGEST_WAIT, Secrets
from tests.engines.conftest import ENDPOINT, KEY, MESSAGES, client, delta, refusal, say, streamed


def failure(reply: Any, *, stream: bool = False, **changes: Any) -> AgentError:
    """The error of a request that the server answers like this."""
    asked, _model = client(lambda _asked: reply, **changes)
    with pytest.raises(AgentError) as raised:
        say(asked, Request("planning", MESSAGES, stream=stream))
    return raised.value


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "does not accept the key; check OPENAI_API_KEY"),
        (402, "wants to be paid first: what is wrong"),
        (403, "does not allow this key to use the model 'gpt-4o-mini'"),
        (404, "has no model 'gpt-4o-mini', or no API under this address; check OPENAI_MODEL and OPENAI_BASE_URL"),
        (301, "points to another address; check OPENAI_BASE_URL"),
        (307, "points to another address; check OPENAI_BASE_URL"),
    ],
)
def test_what_a_person_must_change_is_not_tried_again(status: int, said: str) -> None:
    error = failure(refusal(status, "what is wrong"))
    assert isinstance(error, ModelRefusedError)
    assert not error.retried
    assert error.reason.startswith("openai at models.example ")
    assert said in error.reason
    assert len(error.calls) == 1
    assert error.calls[0].error


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_not_taken_is_not_tried_again_and_says_nothing_of_others(status: int) -> None:
    error = failure(refusal(status, "too long"))
    assert isinstance(error, ModelRequestError)
    assert not error.retried
    assert f"does not accept the request ({status}): too long" in error.reason


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again_after_a_wait(status: int) -> None:
    error = failure(refusal(status, "not now"))
    assert isinstance(error, ModelUnavailableError)
    assert error.retried
    assert error.wait == BACK_OFF
    assert "not now" in error.reason


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("9999", LONGEST_WAIT),
        ("inf", LONGEST_WAIT),
        ("-3", 0.0),
        ("nan", BACK_OFF),
        ("soon", BACK_OFF),
        ("", BACK_OFF),
        ("Wed, 21 Oct 2065 07:28:00 GMT", BACK_OFF),
    ],
)
def test_a_server_may_ask_for_a_wait_within_bounds(asked: str, wait: float) -> None:
    reply = httpx2.Response(429, json={"error": {"message": "slow down"}}, headers={"retry-after": asked})
    assert failure(reply).wait == wait


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (httpx2.ReadTimeout("x"), "did not answer in 30 s (LLM_TIMEOUT)"),
        (httpx2.WriteTimeout("x"), "did not answer in 30 s (LLM_TIMEOUT)"),
        (httpx2.ConnectTimeout("x"), "cannot be reached; check OPENAI_BASE_URL"),
        (httpx2.ConnectError("refused"), "cannot be reached; check OPENAI_BASE_URL"),
        (httpx2.RemoteProtocolError("x"), "cannot be reached; check OPENAI_BASE_URL"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_is_not_there_may_come_back(raised: Exception, said: str, *, stream: bool) -> None:
    error = failure(raised, stream=stream)
    assert isinstance(error, ModelUnavailableError)
    assert said in error.reason
    assert error.wait == BACK_OFF


JSON = {"content-type": "application/json"}
NO_ANSWERS = [
    httpx2.Response(200, text="<html>log in</html>", headers={"content-type": "text/html"}),
    httpx2.Response(200, content=b""),
    httpx2.Response(200, content=b"", headers=JSON),
    httpx2.Response(200, content=b"not JSON", headers=JSON),
    httpx2.Response(200, content=b"\xff\xfe\x00", headers=JSON),
    httpx2.Response(200, content=b'{"a":' * 5_000, headers=JSON),
    httpx2.Response(200, json=None),
    httpx2.Response(200, json=[]),
    httpx2.Response(200, json={"object": "chat.completion"}),
    httpx2.Response(200, json={"choices": None}),
    httpx2.Response(200, json={"choices": []}),
    httpx2.Response(200, json={"choices": {"0": "x"}}),
    httpx2.Response(200, json={"choices": [None]}),
    httpx2.Response(200, json={"choices": [{"message": None}]}),
    httpx2.Response(200, json={"choices": [{"message": {"content": {"text": 1}}}], "usage": "much"}),
    httpx2.Response(200, json={"choices": [{"message": {"content": "", "tool_calls": "no"}}]}),
]


@pytest.mark.parametrize("reply", NO_ANSWERS)
def test_an_answer_that_is_none_is_no_answer(reply: httpx2.Response) -> None:
    assert isinstance(failure(reply), ModelUnavailableError)


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        ["not JSON"],
        ["[]"],
        ['"text"'],
        ["null"],
        ['{"a":' * 5_000],
        [{"choices": None}],
        [{"choices": [None]}],
        [{"choices": [{"delta": None}]}],
        [delta(content="Built in")],
        [delta(content="Built in"), {"error": {"message": "out of memory"}}],
        [delta(finish="stop"), "[DONE]"],
    ],
)
def test_a_stream_that_does_not_come_to_an_end_is_no_answer(chunks: list[Any]) -> None:
    assert isinstance(failure(streamed(chunks), stream=True), ModelUnavailableError)


@pytest.mark.parametrize(
    "broken", [httpx2.ReadError("reset"), httpx2.RemoteProtocolError("cut"), httpx2.ReadTimeout("")]
)
def test_a_stream_that_breaks_is_a_server_that_may_come_back(broken: Exception) -> None:
    asked, _model = client([streamed([delta(content="Built in"), delta(content=" 18")], broken)])
    answering = asked.ask(Request("react", MESSAGES, stream=True))
    assert [next(answering), next(answering)] == ["Built in", " 18"]
    with pytest.raises(ModelUnavailableError, match=r"cannot be reached|did not answer") as raised:
        next(answering)
    assert raised.value.calls[0].error


def test_a_server_is_never_followed_to_another_address() -> None:
    moved = httpx2.Response(307, headers={"location": f"https://elsewhere.example/{KEY}"})
    asked, model = client([moved, "never asked for"])
    with pytest.raises(ModelRefusedError, match="points to another address") as raised:
        say(asked, Request("planning", MESSAGES))
    assert len(model.requests) == 1
    assert KEY not in str(raised.value)


# -- secrets ---------------------------------------------------------------------------------------------------------

ECHO = f"who sends Authorization: Bearer {KEY}?"


@pytest.mark.parametrize("status", [307, 400, 401, 402, 403, 404, 418, 422, 429, 500, 503])
@pytest.mark.parametrize(
    "body",
    [
        {"json": {"error": {"message": ECHO}}},
        {"json": {"error": {"message": "", "code": ECHO}}},
        {"json": {"error": ECHO}},
        {"json": {"detail": [{"loc": ["header", KEY], "msg": ECHO, "input": ECHO}]}},
        {"json": [ECHO]},
        {"text": ECHO},
        {"text": "x" * 255 + ECHO},
    ],
)
def test_a_server_that_echoes_the_key_does_not_get_it_into_an_error(status: int, body: dict[str, Any]) -> None:
    assert_hidden(failure(httpx2.Response(status, **body)))


@pytest.mark.parametrize(
    "raised", [httpx2.ConnectError(ECHO), httpx2.ReadTimeout(ECHO), httpx2.LocalProtocolError(ECHO)]
)
def test_an_error_of_the_library_does_not_show_the_key(raised: Exception) -> None:
    assert_hidden(failure(raised))


def test_an_error_in_a_stream_does_not_show_the_key() -> None:
    assert_hidden(failure(streamed([{"error": {"message": ECHO}}]), stream=True))
    assert_hidden(failure(streamed([ECHO]), stream=True))


def assert_hidden(error: AgentError) -> None:
    shown = [str(error), error.reason, error.said, *(call.model_dump_json() for call in error.calls)]
    for text in shown:
        assert KEY not in text
        assert KEY[:12] not in text
    assert all(call.error for call in error.calls)


@pytest.mark.parametrize("said", ["me:pa%40ss-word", "pa%40ss-word", "pa@ss-word", "Basic bWU6cGFAc3Mtd29yZA=="])
def test_a_password_in_the_address_is_sent_and_never_shown(said: str) -> None:
    address = "https://me:pa%40ss-word@models.example:8443/v1"
    asked, model = client([refusal(503, said)], base_url=address)
    with pytest.raises(ModelUnavailableError) as raised:
        say(asked, Request("planning", MESSAGES))
    shown = str(raised.value) + raised.value.calls[0].model_dump_json()
    assert "openai at models.example:8443 answered 503" in shown
    for secret in ("ss-word", "bWU6cGFAc3Mtd29yZA=="):
        assert secret not in shown
    assert model.sent[0].headers["authorization"] == "Basic bWU6cGFAc3Mtd29yZA=="
    assert str(model.sent[0].url) == "https://models.example:8443/v1/chat/completions"


def test_a_key_that_is_part_of_many_words_is_not_hunted_for() -> None:
    assert Secrets.of(replace(ENDPOINT, api_key=type(ENDPOINT.api_key)("a"))).redact("a fair answer") == "a fair answer"


TEXTS = st.text("ab ", max_size=40)


@given(TEXTS, st.text("ab", min_size=4, max_size=6), st.lists(st.integers(0, 40), max_size=8))
def test_a_stream_hides_a_secret_wherever_it_is_cut(text: str, secret: str, cuts: list[int]) -> None:
    text = text[:20] + secret + text[20:]
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    shown = Secrets((secret,)).redact_stream(text[start:end] for start, end in pairwise(places))
    assert "".join(shown) == text.replace(secret, "[key]")


def test_a_stream_holds_nothing_back_that_cannot_be_a_secret() -> None:
    shown = Secrets((KEY,)).redact_stream(["Built in 1848.", " As sk-m", "ills go"])
    assert list(shown) == ["Built in 1848.", " As ", "sk-mills go"]
