"""The page is told where its server is."""

from __future__ import annotations

import asyncio
import re

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config

from pages.shared.web import AddBaseUrl

PAGE = b"<!DOCTYPE html><html><head><title>x</title></head><body></body></html>"


def answering(kind: str, *pieces: bytes, also: tuple[bytes, bytes] = (b"x-also", b"")) -> ASGIApp:
    """A server that answers everything with these pieces, and tells what it was asked."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        asked = b",".join(name for name, _value in scope["headers"] if name != b"accept")
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % sum(map(len, pieces)))]
        await send({"type": "http.response.start", "status": 200, "headers": [*headers, also, (b"x-asked", asked)]})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": piece is not pieces[-1]})

    return answer


def get(app: ASGIApp, accept: str = "text/html", method: str = "GET") -> list[Message]:
    """What a browser is sent that is told where the server is."""
    return sent_by(AddBaseUrl(app), accept, method)


def sent_by(app: ASGIApp, accept: str = "text/html", method: str = "GET") -> list[Message]:
    """What a browser is sent."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip"), (b"if-none-match", b'"1"')]
    scope = {"type": "http", "method": method, "path": "/conflicts", "headers": headers}
    asyncio.run(app(scope, receive, send))
    return sent


@pytest.mark.parametrize("cut", [0, 3, 20, len(PAGE)])
def test_a_page_says_where_its_server_is_however_it_comes(cut: int) -> None:
    start, body = get(answering("text/html; charset=utf-8", PAGE[:cut], PAGE[cut:]))
    assert re.search(rb'<head><script>[^<]*BACKEND_BASE_URL: location.origin \+ "/"[^<]*</script>', body["body"])
    assert body["body"].endswith(PAGE.partition(b"<head>")[2])
    headers = dict(start["headers"])
    assert int(headers[b"content-length"]) == len(body["body"])
    assert headers[b"x-asked"] == b"", "it must come whole: not packed, and not as unchanged"


def test_a_server_below_a_path_is_named_with_it() -> None:
    config.set_option("server.baseUrlPath", "bank")
    try:
        _start, body = get(answering("text/html", PAGE))
    finally:
        config.set_option("server.baseUrlPath", "")
    assert b'location.origin + "/bank/"' in body["body"]


@pytest.mark.parametrize(
    ("kind", "accept", "method"),
    [("text/javascript", "text/html", "GET"), ("text/html", "*/*", "GET"), ("text/html", "text/html", "HEAD")],
)
def test_all_else_passes_as_it_comes(kind: str, accept: str, method: str) -> None:
    _start, *body = get(answering(kind, PAGE[:9], PAGE[9:]), accept, method)
    assert [piece["body"] for piece in body] == [PAGE[:9], PAGE[9:]]


def test_a_report_that_is_downloaded_stays_as_it_was_made() -> None:
    attached = (b"content-disposition", b'attachment; filename="report.html"')
    _start, *body = get(answering("text/html", PAGE, also=attached))
    assert [piece["body"] for piece in body] == [PAGE]


def test_a_tab_that_is_closed_while_the_server_sends_is_no_error() -> None:
    ended: list[str] = []

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            with pytest.raises(WebSocketDisconnect):
                await socket.send_bytes(b"page")
            await socket.close()
        finally:
            ended.append("cleaned up")

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        if message["type"] == "websocket.send":
            raise OSError("the other side is gone")

    asyncio.run(AddBaseUrl(serve)({"type": "websocket", "headers": []}, receive, send))
    assert ended == ["cleaned up"]
