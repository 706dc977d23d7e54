"""The endpoint of an agent's model: server address, key, model name and sampling parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2
from pydantic import SecretStr

from memory_bank.agents.analysis import ANALYSIS
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.integration import INTEGRATION
from memory_bank.agents.planning import PLANNING
from memory_bank.agents.react import REACT, REACT_TEMPERATURE, REACT_TOP_P
from memory_bank.agents.remember import REMEMBER_EXTRACTION
from memory_bank.agents.research import RESEARCH_PLAN
from memory_bank.agents.structure import STRUCTURE
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import NOT_SHOWN, ProviderSettings, Settings, without_folder
from memory_bank.text.wording import Wording


@dataclass(frozen=True)
class Provider:
    """Defaults of a provider. `native_tools`: it accepts tools in the request."""

    base_url: str
    model: str | None
    needs_key: bool
    native_tools: bool


PROVIDERS = {
    "openai": Provider("https://api.openai.com/v1", "gpt-4o-mini", needs_key=True, native_tools=True),
    "deepseek": Provider("https://api.deepseek.com", "deepseek-chat", needs_key=True, native_tools=True),
    "local": Provider("http://localhost:8000/v1", None, needs_key=False, native_tools=False),
}
_AGENTS = (CLASSIFICATION, STRUCTURE, ANALYSIS, INTEGRATION, PLANNING, RESEARCH_PLAN, REMEMBER_EXTRACTION)
_SAMPLING = {agent.set_as: (agent.temperature, agent.top_p) for agent in _AGENTS}
_SAMPLING[REACT] = (REACT_TEMPERATURE, REACT_TOP_P)


@dataclass(frozen=True)
class Endpoint:
    """One model of one server with the sampling parameters of one agent. Equal endpoints share a client.

    The address may contain a user name and a password, so it is not shown.
    """

    provider: str
    base_url: str = field(repr=False)
    api_key: SecretStr
    model: str
    temperature: float
    top_p: float
    max_tokens: int
    timeout: float
    native_tools: bool

    @property
    def model_name(self) -> str:
        """The model's name as shown and recorded; of a file path only the file name."""
        return without_folder(self.model) or self.model


def host_of(base_url: str) -> str:
    """Host and port of an address, without user name and password."""
    return urlsplit(base_url).netloc.rpartition("@")[2]


def endpoint_of(settings: Settings, agent: str) -> Endpoint:
    """The endpoint of an agent's model. `SettingsError` names the variable that is missing or unusable."""
    name = settings.provider(agent)
    provider, agent_settings = PROVIDERS[name], settings.agent(agent)
    provider_settings: ProviderSettings = getattr(settings, name)
    if provider.needs_key and provider_settings.api_key is None:
        raise SettingsError(
            f"{name.upper()}_API_KEY", "", Wording("the key of your account with {provider}", provider=name)
        )
    model = agent_settings.model or provider_settings.model or provider.model
    if model is None:
        raise SettingsError(f"{name.upper()}_MODEL", "", Wording("the name of a model that your server runs"))
    address = provider_settings.base_url or provider.base_url
    if not is_address(address):
        shown = NOT_SHOWN if "@" in address else address
        raise SettingsError(
            f"{name.upper()}_BASE_URL", shown, Wording("an address such as {address}", address=provider.base_url)
        )
    temperature, top_p = _sampling(settings, agent)
    return Endpoint(
        provider=name,
        base_url=address,
        api_key=provider_settings.api_key or SecretStr(""),
        model=model,
        temperature=temperature,
        top_p=top_p,
        max_tokens=settings.llm_max_tokens,
        timeout=settings.llm_timeout,
        native_tools=provider.native_tools if settings.react.tools == "auto" else settings.react.tools == "native",
    )


def is_address(text: str) -> bool:
    """Whether an address has a host and a valid port."""
    try:
        return bool(httpx2.URL(text).host) and urlsplit(text).port != 0
    except (httpx2.InvalidURL, ValueError):
        return False


def _sampling(settings: Settings, agent: str) -> tuple[float, float]:
    """Temperature and top-p: the agent's own setting, else the one for all agents, else the agent's default."""
    agent_settings, explicit = settings.agent(agent), settings.model_fields_set
    temperature, top_p = _SAMPLING[agent]
    if "llm_temperature" in explicit:
        temperature = settings.llm_temperature
    if "llm_top_p" in explicit:
        top_p = settings.llm_top_p
    return (
        temperature if agent_settings.temperature is None else agent_settings.temperature,
        top_p if agent_settings.top_p is None else agent_settings.top_p,
    )
