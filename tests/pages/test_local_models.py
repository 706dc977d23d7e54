"""A model on this computer is looked for when a visitor may and asks for it, and used for this visitor alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from memory_bank.app import local_servers
from memory_bank.bank.settings import Settings
from memory_bank.storage.session_store import SessionStore
from pages.shared import server as server_module
from pages.shared.local_models import may_look
from tests.pages.conftest import Page
from tests.pages.little_server import api, http_server
from tests.pages.test_session_page import wait_until

LOOK, USE = "Look for a model on this computer", "Use and test this model"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server of two models at the port of vLLM, and what it was asked."""
    got: list[str] = []

    def answer(method: str, path: str) -> tuple[int, Any]:
        got.append(path)
        if path == "/v1/models":
            return 200, {"data": [{"id": "tiny-1.5b"}, {"id": "llama-8b"}]}
        return api(method, path)

    with http_server(answer) as address:
        ports = {"vLLM": int(address.rpartition(":")[2])}
        monkeypatch.setattr(server_module, "find_local_servers", lambda: local_servers.find_local_servers(ports))
        yield got


@pytest.fixture
def allowed(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIND_LOCAL_MODELS", "yes")


def looked(page: Page) -> Page:
    page.press(LOOK)
    wait_until(page, page.test.session_state["local models found"].done)
    return page.run()


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("place", ["session", "settings"])
def test_nothing_is_asked_before_the_button_is_pressed_and_then_the_models_are_listed(
    asked: list[str], place: str
) -> None:
    page = Page().go(place)
    assert asked == []
    looked(page)
    assert asked == ["/v1/models"]
    assert [option.split(" at ")[0] for option in page.field("Model").options] == ["tiny-1.5b", "llama-8b"]


@pytest.mark.usefixtures("allowed")
def test_a_model_is_used_with_the_preset_for_its_size_and_tested(asked: list[str]) -> None:
    page = looked(Page().go("settings"))
    assert any("A small model" in caption.value for caption in page.test.caption)
    page.field("Model").select(1)
    page.run()
    assert any("not been measured" in caption.value for caption in page.test.caption)
    page.press(USE)
    wait_until(page, lambda: all(test.outcome.done() for test in page.test.session_state["local models tested"]))
    page.run()
    settings = page.test.session_state["choices"].settings
    assert (settings.llm_provider, settings.llm_preset, settings.local.model) == ("local", "balanced", "llama-8b")
    assert settings.local.base_url.startswith("http://127.0.0.1:")
    assert "works" in page.markup
    assert page.field("Engine for all agents").value == "local"
    assert "/v1/chat/completions" in asked


@pytest.mark.usefixtures("allowed", "asked")
def test_what_was_set_before_stays_and_another_visitor_has_none_of_it() -> None:
    page = Page().go("settings")
    page.field("Token limit of a session").set_value(5000)
    page.field("OpenAI: key").set_value("sk-mine")
    page.press("Save")
    looked(page).press(USE)
    settings = page.test.session_state["choices"].settings
    assert (settings.llm_preset, settings.max_total_tokens) == ("fast", 5000)
    assert settings.openai.api_key.get_secret_value() == "sk-mine"
    assert "choices" not in Page().go("settings").test.session_state


@pytest.mark.usefixtures("allowed")
def test_where_nothing_answers_it_says_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "find_local_servers", lambda: ())
    assert "Ollama (11434), llama.cpp (8080)" in looked(Page().go("settings")).messages


def test_a_visitor_who_may_not_look_is_offered_nothing(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIND_LOCAL_MODELS", "no")
    assert LOOK not in Page().go("settings").labels()
    assert LOOK not in Page().labels()


@pytest.mark.parametrize(
    ("listens_on", "headers", "may"),
    [
        ("localhost", {"Host": "localhost:8501"}, True),
        ("localhost", {"Host": "127.0.0.1:8501"}, True),
        ("localhost", {"host": "[::1]:8501"}, True),
        ("localhost", {"Host": "bank.example"}, False),  # a proxy on this computer
        ("localhost", {"Host": "localhost:8501", "X-Forwarded-For": "203.0.113.9"}, False),
        ("localhost", {"Host": "localhost.example:8501"}, False),
        ("localhost", {}, False),
        ("0.0.0.0", {"Host": "localhost:8501"}, False),  # noqa: S104 - open to others, who can send any Host
        (None, {"Host": "localhost:8501"}, False),
    ],
)
def test_by_default_only_whoever_sits_at_the_computer_may(
    listens_on: str | None,
    headers: Mapping[str, str],
    may: bool,  # noqa: FBT001
) -> None:
    assert may_look(Settings(), listens_on, headers) is may
    assert may_look(Settings(find_local_models="yes"), listens_on, headers)
    assert not may_look(Settings(find_local_models="no"), listens_on, headers)
