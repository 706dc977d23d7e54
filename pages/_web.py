"""The web server's part: the page is told where its server is.

Each page has an address of its own. Without being told, Streamlit's client looks for the server below that address
first, and the browser reports what is not there as errors on its console.
"""

from __future__ import annotations

from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config

from pages._headers import POLICY, page_policy

_HEAD = b"<head>"
_WHOLE = {b"accept-encoding", b"if-none-match", b"if-modified-since"}
"""What is not passed on with the wish for a page: it must come unpacked, and with the headers of a page."""


class TellsItsAddress:
    """ASGI middleware that puts the server's own address into the one HTML page that Streamlit sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; to the head of a page, add; of a tab that was closed, make no error of the server."""
        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and "text/html" in Headers(scope=scope).get("accept", "")
        ):
            plain = [(name, value) for name, value in scope["headers"] if name not in _WHOLE]
            await self._app({**scope, "headers": plain}, receive, _Page(send).send)
        elif scope["type"] == "websocket":
            with suppress(WebSocketDisconnected):  # a tab was closed while the server sent: nothing went wrong
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _Page:
    """An answer that is held back until it is whole, if it is a page, and passed on as it comes, if it is not."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_whole(self._start)

    async def _send_whole(self, start: Message) -> None:
        told = self._body.replace(_HEAD, _HEAD + _script(), 1)
        MutableHeaders(scope=start).update({"content-length": str(len(told)), POLICY: page_policy(told)})
        await self._send(start)
        await self._send({"type": "http.response.body", "body": told})


def _is_page(start: Message) -> bool:
    """Whether it is HTML to be shown; a report that is downloaded stays as it was made."""
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-disposition" not in headers


def _script() -> bytes:
    base = config.get_option("server.baseUrlPath").strip("/")
    path = f"/{base}/" if base else "/"
    return f'<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + "{path}" }};</script>'.encode()
