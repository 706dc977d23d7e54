"""The web server's part: the browser is told what no page of this server may do, whatever gets into it.

Streamlit needs two things that a stricter policy would forbid: it brings the scripts of components as `blob:`, and it
writes styles into the page. It evaluates no text, and its scripts within the page are allowed by their hashes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "content-security-policy"
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_PAGE = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval' {hashes}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    # of all that is no page: what a person uploaded or a session made, opened by its address, is not alive
    POLICY: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "x-frame-options": "deny",
    "referrer-policy": "same-origin",  # a session is found by its address
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()",
}


def page_policy(page: bytes) -> str:
    """The policy of a page: its own server's scripts, those of components, and those within it as it was sent."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in _INLINE.findall(page))
    return _PAGE.format(hashes=" ".join(f"'sha256-{found}'" for found in hashes))


class Guarded:
    """ASGI middleware that puts headers on every answer; those that it has stay."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; to the answer, add."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded)
