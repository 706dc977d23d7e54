"""Web access with API keys: search through Serper, and the text of a page through Jina Reader."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx2
from pydantic import SecretStr

from memory_bank.agents.react import WebPage
from memory_bank.bank.errors import ToolError
from memory_bank.session.tools.addresses import Resolve, public_address, system_resolve
from memory_bank.text.wording import one_line

WEB_RESULTS = 5
LARGEST = 200_000
"""Most bytes read of a response."""
SILENT, LONGEST = 30.0, 60.0
"""Seconds that a server may be silent, and that a whole response may take."""
_TITLE, _SNIPPET, _DETAIL = 200, 2_000, 200  # most characters
_CUT = "\n\n[The page goes on; only its beginning was read.]"
_ADDRESS = re.compile(r"https?://\S{1,2000}")


@dataclass(frozen=True)
class _Service:
    """A web service: its name and address, the setting with its key, and advice to the agent when it fails."""

    name: str
    url: str
    setting: str
    instead: str


_SERPER = _Service(
    "the web search (Serper)",
    "https://google.serper.dev/search",
    "SERPER_API_KEY",
    "Go on with the reference library and the memory.",
)
_JINA = _Service(
    "the page reader (Jina)", "https://r.jina.ai/", "JINA_API_KEY", "Try another page, or go on with what is known."
)
_REFUSED = {
    401: "does not accept the key in {setting}",
    402: "wants to be paid first for the key in {setting}",
    403: "does not accept the key in {setting}, or not for this",
    429: "is asked too often",
}


@dataclass(frozen=True)
class Web:
    """Searches the web and reads pages, each if its service has a key. Thread-safe.

    The results are untrusted. They never contain a key, even if a server repeats one.
    """

    serper_key: SecretStr | None = None
    jina_key: SecretStr | None = None
    transport: httpx2.BaseTransport | None = None
    resolve: Resolve = system_resolve
    elapsed: Callable[[], float] = time.monotonic

    @property
    def can_search(self) -> bool:
        """Whether there is a key for the search."""
        return self.serper_key is not None

    @property
    def can_visit(self) -> bool:
        """Whether there is a key for the page reader."""
        return self.jina_key is not None

    def search(self, query: str) -> tuple[WebPage, ...]:
        """Search the web: pages with a snippet of each, best first. `ToolError` if the search fails."""
        key = self._key(self.serper_key, _SERPER)
        parameters = {"q": one_line(query), "num": WEB_RESULTS}
        body, cut = self._request(_SERPER, "POST", _SERPER.url, {"X-API-KEY": key}, parameters)
        results = None if cut else _parsed(body)
        if not isinstance(results, dict):
            self._fail(_SERPER, "gave an answer that cannot be read")
        return self._pages(results)

    def visit(self, url: str) -> WebPage:
        """The text of a page. `ToolError` if the address is not public or the page cannot be fetched."""
        key = self._key(self.jina_key, _JINA)
        address = public_address(url, self.resolve)
        headers = {"Authorization": f"Bearer {key}", "Accept": "text/plain", "X-Retain-Images": "none"}
        body, cut = self._request(_JINA, "GET", _JINA.url + address, headers)
        head, marked, content = body.partition("Markdown Content:\n")
        if not (content if marked else body).strip():
            self._fail(_JINA, f"found no text at {address}")
        title = re.search(r"^Title: (.*)$", head, re.MULTILINE) if marked else None
        return WebPage(
            url=self._without_keys(address),
            title=one_line(title[1])[:_TITLE] if title else "",
            text=body + _CUT if cut else body,
        )

    # -- one request -----------------------------------------------------------------------------------------

    def _request(
        self, service: _Service, method: str, url: str, headers: Mapping[str, str], content: object = None
    ) -> tuple[str, bool]:
        """The text of a response without any key, and whether it was cut at the limit."""
        # No compression: a small response could unpack to any size before it is counted.
        headers = {**headers, "Accept-Encoding": "identity"}
        limits = httpx2.Timeout(SILENT, connect=10.0)
        try:
            with (
                httpx2.Client(transport=self.transport, timeout=limits, follow_redirects=False) as client,
                client.stream(method, url, headers=headers, json=content) as response,
            ):
                status, body = response.status_code, self._body(response)
        except httpx2.TimeoutException:
            self._fail(service, "did not answer in time")
        except httpx2.TransportError:
            self._fail(service, "cannot be reached")
        except httpx2.HTTPError:
            self._fail(service, "gave an answer that cannot be read")
        cut = len(body) > LARGEST
        text = self._without_keys(body[:LARGEST].decode("utf-8", "replace"))
        if cut:  # the end may hold the beginning of a key
            text = text[: -max(len(key) for key in self._keys())]
        if status != 200:
            problem = _REFUSED.get(status, "answered {status}").format(setting=service.setting, status=status)
            parsed = _parsed(text)  # the server's error message, from JSON or plain text; none of a page of markup
            message = (
                parsed.get("message") if isinstance(parsed, dict) else "" if text.lstrip().startswith("<") else text
            )
            detail = self._without_keys(one_line(str(message or "")))[:_DETAIL]
            self._fail(service, f"{problem}: {detail}" if detail else problem)
        return text, cut

    def _body(self, response: httpx2.Response) -> bytes:
        """The body of the response, up to the first chunk beyond the limit."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("compressed, unasked", request=response.request)
        end = self.elapsed() + LONGEST
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > LARGEST:
                break
            if self.elapsed() > end:
                raise httpx2.ReadTimeout("too slow", request=response.request)
        return bytes(body)

    # -- search results --------------------------------------------------------------------------------------

    def _pages(self, results: dict[str, Any]) -> tuple[WebPage, ...]:
        """The direct answers of the search, then its results; those without address or text are left out."""
        organic = results.get("organic")
        hits = organic if isinstance(organic, list) else []
        direct = [results.get("answerBox"), results.get("knowledgeGraph")]
        pages = [self._page(hit) for hit in [*direct, *hits[:WEB_RESULTS]] if isinstance(hit, dict)]
        return tuple(page for page in pages if page.text and _ADDRESS.fullmatch(page.url))

    def _page(self, hit: dict[str, Any]) -> WebPage:
        text = self._first(hit, "answer", "snippet", "description")
        date = self._first(hit, "date")
        return WebPage(
            url=self._first(hit, "link", "descriptionLink", "website"),
            title=self._first(hit, "title")[:_TITLE],
            text=(f"{date}: {text}" if date and text else text)[:_SNIPPET],
        )

    def _first(self, hit: dict[str, Any], *names: str) -> str:
        """The first of these fields that is a text and not empty; without keys, on one line."""
        texts = (one_line(value) for name in names if isinstance(value := hit.get(name), str))
        return self._without_keys(next((text for text in texts if text), ""))

    def _without_keys(self, text: str) -> str:
        """The text with each key replaced by `[key]`."""
        for key in self._keys():
            text = text.replace(key, "[key]")
        return text

    # -- keys and failures -----------------------------------------------------------------------------------

    def _keys(self) -> list[str]:
        return [key.get_secret_value() for key in (self.serper_key, self.jina_key) if key is not None]

    def _key(self, key: SecretStr | None, service: _Service) -> str:
        if key is None:
            self._fail(service, f"has no key; it needs {service.setting}")
        return key.get_secret_value()

    def _fail(self, service: _Service, what: str) -> NoReturn:
        raise ToolError(self._without_keys(f"{service.name} {what}. {service.instead}")) from None


NO_WEB = Web()


def _parsed(body: str) -> object:
    """The body parsed as JSON; None if it is not JSON or nested too deep."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
