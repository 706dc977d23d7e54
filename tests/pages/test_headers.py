"""Every answer tells the browser what it may not do with it."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from hashlib import sha256

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.web import POLICY, AddBaseUrl, SecurityHeaders, page_policy
from tests.pages.test_web import PAGE, answering, sent_by

OWN = "x-frame-options"


def headers(app: ASGIApp, accept: str = "text/html") -> dict[str, str]:
    """The headers of an answer as the whole chain of the app sends it."""
    start, *_body = sent_by(SecurityHeaders(AddBaseUrl(app)), accept)
    return {name.decode(): value.decode() for name, value in start["headers"]}


def directives(policy: str) -> dict[str, list[str]]:
    """What a policy says of each kind of thing."""
    return {name: allowed for name, *allowed in (part.split() for part in policy.split(";"))}


def test_a_page_runs_its_own_scripts_only_and_talks_to_its_own_server_only() -> None:
    inline = b"window.prerenderReady = false"
    told = directives(
        headers(answering("text/html", PAGE.replace(b"</head>", b"<script>%s</script></head>" % inline)))[POLICY]
    )
    assert f"'sha256-{b64encode(sha256(inline).digest()).decode()}'" in told["script-src"]
    assert len([one for one in told["script-src"] if one.startswith("'sha256-")]) == 2, "and where its server is"
    assert {"'unsafe-inline'", "'unsafe-eval'", "https:", "*"}.isdisjoint(told["script-src"])
    assert told["connect-src"] == ["'self'"]
    for name in ("default-src", "base-uri", "form-action", "frame-ancestors"):
        assert told[name] == ["'none'"], name
    assert {source for allowed in told.values() for source in allowed}.isdisjoint({"*", "http:", "https:"})


def test_a_script_that_was_not_sent_with_the_page_has_another_hash() -> None:
    assert page_policy(b"<script>a</script>") != page_policy(b"<script>b</script>")
    assert "sha256" not in page_policy(b"<script src='a.js'></script>")


@pytest.mark.parametrize("kind", ["image/svg+xml", "application/json", "text/plain", "application/octet-stream"])
def test_what_is_no_page_is_not_alive(kind: str) -> None:
    told = headers(answering(kind, b"x"))
    assert directives(told[POLICY])["default-src"] == ["'none'"]
    assert "sandbox" in directives(told[POLICY])
    assert told["x-content-type-options"] == "nosniff"


def test_a_page_that_is_asked_for_by_a_program_is_not_alive() -> None:
    assert "sandbox" in directives(headers(answering("text/html", PAGE), accept="*/*")[POLICY])


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_every_answer_is_in_no_frame_and_gives_the_address_to_no_other_host(kind: str) -> None:
    told = headers(answering(kind, PAGE))
    assert told["x-frame-options"] == "deny"
    assert told["referrer-policy"] == "same-origin"
    assert "camera=()" in told["permissions-policy"]


def test_a_header_that_is_there_stays() -> None:
    assert headers(answering("text/plain", b"x", also=(OWN.encode(), b"SAMEORIGIN")))[OWN] == "SAMEORIGIN"


def test_what_is_no_request_for_a_file_passes() -> None:
    sent: list[Message] = []

    async def accept(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    asyncio.run(SecurityHeaders(accept)({"type": "websocket"}, receive, send))
    assert sent == [{"type": "websocket.accept"}]
