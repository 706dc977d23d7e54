"""Middleware that tells the page where its server is.

Each page has its own address. Without this, Streamlit's client first looks for the server below that address, and the
browser console fills with errors about what it does not find.
"""

from __future__ import annotations

from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config

from pages.shared.headers import POLICY, page_policy

_HEAD = b"<head>"
_NOT_FORWARDED = {b"accept-encoding", b"if-none-match", b"if-modified-since"}
"""Request headers not passed on for a page: it must come back uncompressed and whole, with its own headers."""


class AddBaseUrl:
    """ASGI middleware that writes the server's base URL into the one HTML page that Streamlit sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; rewrite an HTML page. A tab that is closed is no error of the server."""
        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and "text/html" in Headers(scope=scope).get("accept", "")
        ):
            headers = [(name, value) for name, value in scope["headers"] if name not in _NOT_FORWARDED]
            await self._app({**scope, "headers": headers}, receive, _HtmlRewriter(send).send)
        elif scope["type"] == "websocket":
            with suppress(WebSocketDisconnected):  # the tab was closed while the server was sending
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _HtmlRewriter:
    """Sends a response. An HTML page is held back until it is complete; anything else is passed on as it comes."""

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
                await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        page = self._body.replace(_HEAD, _HEAD + _script(), 1)
        MutableHeaders(scope=start).update({"content-length": str(len(page)), POLICY: page_policy(page)})
        await self._send(start)
        await self._send({"type": "http.response.body", "body": page})


def _is_page(start: Message) -> bool:
    """Whether the response is an HTML page to show; a downloaded report stays unchanged."""
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-disposition" not in headers


def _script() -> bytes:
    base = config.get_option("server.baseUrlPath").strip("/")
    path = f"/{base}/" if base else "/"
    return f'<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + "{path}" }};</script>'.encode()
