"""Security headers: what a page of this server may not do in the browser, whatever gets into it.

Streamlit needs two things that a stricter policy would forbid: it loads the scripts of components as `blob:`, and it
writes styles into the page. It evaluates no text, and its inline scripts are allowed by their hashes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
