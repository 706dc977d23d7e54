"""The connection check, against a scripted model and against small local servers."""

from __future__ import annotations

import json
import socket
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_bank.app.connection import (
    ModelServer,
    check_connection,
    host_of,
    model_servers,
    offline_settings,
    shown_address,
)
from memory_bank.bank.errors import ModelRefusedError, ModelUnavailableError, SettingsError
from memory_bank.bank.settings import AGENTS, load_settings
from tests.pages.little_server import api, http_server
from tests.scripted_model import ScriptedModel, ScriptedReply

KEY = "sk-very-secret-1234"


@pytest.fixture(autouse=True)
def _no_dotenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def openai_server(model: str = "gpt-4o-mini") -> ModelServer:
    (found,) = model_servers(load_settings(llm_provider="openai", openai={"api_key": KEY, "model": model}))
    return found


def refusal(status: int, message: str = "no") -> httpx2.Response:
    return httpx2.Response(status, json={"error": {"message": message}})


# -- which servers ------------------------------------------------------------------------------------------


def test_the_embedded_engine_asks_no_server() -> None:
    assert model_servers(load_settings()) == ()


def test_embedded_settings_ask_nobody_and_keep_the_rest() -> None:
    given = load_settings(llm_provider="openai", retrieval_k=7, react={"provider": "local", "window": 4096})
    found = offline_settings(given)
    assert model_servers(found) == ()
    assert {found.provider(agent) for agent in AGENTS} == {"offline"}
    assert (found.retrieval_k, found.react.window, given.llm_provider) == (7, 4096, "openai")


def test_each_model_is_named_once_with_the_agents_that_ask_it() -> None:
    found = model_servers(
        load_settings(
            llm_provider="openai",
            openai={"api_key": KEY},
            local={"base_url": "http://ada:word@localhost:8080/v1", "model": "llama"},
            planning={"provider": "local", "temperature": 0.1},
            react={"provider": "local"},
            structure={"provider": "offline"},
        )
    )
    assert [(server.name, server.endpoint.model, server.agents) for server in found] == [
        ("openai at api.openai.com", "gpt-4o-mini", ("classification", "analysis", "integration")),
        ("local at localhost:8080", "llama", ("planning", "react", "research", "remember")),
    ]


def test_a_missing_key_is_named() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        model_servers(load_settings(llm_provider="openai"))


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://localhost:8000/v1", "localhost:8000"),
        ("http://ada:pass@word@host.example:1/v1", "host.example:1"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
    ],
)
def test_a_host_is_named_without_a_password(url: str, host: str) -> None:
    assert host_of(url) == host
    assert shown_address(url) == f"{url.partition(':')[0]}://{host}/v1"


# -- a model behind the real client -------------------------------------------------------------------------


def test_success_says_who_answers_as_what_and_how_fast() -> None:
    clock = count(10, 0.8)
    words = check_connection(openai_server(), ScriptedModel(["ready"]), lambda: next(clock))
    assert words == "openai at api.openai.com answers as gpt-4o-mini, 0.8 s"


def test_a_model_that_only_thought_did_answer() -> None:
    silent = ScriptedModel([ScriptedReply(reasoning="I think and think", finish="length")])
    assert "answers as gpt-4o-mini" in check_connection(openai_server(), silent)


def test_one_short_answer_is_asked_for() -> None:
    model = ScriptedModel(["ready"])
    check_connection(openai_server(), model)
    (asked,) = model.requests
    assert asked["max_tokens"] <= 100
    assert len(json.dumps(asked)) < 300


REFUSED: list[tuple[str, httpx2.Response, list[str] | None, str, str]] = [
    ("a wrong key", refusal(401), ["gpt-4o-mini"], "OPENAI_API_KEY", "OPENAI_MODEL"),
    ("a wrong key and a wrong model", refusal(401), ["gpt-5"], "OPENAI_API_KEY", "OPENAI_MODEL"),
    ("a wrong model", refusal(404), ["gpt-5", "gpt-5-mini"], "no model 'gpt-4o-mini', but gpt-5, gpt-5-mini;", "URL"),
    ("a wrong model, said as DeepSeek does", refusal(400, "Model Not Exist"), ["gpt-5"], "but gpt-5;", "URL"),
    ("many models", refusal(404), [f"m{n}" for n in range(7)], "but m0, m1, m2, m3, m4 and 2 more;", "m5"),
    ("a wrong address", refusal(404), None, "no API under this address", "OPENAI_MODEL"),
    ("no money", refusal(402, "pay first"), ["gpt-4o-mini"], "pay first", "OPENAI_MODEL"),
    ("no money and no list", refusal(402, "pay first"), None, "pay first", "address"),
    ("a 404 of a model that is there", refusal(404), ["gpt-4o-mini"], "check OPENAI_MODEL and OPENAI_BASE_URL", "but"),
]


@pytest.mark.parametrize(
    ("answer", "models", "said", "unsaid"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_a_wrong_key_a_wrong_model_and_a_wrong_address_are_told_apart(
    answer: httpx2.Response, models: list[str] | None, said: str, unsaid: str
) -> None:
    with pytest.raises(ModelRefusedError) as raised:
        check_connection(openai_server(), ScriptedModel(lambda _asked: answer, models))
    assert said in raised.value.reason
    assert unsaid not in raised.value.reason


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_server_that_repeats_the_key_does_not_make_us_say_it(status: int) -> None:
    echo = ScriptedModel(lambda _asked: refusal(status, f"who is {KEY}?"), [KEY])
    with pytest.raises((ModelRefusedError, ModelUnavailableError)) as raised:
        check_connection(openai_server(), echo)
    assert KEY not in str(raised.value)


def test_the_password_of_an_address_is_sent_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    sent: list[str] = []

    def protected(asked: httpx2.Request) -> httpx2.Response:
        sent.append(asked.headers["authorization"])
        return httpx2.Response(404)

    with pytest.raises(ModelRefusedError) as raised:
        check_connection(local("http://ada:pass-word@127.0.0.1:9/v1"), httpx2.MockTransport(protected))
    assert sent == ["Basic YWRhOnBhc3Mtd29yZA=="] * 2
    assert "pass-word" not in caplog.text + str(raised.value)


# -- real servers -------------------------------------------------------------------------------------------


def local(base_url: str, model: str = "llama") -> ModelServer:
    (found,) = model_servers(load_settings(llm_provider="local", local={"base_url": base_url, "model": model}))
    assert found.agents == AGENTS
    return found


def test_a_local_server_that_answers() -> None:
    with http_server(api) as url:
        assert check_connection(local(f"{url}/v1")).startswith(
            f"local at {url.removeprefix('http://')} answers as llama"
        )


@pytest.mark.parametrize("path", ["", "/", "/v2", "/v1/chat"])
def test_a_wrong_path_is_a_wrong_address(path: str) -> None:
    with http_server(api) as url, pytest.raises(ModelRefusedError, match=r"no API under this address.*LOCAL_BASE_URL"):
        check_connection(local(f"{url}{path}"))


def test_a_wrong_model_on_a_local_server() -> None:
    def strict(method: str, path: str) -> tuple[int, Any]:
        return api(method, path) if method == "GET" else (404, {"error": {"message": "model not found"}})

    with http_server(strict) as url, pytest.raises(ModelRefusedError, match="no model 'mistral', but llama;"):
        check_connection(local(f"{url}/v1", "mistral"))


@pytest.mark.parametrize("status", [200, 404, 405])
def test_a_page_for_people_is_no_model(status: int) -> None:
    with (
        http_server(lambda _method, _path: (status, "<html>Welcome</html>")) as url,
        pytest.raises(ModelRefusedError, match="no API under this address"),
    ):
        check_connection(local(f"{url}/v1"))


def test_a_key_that_only_the_list_of_models_refuses_is_a_wrong_key() -> None:
    def guarded(method: str, _path: str) -> tuple[int, Any]:
        return (401 if method == "GET" else 404), {"error": {"message": "no"}}

    with http_server(guarded) as url, pytest.raises(ModelRefusedError, match="does not accept the key"):
        check_connection(local(f"{url}/v1"))


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but not listening
        port = taken.getsockname()[1]
        with pytest.raises(ModelUnavailableError, match=f"127.0.0.1:{port} cannot be reached.*LOCAL_BASE_URL"):
            check_connection(local(f"http://127.0.0.1:{port}/v1"))
