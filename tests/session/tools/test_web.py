"""The web through Serper and Jina Reader, against a stub of their servers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from memory_bank.agents.react import WebPage
from memory_bank.bank.errors import ToolError
from memory_bank.bank.settings import load_settings
from memory_bank.session.tools.web import LARGEST, LONGEST, NO_WEB, WEB_RESULTS, Web

SERPER_KEY, JINA_KEY = "serper-5f3e-secret", "jina_77a1_secret"
PAGE = "Title: The dam\n\nURL Source: https://example.org/dam\n\nMarkdown Content:\nIt is 111 m high.\n"
HIT = {"title": "The dam", "link": "https://example.org/dam", "snippet": "It is 111 m high.", "position": 1}


class Server:
    """Gives one answer to every request, piece by piece, and remembers what it was asked and how far it was read."""

    def __init__(
        self,
        body: str | bytes | Iterator[bytes] = b"",
        status: int = 200,
        headers: dict[str, str] | None = None,
        error: type[httpx2.TransportError] | None = None,
    ) -> None:
        self.requests: list[httpx2.Request] = []
        self.sent = 0
        self._body = body.encode() if isinstance(body, str) else body
        self._status, self._headers, self._error = status, headers, error

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        if self._error is not None:
            raise self._error(f"could not send {dict(request.headers)}", request=request)
        return httpx2.Response(self._status, headers=self._headers, content=self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        for piece in [self._body] if isinstance(self._body, bytes) else self._body:
            self.sent += len(piece)
            yield piece


def web(
    server: Callable[[httpx2.Request], httpx2.Response],
    serper: str | None = SERPER_KEY,
    jina: str | None = JINA_KEY,
    **more: Any,
) -> Web:
    settings = load_settings(serper_api_key=serper, jina_api_key=jina)
    return Web(
        settings.serper_api_key,
        settings.jina_api_key,
        transport=httpx2.MockTransport(server),
        resolve=lambda _host: (),
        **more,
    )


def search(server: Server) -> tuple[WebPage, ...]:
    return web(server).search("height of the dam")


def visit(server: Server) -> WebPage:
    return web(server).visit("https://example.org/dam")


BOTH = pytest.mark.parametrize("ask", [search, visit])


# -- what is asked and what is brought -----------------------------------------------------------------------


def test_a_search_sends_the_query_and_brings_pages_best_first() -> None:
    second = {
        "title": "A mill\n",
        "link": "http://example.org/mill",
        "snippet": "Built  in 1772.",
        "date": "1 May 2020",
    }
    server = Server(json.dumps({"organic": [HIT, second]}))
    assert web(server).search(" height of\nthe dam ") == (
        WebPage(url="https://example.org/dam", title="The dam", text="It is 111 m high."),
        WebPage(url="http://example.org/mill", title="A mill", text="1 May 2020: Built in 1772."),
    )
    request = server.requests[0]
    assert (request.method, str(request.url)) == ("POST", "https://google.serper.dev/search")
    assert request.headers["X-API-KEY"] == SERPER_KEY
    assert json.loads(request.content) == {"q": "height of the dam", "num": WEB_RESULTS}


def test_what_the_search_answers_itself_comes_first() -> None:
    found = {
        "organic": [HIT],
        "knowledgeGraph": {"title": "Dam", "website": "https://dam.org", "description": "A wall."},
        "answerBox": {"title": "Height", "link": "https://a.org", "answer": "111 m", "snippet": "It is 111 m high."},
    }
    assert [(page.url, page.text) for page in search(Server(json.dumps(found)))] == [
        ("https://a.org", "111 m"),
        ("https://dam.org", "A wall."),
        (HIT["link"], HIT["snippet"]),
    ]


@pytest.mark.parametrize(
    "hit",
    [
        {},
        "text",
        None,
        7,
        {**HIT, "link": "javascript:alert(1)"},
        {**HIT, "link": "https://"},
        {**HIT, "link": "https://a.org/b c"},
        {**HIT, "link": ["https://a.org"]},
        {**HIT, "snippet": " "},
        {**HIT, "snippet": {"a": 1}},
        {"link": "https://a.org", "date": "1 May 2020"},
    ],
)
def test_a_result_without_an_address_or_a_text_is_left_out(hit: object) -> None:
    found = {"organic": [hit, HIT], "answerBox": hit, "knowledgeGraph": hit}
    assert [page.url for page in search(Server(json.dumps(found)))] == [HIT["link"]]


def test_more_and_longer_results_than_were_asked_for_are_cut() -> None:
    long = {**HIT, "title": "t" * 3_000, "snippet": "s" * 3_000}
    pages = search(Server(json.dumps({"organic": [long] * 20})))
    assert len(pages) == WEB_RESULTS
    assert {(len(page.title), len(page.text)) for page in pages} == {(200, 2_000)}


@pytest.mark.parametrize("found", [{}, {"organic": []}, {"organic": None}, {"organic": "none"}])
def test_a_search_that_finds_nothing_brings_nothing(found: dict[str, object]) -> None:
    assert search(Server(json.dumps(found))) == ()


def test_a_visit_asks_the_reader_for_the_page_and_brings_its_text() -> None:
    server = Server(PAGE)
    page = web(server).visit("HTTPS://Example.org:443/a/../dam?q=1#top")
    assert page == WebPage(url="https://example.org/dam?q=1", title="The dam", text=PAGE)
    request = server.requests[0]
    assert (request.method, str(request.url)) == ("GET", "https://r.jina.ai/https://example.org/dam?q=1")
    assert request.headers["Authorization"] == f"Bearer {JINA_KEY}"
    assert request.headers["Accept"] == "text/plain"


def test_a_page_is_its_text_even_without_the_readers_frame() -> None:
    page = visit(Server("It is 111 m high.\nTitle: none\n"))
    assert (page.title, page.text) == ("", "It is 111 m high.\nTitle: none\n")


def test_each_service_gets_its_own_key_only() -> None:
    searched, visited = Server(json.dumps({"organic": [HIT]})), Server(PAGE)
    search(searched)
    visit(visited)
    assert JINA_KEY not in str(searched.requests[0].headers.raw) + searched.requests[0].content.decode()
    assert SERPER_KEY not in str(visited.requests[0].headers.raw) + str(visited.requests[0].url)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "file:///etc/passwd", "http://localhost:8000", "dam"])
def test_what_is_not_public_is_never_asked_for(url: str) -> None:
    server = Server(PAGE)
    with pytest.raises(ToolError, match="is not read"):
        web(server).visit(url)
    assert server.requests == []


def test_a_name_that_resolves_to_a_private_address_is_never_asked_for() -> None:
    server = Server(PAGE)
    reader = Web(
        jina_key=SecretStr(JINA_KEY), transport=httpx2.MockTransport(server), resolve=lambda _host: ["10.0.0.1"]
    )
    with pytest.raises(ToolError, match="not of the public web"):
        reader.visit("https://example.org/")
    assert server.requests == []


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_without_a_key_a_service_is_not_there(blank: str | None) -> None:
    server = Server(PAGE)
    without = web(server, serper=blank, jina=blank)
    assert (without.can_search, without.can_visit) == (NO_WEB.can_search, NO_WEB.can_visit) == (False, False)
    with pytest.raises(ToolError, match="SERPER_API_KEY"):
        without.search("dam")
    with pytest.raises(ToolError, match="JINA_API_KEY"):
        without.visit("https://example.org/")
    assert server.requests == []


def test_one_key_is_enough_for_its_service() -> None:
    searching, visiting = web(Server(), jina=None), web(Server(), serper=None)
    assert (searching.can_search, searching.can_visit) == (True, False)
    assert (visiting.can_search, visiting.can_visit) == (False, True)


def test_a_key_that_a_server_repeats_is_hidden_in_what_it_brings() -> None:
    echo = f"Bearer {JINA_KEY} and {SERPER_KEY}"
    hit = {"title": echo, "link": f"https://a.org/{SERPER_KEY}", "snippet": echo, "date": echo}
    pages = search(Server(json.dumps({"organic": [hit]}).replace("secret", "\\u0073ecret")))
    pages += (visit(Server(f"Title: {echo}\n\nMarkdown Content:\n{echo}\n")),)
    assert len(pages) == 2
    for page in pages:
        assert "secret" not in page.model_dump_json()
        assert "[key]" in page.title
        assert "[key]" in page.text


@pytest.mark.parametrize("kept", range(1, len(JINA_KEY)))
def test_the_beginning_of_a_key_at_the_bound_is_not_kept(kept: int) -> None:
    text = visit(Server("a" * (LARGEST - kept) + JINA_KEY + "b" * 100)).text
    assert set(text.partition("\n")[0]) == {"a"}


def test_no_key_is_shown_by_the_web_itself() -> None:
    assert "secret" not in repr(web(Server()))


# -- failures ------------------------------------------------------------------------------------------------


ECHO = f'{{"message": "not with {SERPER_KEY} or {JINA_KEY}"}}'
STATUS = [
    (400, "answered 400"),
    (401, "does not accept the key in {setting}"),
    (402, "wants to be paid first for the key in {setting}"),
    (403, "does not accept the key in {setting}"),
    (422, "answered 422"),
    (429, "is asked too often"),
    (500, "answered 500"),
    (503, "answered 503"),
    (204, "answered 204"),
]


@BOTH
@pytest.mark.parametrize(("status", "words"), STATUS)
def test_a_refusal_says_what_happened_and_what_else_to_do_and_no_key(
    ask: Callable[[Server], object], status: int, words: str
) -> None:
    server = Server(ECHO, status)
    with pytest.raises(ToolError) as raised:
        ask(server)
    setting = "SERPER_API_KEY" if ask is search else "JINA_API_KEY"
    assert words.format(setting=setting) in str(raised.value)
    assert "not with [key] or [key]" in str(raised.value)
    assert "go on" in str(raised.value).lower()
    assert len(server.requests) == 1


@BOTH
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "answered 500. "),
        ("<html><b>Oh</b></html>", "answered 500. "),
        ("Upstream\n\x1b[31mfailed", "answered 500: Upstream [31mfailed. "),
        ('{"message": null}', "answered 500. "),
        ('["a"]', 'answered 500: ["a"]. '),
        ("x" * 5_000, f"answered 500: {'x' * 200}. "),
    ],
)
def test_of_what_a_server_says_to_a_failure_one_short_line_is_kept(
    ask: Callable[[Server], object], body: str, words: str
) -> None:
    with pytest.raises(ToolError) as raised:
        ask(Server(body, 500))
    assert words in str(raised.value)


@pytest.mark.parametrize("spelling", [JINA_KEY, JINA_KEY.replace("secret", "\\u0073ecret")])
@pytest.mark.parametrize("before", [0, 190, 199])
def test_no_part_of_a_key_is_left_where_a_failure_is_cut(spelling: str, before: int) -> None:
    with pytest.raises(ToolError) as raised:
        visit(Server(f'{{"message": "{"." * before}{spelling}"}}', 500))
    assert "jina_" not in str(raised.value)


@BOTH
@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("place", ["http://10.0.0.1/", "https://example.com/", "/other"])
def test_a_redirect_of_a_service_is_not_followed(ask: Callable[[Server], object], status: int, place: str) -> None:
    server = Server(PAGE, status, {"location": place})
    with pytest.raises(ToolError, match=f"answered {status}"):
        ask(server)
    assert len(server.requests) == 1


@BOTH
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx2.ConnectTimeout, "did not answer in time"),
        (httpx2.ReadTimeout, "did not answer in time"),
        (httpx2.ConnectError, "cannot be reached"),
        (httpx2.RemoteProtocolError, "cannot be reached"),
        (httpx2.LocalProtocolError, "cannot be reached"),
        (httpx2.ProxyError, "cannot be reached"),
    ],
)
def test_a_server_that_does_not_answer_is_named_and_no_key_with_it(
    ask: Callable[[Server], object], error: type[httpx2.TransportError], words: str
) -> None:
    with pytest.raises(ToolError, match=words) as raised:
        ask(Server(error=error))
    assert "secret" not in str(raised.value)
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    "body", [b"", b"{", b"<html>", b"[1]", b'"dam"', b"null", b"[" * 100_000, b"\xff\xfe", b'{"organic": [']
)
def test_an_answer_of_the_search_that_is_not_what_it_should_be_is_a_failure(body: bytes) -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        search(Server(body))


@pytest.mark.parametrize("body", ["", " \n", "Title: The dam\n\nURL Source: https://a.org\n\nMarkdown Content:\n \n"])
def test_a_page_without_text_is_a_failure(body: str) -> None:
    with pytest.raises(ToolError, match=r"no text at https://example\.org/dam"):
        visit(Server(body))


# -- bounds --------------------------------------------------------------------------------------------------


def test_of_a_long_page_only_the_beginning_is_read_and_said_so() -> None:
    server = Server(b"0123456789" * 100 for _ in range(1_000))
    page = visit(server)
    assert LARGEST < server.sent <= LARGEST + 1_000
    assert len(page.text) <= LARGEST + 100
    assert page.text.startswith("0123456789")
    assert page.text.endswith("only its beginning was read.]")


def test_a_page_of_exactly_the_bound_is_whole() -> None:
    assert visit(Server("a" * LARGEST)).text == "a" * LARGEST


def test_a_search_answer_without_an_end_is_a_failure() -> None:
    server = Server(b" " * 1_000 for _ in range(1_000))
    with pytest.raises(ToolError, match="cannot be read"):
        search(server)
    assert server.sent <= LARGEST + 1_000


@BOTH
def test_a_failure_without_an_end_is_read_to_the_bound(ask: Callable[[Server], object]) -> None:
    server = Server((b"a" * 1_000 for _ in range(1_000)), 500)
    with pytest.raises(ToolError, match="answered 500"):
        ask(server)
    assert server.sent <= LARGEST + 1_000


@BOTH
@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_nothing_compressed_is_asked_for_or_unpacked(ask: Callable[[Server], object], encoding: str) -> None:
    server = Server(b"\x1f\x8b" + b"0" * 100, headers={"content-encoding": encoding})
    with pytest.raises(ToolError, match="cannot be read"):
        ask(server)
    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert server.sent == 0


def test_an_answer_that_drips_is_given_up() -> None:
    server = Server(b"a" for _ in range(1_000))
    seconds = count(step=7)
    with pytest.raises(ToolError, match="did not answer in time"):
        web(server, elapsed=lambda: float(next(seconds))).visit("https://example.org/")
    assert server.sent == LONGEST // 7 + 1


@BOTH
def test_a_server_may_not_be_silent_for_ever(ask: Callable[[Server], object]) -> None:
    server = Server(status=500)
    with pytest.raises(ToolError):
        ask(server)
    limits = server.requests[0].extensions["timeout"]
    assert all(0 < limits[part] <= LONGEST for part in ("connect", "read", "write", "pool"))


# -- whatever is said ----------------------------------------------------------------------------------------


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("https://a.org"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["organic", "answerBox", "title", "link", "snippet", "date"]), inner)
    ),
    max_leaves=12,
)


@given(_JSON | st.dictionaries(st.sampled_from(["organic", "answerBox", "knowledgeGraph"]), _JSON))
def test_whatever_a_search_answers_it_brings_pages_or_fails_as_a_tool(found: object) -> None:
    try:
        pages: Sequence[WebPage] = search(Server(json.dumps(found)))
    except ToolError:
        return
    for page in pages:
        assert WebPage.model_validate_json(page.model_dump_json()) == page


@given(st.binary(max_size=60), st.integers(200, 599))
def test_whatever_a_reader_answers_it_brings_a_page_or_fails_as_a_tool(body: bytes, status: int) -> None:
    try:
        page = visit(Server(body, status))
    except ToolError:
        return
    assert WebPage.model_validate_json(page.model_dump_json()) == page


def test_half_a_character_in_a_query_or_an_answer_is_replaced() -> None:
    server = Server('{"organic": [{"link": "https://a.org", "title": "a\\ud800", "snippet": "b\\udfff"}]}')
    page = web(server).search("dam \ud83d")[0]
    assert page.model_dump() == {"url": "https://a.org", "title": "a", "text": "b"}
    assert json.loads(server.requests[0].content)["q"] == "dam"
