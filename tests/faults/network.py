"""Any request to a model or to the web, made to fail at its n-th call."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

PAGE = {"title": "Mills", "link": "https://example.org/mills", "snippet": "A page on mills."}


def _status(code: int, **headers: str) -> Callable[[httpx2.Request, httpx2.Response], httpx2.Response]:
    def answered(request: httpx2.Request, good: httpx2.Response) -> httpx2.Response:
        return httpx2.Response(code, json={"error": {"message": "not now"}}, headers=headers, request=request)

    return answered


def _raised(error: type[httpx2.TransportError]) -> Callable[[httpx2.Request, httpx2.Response], httpx2.Response]:
    def answered(request: httpx2.Request, good: httpx2.Response) -> httpx2.Response:
        raise error("no answer", request=request)

    return answered


def _changed(change: Callable[[bytes], bytes]) -> Callable[[httpx2.Request, httpx2.Response], httpx2.Response]:
    def answered(request: httpx2.Request, good: httpx2.Response) -> httpx2.Response:
        kind = good.headers["content-type"]
        return httpx2.Response(200, content=change(good.read()), headers={"content-type": kind}, request=request)

    return answered


KINDS = {
    "time-out": _raised(httpx2.ReadTimeout),
    "no connection": _raised(httpx2.ConnectError),
    "429": _status(429, **{"retry-after": "1"}),
    "500": _status(500),
    "401": _status(401),
    "truncated": _changed(lambda body: body[: len(body) // 2]),
    "garbage": _changed(lambda _body: b"<html>\xff\xfe busy \x00</html>"),
    "nothing": _changed(lambda _body: b""),
}
"""What can come instead of a good answer; a 401 stops the run until a setting is changed."""


@dataclass(frozen=True)
class NetworkFault:
    """What the n-th request gets."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"request {self.number} {self.kind}"


class Network(httpx2.BaseTransport):
    """A model's server and a search service; one of the requests fails, and is counted like all others.

    `asked` are those to the model.
    """

    def __init__(self, model: httpx2.BaseTransport, fault: NetworkFault | None = None) -> None:
        self._model, self.fault = model, fault
        self.requests = self.asked = self.failed = 0
        self.lost_search = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests += 1
        found = json.dumps({"organic": [PAGE]}).encode()
        searched = request.url.host == "google.serper.dev"
        self.asked += not searched
        good = (
            httpx2.Response(200, content=found, headers={"content-type": "application/json"})
            if searched
            else self._model.handle_request(request)
        )
        if self.fault is None or self.requests != self.fault.number:
            return good
        self.failed += 1
        self.lost_search = searched
        return KINDS[self.fault.kind](request, good)
