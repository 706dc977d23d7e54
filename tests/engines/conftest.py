"""Shared by the tests of the model engine: no real requests, a key that must never be shown, and a scripted client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NoReturn

import httpx2
import pytest
from pydantic import SecretStr

from memory_bank.engines.client.client import ModelClient, ModelReply, Request
from memory_bank.engines.client.endpoint import Endpoint
from tests.scripted_model import Script, ScriptedModel

KEY = "sk-marker-7f3a9c51"
ENDPOINT = Endpoint(
    provider="openai",
    base_url="https://models.example/v1",
    api_key=SecretStr(KEY),
    model="gpt-4o-mini",
    temperature=0.4,
    top_p=0.9,
    max_tokens=256,
    timeout=30.0,
    native_tools=True,
)
MESSAGES = [{"role": "user", "content": "When was Beacon Mill built?"}]
REAL_REQUEST = httpx2.HTTPTransport.handle_request


@pytest.fixture(autouse=True)
def _no_real_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_transport: httpx2.HTTPTransport, request: httpx2.Request) -> NoReturn:
        raise AssertionError(f"a real request to {request.url.host}: these tests ask a scripted model only")

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", refuse)


def estimate_tokens(text: str) -> int:
    """One for four characters."""
    return -(-len(text) // 4)


def client(script: Script, **changes: Any) -> tuple[ModelClient, ScriptedModel]:
    """A client with a scripted server, and that server. Each reading of the clock is one second later."""
    model = ScriptedModel(script)
    ticks = count()
    asked = ModelClient(
        replace(ENDPOINT, **changes),
        count_tokens=estimate_tokens,
        transport=model,
        elapsed=lambda: float(next(ticks)),
    )
    return asked, model


def say(asked: ModelClient, request: Request[Any]) -> tuple[list[str], ModelReply[Any]]:
    """The streamed pieces and the answer."""
    pieces: list[str] = []
    answering = asked.ask(request)
    while True:
        try:
            pieces.append(next(answering))
        except StopIteration as ended:
            return pieces, ended.value


def refusal(status: int, message: str = "no", **more: Any) -> httpx2.Response:
    """An error response in OpenAI's format."""
    return httpx2.Response(status, json={"error": {"message": message, **more}})


def streamed(chunks: Sequence[Any], breaks: Exception | None = None) -> httpx2.Response:
    """A stream of `data:` lines, other values than text as JSON; it ends with the exception `breaks`, if given."""
    return httpx2.Response(200, stream=_Lines(chunks, breaks), headers={"content-type": "text/event-stream"})


class _Lines(httpx2.SyncByteStream):
    def __init__(self, chunks: Sequence[Any], breaks: Exception | None) -> None:
        self._chunks, self._breaks = chunks, breaks

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            text = chunk if isinstance(chunk, str) else httpx2.Response(200, json=chunk).text
            yield f"data: {text}\n\n".encode()
        if self._breaks is not None:
            raise self._breaks


def delta(finish: str | None = None, **said: Any) -> dict[str, Any]:
    """One piece of a streamed answer."""
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}
