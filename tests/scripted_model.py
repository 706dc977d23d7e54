"""A fake model server that replies from a script; the only fake of a language model.

It is a transport of the HTTP library, so the whole real client runs in front of it, and no request leaves the process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

Script = Callable[[dict[str, Any]], Any] | list[Any]
"""A function of a request's JSON, or the replies in order: text, a value that becomes JSON, a `ScriptedReply`, an
`httpx2` response, or an exception to be raised as the network would."""


@dataclass(frozen=True)
class ScriptedReply:
    """A reply in detail: text, what the model thought first, the tools it calls, and how its answer ended."""

    text: str = ""
    reasoning: str = ""
    tool_calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    finish: str = "stop"
    prompt_tokens: int = 100
    completion_tokens: int = 20


class ScriptedModel(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Answers `/chat/completions` from a script.

    `requests` holds the JSON of each request in order, `sent` the HTTP requests. `models` are listed by `GET /models`;
    with None that address is not found.
    """

    def __init__(self, script: Script, models: Sequence[str] | None = None) -> None:
        self._script = script
        self._models = models
        self.requests: list[dict[str, Any]] = []
        self.sent: list[httpx2.Request] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the next reply, streamed where that is asked for."""
        self.sent.append(request)
        if request.method != "GET":
            return self._answer(json.loads(request.read()))
        if self._models is None:
            return httpx2.Response(404, json={"error": {"message": "not found"}})
        models = [{"id": model, "object": "model", "created": 0, "owned_by": "script"} for model in self._models]
        return httpx2.Response(200, json={"object": "list", "data": models})

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The same for an asynchronous client."""
        return self._answer(json.loads(await request.aread()))

    def _answer(self, request: dict[str, Any]) -> httpx2.Response:
        self.requests.append(request)
        if callable(self._script):
            reply = self._script(request)
        elif self._script:
            reply = self._script.pop(0)
        else:
            reply = httpx2.Response(500, json={"error": {"message": "the script has no more to say"}})
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, httpx2.Response):
            return reply
        if not isinstance(reply, ScriptedReply):
            reply = ScriptedReply(text=reply if isinstance(reply, str) else json.dumps(reply))
        if request.get("stream"):
            lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(reply, request["model"]))
            body = f"{lines}data: [DONE]\n\n".encode()
            return httpx2.Response(200, content=body, headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=_completion(reply, request["model"]))


def _tool_calls(reply: ScriptedReply) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": f"call_{index + 1}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(reply.tool_calls)
    ]


def _usage(reply: ScriptedReply) -> dict[str, int]:
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _completion(reply: ScriptedReply, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply)
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": _usage(reply),
    }


def _chunks(reply: ScriptedReply, model: str) -> Iterator[dict[str, Any]]:
    frame = {"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": model}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _pieces(reply.reasoning)]
    deltas += [{"content": piece} for piece in _pieces(reply.text)]
    deltas += [{"tool_calls": [piece]} for call in _tool_calls(reply) for piece in _call_pieces(call)]
    for delta in deltas:
        yield {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]}
    yield {**frame, "choices": [], "usage": _usage(reply)}


def _call_pieces(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A tool call as servers stream it: its name first, then its arguments bit by bit."""
    function = call["function"]
    yield {**call, "function": {"name": function["name"], "arguments": ""}}
    for piece in _pieces(function["arguments"]):
        yield {"index": call["index"], "function": {"arguments": piece}}


def _pieces(text: str, size: int = 12) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]
