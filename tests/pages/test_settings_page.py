"""The Settings page: what a visitor chooses holds for that visitor's sessions, and a key is seen by nobody."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
import streamlit as st
from pydantic import SecretStr

from memory_bank.bank.settings import AGENTS
from memory_bank.storage.session_store import SessionStore
from pages.shared.server import get_server
from tests.pages.conftest import Page
from tests.pages.little_server import api, http_server
from tests.pages.test_session_page import wait_until

KEY = "sk-very-secret-1234"
SAVE, TEST, RESET = "Save", "Save and test the connection", "Reset to the environment’s settings"


@pytest.fixture
def page(store: SessionStore) -> Page:
    """A visitor on the Settings page."""
    return Page().go("settings")


def fill(page: Page, **values: object) -> Page:
    """Fill fields in by label, with "_" for what is no letter, and save."""
    for label, value in values.items():
        field = page.field(LABELS[label])
        field.select(value) if hasattr(field, "select") else field.set_value(value)
    return page.press(SAVE)


LABELS = {
    "engine": "Engine for all agents",
    "key": "OpenAI: key",
    "address": "OpenAI: address",
    "model": "OpenAI: model",
    "local_address": "Local server: address",
    "local_model": "Local server: model",
    "serper": "Serper: key",
    "planning": "Planning: engine",
    "window": "ReAct: window (tokens)",
    "temperature": "Structure: temperature",
    "tokens": "Token limit of a session",
    "money": "Cost limit of a session (USD)",
}


def settings_of(page: Page) -> Any:
    """The settings that the visitor's next session would get."""
    kept = page.test.session_state["choices"]
    return kept.settings


# -- choosing ------------------------------------------------------------------------------------------------


def test_every_field_has_a_label_of_its_own(page: Page) -> None:
    fields = [*page.test.text_input, *page.test.number_input, *page.test.selectbox]
    labels = [field.label for field in fields]
    assert len(labels) == len(set(labels)) == 3 + 9 + 5 * len(AGENTS) + 5
    assert all(labels)
    assert all(
        field.proto.type == field.proto.PASSWORD for field in page.test.text_input if field.label.endswith("key")
    )


def test_what_is_chosen_is_there_on_coming_back(page: Page) -> None:
    fill(page, engine="local", local_model="llama", window=4096, temperature=0.25, tokens=5000, planning="offline")
    assert [message.value for message in page.test.success] == ["Saved for this tab."]
    page.go("session").go("settings")
    assert page.field("Engine for all agents").value == "local"
    assert page.field("Local server: model").value == "llama"
    assert page.field("ReAct: window (tokens)").value == 4096
    assert page.field("Structure: temperature").value == 0.25
    assert page.field("Planning: engine").value == "offline"
    found = settings_of(page)
    assert (found.llm_provider, found.local.model, found.react.window) == ("local", "llama", 4096)
    assert (found.structure.temperature, found.max_total_tokens, found.provider("planning")) == (0.25, 5000, "offline")
    assert not page.test.success, "what was said is said once"


def test_empty_fields_say_what_holds_without_them(page: Page) -> None:
    assert page.field("OpenAI: address").proto.placeholder == "https://api.openai.com/v1"
    assert page.field("OpenAI: model").proto.placeholder == "gpt-4o-mini"
    assert page.field("OpenAI: key").proto.placeholder == "none"
    assert page.field("Token limit of a session").proto.placeholder == "no limit"
    assert page.field("ReAct: window (tokens)").proto.placeholder == "32000"


WRONG = [
    ({"address": "api.openai.com"}, "OpenAI: address must be an address that begins with http:// or https://"),
    ({"temperature": 3.0}, "Structure: temperature must be less than or equal to 2"),
    ({"window": 10}, "ReAct: window (tokens) must be greater than or equal to 512"),
    ({"tokens": 0}, "Token limit of a session must be greater than or equal to 1"),
    ({"money": -1.0}, "Cost limit of a session (USD) must be greater than 0"),
    ({"key": "sk-§§§§"}, "OpenAI: key must be a key of letters, digits and signs"),
]


@pytest.mark.parametrize(("typed", "said"), WRONG, ids=[next(iter(typed)) for typed, _said in WRONG])
def test_a_wrong_value_is_refused_by_its_name_on_the_page(page: Page, typed: dict[str, object], said: str) -> None:
    fill(page, engine="local", **typed)
    assert "Nothing was saved." in page.messages
    assert said in page.messages
    assert "choices" not in page.test.session_state, "nothing is saved"
    (label,) = (LABELS[name] for name in typed)
    assert page.field(label).value == next(iter(typed.values())), "and what was typed can be corrected"


def test_reset_goes_back_to_the_environment(page: Page) -> None:
    fill(page, engine="openai", key=KEY, window=4096)
    page.press(RESET)
    assert page.field("Engine for all agents").value == "offline"
    assert page.field("ReAct: window (tokens)").value is None
    assert page.field("OpenAI: key").proto.placeholder == "none"
    assert settings_of(page).openai.api_key is None
    assert RESET not in page.labels()


# -- what is set, and where ----------------------------------------------------------------------------------


def rows(page: Page) -> list[tuple[str, ...]]:
    """The table of what is set: setting, value, where."""
    lines = re.findall(r'<tr><th scope="row">(.*?)</th><td class="mb-name">(.*?)</td><td>(.*?)</td>', page.markup)
    return [tuple(line) for line in lines]


def test_what_is_set_is_told_with_where_it_was_set(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "All settings have their default values." in Page().go("settings").markup
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LOCAL_BASE_URL", "https://ada:password@proxy.example/v1")
    monkeypatch.setenv("MAX_TOTAL_TOKENS", "9000")
    st.cache_resource.clear()
    page = fill(Page().go("settings"), planning="local", local_model="<b>llama", serper=KEY, tokens=5000)
    assert rows(page) == [
        ("OpenAI: key", "set, not shown", "the environment"),
        ("Local server: address", "https://proxy.example/v1", "the environment"),
        ("Local server: model", "&lt;b&gt;llama", "this tab"),
        ("Planning: engine", "Local server", "this tab"),
        ("Token limit of a session", "5000", "this tab"),
        ("Serper: key", "set, not shown", "this tab"),
    ]
    assert KEY not in page.everything


# -- the language --------------------------------------------------------------------------------------------


def test_the_language_is_chosen_by_its_own_name_and_at_once(page: Page) -> None:
    (choice,) = page.test.radio
    assert (choice.options, choice.value) == (["English", "中文"], "en")
    choice.set_value("zh")
    page.run()
    assert page.test.session_state["language"] == "zh"
    assert page.go("session").go("settings").test.radio[0].value == "zh", "it is there on coming back"
    assert "language" not in Page().go("settings").test.session_state, "others keep theirs"


# -- keys ----------------------------------------------------------------------------------------------------


def test_a_key_is_kept_and_never_sent_back(page: Page) -> None:
    fill(page, engine="openai", key=KEY)
    assert KEY not in page.everything
    assert page.field("OpenAI: key").value == ""
    assert page.field("OpenAI: key").proto.placeholder == "set in this tab"
    fill(page, model="gpt-5")
    assert settings_of(page).openai.api_key == SecretStr(KEY), "it stays when another field is changed"
    assert KEY not in str(page.test.session_state._state.filtered_state)
    for other in ("session", "sessions", "settings"):
        assert KEY not in page.go(other).everything


def test_a_key_reaches_no_other_visitor_and_not_the_environment(page: Page) -> None:
    fill(page, engine="openai", key=KEY, serper=KEY)
    other = Page().go("settings")
    assert other.field("Engine for all agents").value == "offline"
    assert other.field("OpenAI: key").proto.placeholder == "none"
    assert "choices" not in other.test.session_state
    assert KEY not in other.everything
    assert KEY not in str(dict(os.environ))
    assert KEY not in repr(get_server().settings)


def test_a_key_of_the_environment_is_told_of_and_not_shown(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://ada:password@proxy.example/v1")
    page = Page().go("settings")
    assert page.field("OpenAI: key").proto.placeholder == "set in the environment"
    assert page.field("OpenAI: address").proto.placeholder == "https://proxy.example/v1"
    assert KEY not in page.everything
    assert "password@" not in page.everything


@pytest.mark.parametrize("provider", ["openai", "local"])
def test_a_key_of_the_environment_is_not_sent_to_an_address_that_a_visitor_typed(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    page = Page().go("settings")
    name = {"openai": "OpenAI", "local": "Local server"}[provider]
    page.field(f"{name}: address").set_value("http://elsewhere.example/v1")
    page.press(SAVE)
    assert getattr(settings_of(page), provider).api_key is None
    fill(page, window=4096)
    assert getattr(settings_of(page), provider).api_key is None
    page.field(f"{name}: key").set_value("sk-my-own")
    page.press(SAVE)
    assert getattr(settings_of(page), provider).api_key == SecretStr("sk-my-own")
    assert getattr(get_server().settings, provider).api_key == SecretStr(KEY), "others have it still"


def test_it_is_said_why_the_key_of_the_environment_is_not_enough(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    page = fill(Page().go("settings"), engine="openai", address="http://elsewhere.example/v1")
    assert "OpenAI: key must be typed too" in page.messages


# -- the connection ------------------------------------------------------------------------------------------


def test_a_connection_that_works_is_said_with_its_model(page: Page) -> None:
    with http_server(api) as url:
        try_local(page, f"{url}/v1", "llama")
    assert "<b>works</b>" in page.markup
    assert "answers as llama" in page.markup


WRONG_PLACES = [("/v1", "mistral", "no model"), ("/v2", "llama", "no API under this address")]


@pytest.mark.parametrize(("path", "model", "said"), WRONG_PLACES)
def test_a_connection_that_fails_says_which_field_to_change(page: Page, path: str, model: str, said: str) -> None:
    def strict(method: str, asked: str) -> tuple[int, Any]:
        return (404, {}) if method == "POST" else api(method, asked)

    with http_server(strict) as url:
        try_local(page, f"{url}{path}", model)
    assert "<b>does not work</b>" in page.markup
    assert said in page.markup
    assert ("“Local server: model”" if path == "/v1" else "“Local server: address”") in page.markup


def try_local(page: Page, url: str, model: str) -> None:
    page.field("Engine for all agents").select("local")
    page.field("Local server: address").set_value(url)
    page.field("Local server: model").set_value(model)
    page.press(TEST)
    wait_until(page, lambda: "testing" not in page.markup)


def test_without_a_model_there_is_nothing_to_test(page: Page) -> None:
    page.press(TEST)
    assert "no connection to test" in page.test.success[0].value


def test_a_key_that_is_missing_is_named_before_anything_is_sent(page: Page) -> None:
    page.field("Engine for all agents").select("openai")
    page.press(TEST)
    assert "OpenAI: key must be the key of your account" in page.messages
    assert "choices" not in page.test.session_state


def test_research_is_set_beside_the_agents_and_follows_react(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACT_WINDOW", "9000")
    monkeypatch.setenv("REACT_MODEL", "big")
    st.cache_resource.clear()
    page = Page().go("settings")
    engine = page.field("Research: engine")
    assert engine.options[0] == "same as ReAct"
    assert page.field("Research: window (tokens)").proto.placeholder == "9000"
    assert page.field("Research: model").proto.placeholder == "big"
    engine.select("local")
    page.field("Local server: model").set_value("llama")
    page.press(SAVE)
    found = settings_of(page)
    assert (found.provider("react"), found.provider("research")) == ("offline", "local")
    assert found.agent("research").window == 32_000, "another engine has a window of its own"
