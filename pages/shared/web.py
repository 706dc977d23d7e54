"""What is put around Streamlit's server: where it is, security headers, and `/health` and `/metrics`.

Each page has its own address. Without the server's, Streamlit's client first looks for the server below that address,
and the browser console fills with errors about what it does not find.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config

from memory_bank.bank.errors import SettingsError
from pages.shared.server import Server

_HEAD = b"<head>"
_NOT_FORWARDED = {b"accept-encoding", b"if-none-match", b"if-modified-since"}
"""Request headers not passed on for a page: it must come back uncompressed and whole, with its own headers."""


# Streamlit needs two things that a stricter policy would forbid: it loads the scripts of components as `blob:`, and it
# writes styles into the page. It evaluates no text, and its inline scripts are allowed by their hashes.
POLICY = "content-security-policy"
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval' {hashes}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    # for everything that is not a page: an uploaded or generated file opened by its address must not run anything
    POLICY: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "x-frame-options": "deny",
    "referrer-policy": "same-origin",  # whoever knows the address can open the session
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()",
}


def page_policy(page: bytes) -> str:
    """The policy of a page: it may run scripts of its own server, of components, and its inline scripts as sent."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in _INLINE.findall(page))
    return _PAGE_POLICY.format(hashes=" ".join(f"'sha256-{digest}'" for digest in hashes))


class SecurityHeaders:
    """ASGI middleware that adds security headers to every response. Headers already there are not replaced."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and add headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


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
        headers = Headers(raw=message["headers"]) if message["type"] == "http.response.start" else Headers()
        # a report that is downloaded stays unchanged
        if headers.get("content-type", "").startswith("text/html") and "content-disposition" not in headers:
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        base = config.get_option("server.baseUrlPath").strip("/")
        path = f"/{base}/" if base else "/"
        script = f'<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + "{path}" }};</script>'
        page = self._body.replace(_HEAD, _HEAD + script.encode(), 1)
        MutableHeaders(scope=start).update({"content-length": str(len(page)), POLICY: page_policy(page)})
        await self._send(start)
        await self._send({"type": "http.response.body", "body": page})


MIN_FREE_BYTES = 50_000_000
"""With less free disk space the server is not healthy."""


def routes(get_server: Callable[[], Server]) -> list[Route]:
    """`/health`, and `/metrics` if the settings turn it on."""

    async def health(_request: Request) -> Response:
        state, healthy = await run_in_threadpool(_health, get_server)
        return JSONResponse(state, 200 if healthy else 503, {"cache-control": "no-store"})

    async def metrics(_request: Request) -> Response:
        try:
            server = get_server()
        except SettingsError:
            return PlainTextResponse("", 503)
        if not server.settings.metrics:
            return PlainTextResponse("", 404)
        load = "".join(f"memory_bank_sessions_{name} {count}\n" for name, count in server.runner.load().items())
        return Response(generate_latest() + load.encode(), media_type=CONTENT_TYPE_LATEST)

    return [Route("/health", health), Route("/metrics", metrics)]


def _health(get_server: Callable[[], Server]) -> tuple[dict[str, object], bool]:
    """The status, and whether the server is healthy: its settings are valid and sessions can be written."""
    try:
        server = get_server()
    except SettingsError as error:
        return {"status": "failing", "setting": error.variable}, False
    folder = server.store.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        disk = os.statvfs(folder)
    except OSError:
        return {"status": "failing", "setting": "STORAGE_DIR", **server.runner.load()}, False
    free = disk.f_bavail * disk.f_frsize
    healthy = os.access(folder, os.W_OK) and free > MIN_FREE_BYTES
    status = {"status": "ok"} if healthy else {"status": "failing", "setting": "STORAGE_DIR"}  # not writable, or full
    return {**status, "free_mb": free // 1_000_000, **server.runner.load()}, healthy
