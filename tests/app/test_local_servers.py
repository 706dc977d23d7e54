"""Model servers of this computer are found by their lists of models; whatever else listens there does no harm."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from memory_bank.app.local_servers import MOST_MODELS, LocalServer, billions_of_parameters, find_local_servers
from tests.model_server.conftest import free_port
from tests.pages.little_server import api, http_server


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def found_at(address: str) -> tuple[LocalServer, ...]:
    return find_local_servers({"vLLM": port_of(address)})


def test_those_that_answer_are_found_with_their_models() -> None:
    with http_server(api) as first, http_server(api) as second:
        ports = {"Ollama": port_of(first), "llama.cpp": free_port(), "vLLM": port_of(second)}
        found = find_local_servers(ports)
    assert found == (
        LocalServer("Ollama", f"{first}/v1", ("llama",)),
        LocalServer("vLLM", f"{second}/v1", ("llama",)),
    )


@pytest.mark.parametrize(
    "body",
    [
        "<html>a web page</html>",
        {},
        [],
        {"data": None},
        {"data": []},
        {"data": [{"name": "x"}]},
        {"data": [{"id": 7}]},
        {"data": [{"id": ""}, {"id": "x" * 5000}]},
        {"data": [{"id": "x", "more": "y" * 2_000_000}]},
    ],
    ids=lambda body: str(body)[:30],
)
def test_any_other_program_is_not_taken_for_one(body: Any) -> None:
    with http_server(lambda _method, _path: (200, body)) as address:
        assert found_at(address) == ()


@pytest.mark.parametrize(("status", "found"), [(404, False), (500, False), (302, False), (401, True), (403, True)])
def test_one_that_wants_a_key_is_told_and_any_other_status_is_no_server(status: int, found: bool) -> None:  # noqa: FBT001
    with http_server(lambda _method, _path: (status, {})) as address:
        assert found_at(address) == ((LocalServer("vLLM", f"{address}/v1", (), needs_key=True),) if found else ())


def test_names_are_one_line_and_not_more_than_can_be_shown() -> None:
    models = [{"id": f"model\n{number}\x1b[31m"} for number in range(2 * MOST_MODELS)]
    with http_server(lambda _method, _path: (200, {"data": models})) as address:
        (server,) = found_at(address)
    assert len(server.models) == MOST_MODELS
    assert "\n" not in "".join(server.models)


def test_it_asks_for_the_list_alone_and_nothing_is_sent_with_it() -> None:
    asked: list[tuple[str, str]] = []

    def answer(method: str, path: str) -> tuple[int, Any]:
        asked.append((method, path))
        return api(method, path)

    with http_server(answer) as address:
        found_at(address)
    assert asked == [("GET", "/v1/models")]


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a program that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


def test_those_that_do_not_answer_are_waited_for_together_and_not_long(silent: int) -> None:
    started = time.monotonic()
    assert find_local_servers({f"server {number}": silent for number in range(4)}) == ()
    assert time.monotonic() - started < 5


def test_the_environments_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with http_server(api) as address:
        assert len(found_at(address)) == 1


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("qwen2.5-coder-1.5b-instruct", 1.5),
        ("llama3.1:8b", 8.0),
        ("Mixtral-8x7B", None),
        ("meta-llama/Llama-3.3-70B-Instruct", 70.0),
        ("qwen3:30b-a3b", 30.0),
        ("small", None),
        ("model-4bit", None),
        ("llama3.2:latest", None),
    ],
)
def test_the_size_is_read_from_the_name_where_it_says_one(model: str, size: float | None) -> None:
    assert billions_of_parameters(model) == size
