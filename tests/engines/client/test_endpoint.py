"""The endpoint of an agent's model, from the settings."""

from __future__ import annotations

from typing import Any

import pytest

from memory_bank.agents.research import RESEARCH_TEMPERATURE, RESEARCH_TOP_P
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.client.client import ModelClients
from memory_bank.engines.client.endpoint import endpoint_of
from tests.engines.conftest import KEY
from tests.scripted_model import ScriptedModel

OPENAI: dict[str, Any] = {"llm_provider": "openai", "openai": {"api_key": KEY}}


def settings(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("given", "temperature", "top_p"),
    [
        ({}, 0.1, 0.8),
        ({"llm_temperature": 0.7}, 0.7, 0.8),
        ({"llm_temperature": 0.6, "llm_top_p": 0.95}, 0.6, 0.95),
        ({"structure": {"temperature": 0.0}}, 0.0, 0.8),
        ({"llm_temperature": 0.7, "structure": {"temperature": 0.3, "top_p": 0.5}}, 0.3, 0.5),
    ],
)
def test_an_agents_own_freedom_comes_before_that_for_all_and_that_before_its_table(
    given: dict[str, Any], temperature: float, top_p: float
) -> None:
    endpoint = endpoint_of(settings(**OPENAI, **given), "structure")
    assert (endpoint.temperature, endpoint.top_p) == (temperature, top_p)


@pytest.mark.parametrize(
    ("agent", "freedom"),
    [
        ("classification", (0.4, 0.9)),
        ("structure", (0.1, 0.8)),
        ("analysis", (0.4, 0.9)),
        ("integration", (0.2, 0.85)),
        ("planning", (0.6, 0.95)),
        ("react", (0.6, 0.95)),
    ],
)
def test_every_agent_has_the_freedom_of_the_specification(agent: str, freedom: tuple[float, float]) -> None:
    endpoint = endpoint_of(settings(**OPENAI), agent)
    assert (endpoint.temperature, endpoint.top_p) == freedom


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"llm_provider": "openai"}, "OPENAI_API_KEY"),
        ({"llm_provider": "openai", "openai": {"api_key": "  "}}, "OPENAI_API_KEY"),
        ({"llm_provider": "deepseek", "openai": {"api_key": KEY}}, "DEEPSEEK_API_KEY"),
        ({"llm_provider": "local"}, "LOCAL_MODEL"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, Any], variable: str) -> None:
    with pytest.raises(SettingsError) as raised:
        endpoint_of(settings(**given), "react")
    assert raised.value.variable == variable


def test_research_asks_reacts_model_in_a_way_of_its_own() -> None:
    given = {"openai": {"api_key": KEY}, "react": {"model": "gpt-5", "temperature": 1.5}}
    react, research = (endpoint_of(settings(llm_provider="openai", **given), name) for name in ("react", "research"))
    assert (react.model, research.model) == ("gpt-5", "gpt-5")
    assert (research.temperature, research.top_p) == (RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
    own = endpoint_of(settings(llm_provider="openai", **given, research={"model": "gpt-4o", "top_p": 0.5}), "research")
    assert (own.model, own.top_p) == ("gpt-4o", 0.5)


def test_space_around_a_key_does_not_belong_to_it() -> None:
    endpoint = endpoint_of(settings(llm_provider="openai", openai={"api_key": f" {KEY}\n"}), "react")
    assert endpoint.api_key.get_secret_value() == KEY


@pytest.mark.parametrize(
    "address", ["http://localhost:abc/v1", "http://localhost:99999/v1", "http://[::1/v1", "http://me:pass-word@h:x/v1"]
)
def test_an_address_that_is_none_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(SettingsError) as raised:
        endpoint_of(settings(llm_provider="local", local={"model": "m", "base_url": address}), "react")
    assert raised.value.variable == "LOCAL_BASE_URL"
    assert "pass-word" not in str(raised.value)


def test_an_endpoint_shows_neither_key_nor_password() -> None:
    own = {"api_key": KEY, "base_url": "https://me:pass-word@models.example/v1"}
    shown = repr(endpoint_of(settings(llm_provider="openai", openai=own), "react"))
    assert KEY not in shown
    assert "pass-word" not in shown


@pytest.mark.parametrize(
    ("provider", "base_url", "model", "native_tools"),
    [
        ("openai", "https://api.openai.com/v1", "gpt-4o-mini", True),
        ("deepseek", "https://api.deepseek.com", "deepseek-chat", True),
        ("local", "http://localhost:8000/v1", "tiny", False),
    ],
)
def test_a_provider_has_its_defaults(provider: str, base_url: str, model: str, *, native_tools: bool) -> None:
    given: dict[str, Any] = {provider: {"api_key": KEY} if provider != "local" else {"model": "tiny"}}
    endpoint = endpoint_of(settings(llm_provider=provider, **given), "planning")
    assert (endpoint.provider, endpoint.base_url, endpoint.model) == (provider, base_url, model)
    assert endpoint.native_tools is native_tools
    assert (endpoint.max_tokens, endpoint.timeout) == (4_096, 120.0)


def test_an_agents_own_provider_and_model_come_first() -> None:
    given = {"openai": {"api_key": KEY, "model": "gpt-4.1"}, "local": {"model": "tiny"}}
    chosen = settings(
        llm_provider="openai", **given, planning={"provider": "local", "model": "big"}, react={"model": "gpt-5"}
    )
    found = {agent: endpoint_of(chosen, agent) for agent in AGENTS}
    assert (found["planning"].provider, found["planning"].model) == ("local", "big")
    assert (found["react"].provider, found["react"].model) == ("openai", "gpt-5")
    assert (found["structure"].provider, found["structure"].model) == ("openai", "gpt-4.1")


@pytest.mark.parametrize(("provider", "tools", "native"), [("local", "native", True), ("openai", "tags", False)])
def test_how_tools_are_offered_can_be_chosen(provider: str, tools: str, *, native: bool) -> None:
    given = {"openai": {"api_key": KEY}, "local": {"model": "tiny"}, "react": {"tools": tools}}
    assert endpoint_of(settings(llm_provider=provider, **given), "react").native_tools is native


def test_agents_share_a_client_only_where_they_ask_the_same_in_the_same_way() -> None:
    clients = ModelClients(settings(**OPENAI), ScriptedModel([]), len)
    assert clients.client("classification") is clients.client("analysis")
    assert clients.client("classification") is not clients.client("structure")
