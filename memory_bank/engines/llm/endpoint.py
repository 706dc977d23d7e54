"""Where a model is asked: a provider's server, the key to it, the model, and how freely it should answer."""

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
from memory_bank.agents.remember import REMEMBER, REMEMBER_EXTRACTION
from memory_bank.agents.research import RESEARCH, RESEARCH_TEMPERATURE, RESEARCH_TOP_P
from memory_bank.agents.structure import STRUCTURE
from memory_bank.errors import SettingsError
from memory_bank.settings import NOT_SHOWN, ProviderSettings, Settings, without_folder


@dataclass(frozen=True)
class Provider:
    """What is known of a provider beforehand. `native_tools`: it takes tools in the request."""

    base_url: str
    model: str | None
    needs_key: bool
    native_tools: bool


PROVIDERS = {
    "openai": Provider("https://api.openai.com/v1", "gpt-4o-mini", needs_key=True, native_tools=True),
    "deepseek": Provider("https://api.deepseek.com", "deepseek-chat", needs_key=True, native_tools=True),
    "local": Provider("http://localhost:8000/v1", None, needs_key=False, native_tools=False),
}
_FREEDOM = {agent.name: (agent.temperature, agent.top_p) for agent in (CLASSIFICATION, STRUCTURE, ANALYSIS)}
_FREEDOM |= {agent.name: (agent.temperature, agent.top_p) for agent in (INTEGRATION, PLANNING)}
_FREEDOM[REACT] = (REACT_TEMPERATURE, REACT_TOP_P)
_FREEDOM[RESEARCH] = (RESEARCH_TEMPERATURE, RESEARCH_TOP_P)
_FREEDOM[REMEMBER] = (REMEMBER_EXTRACTION.temperature, REMEMBER_EXTRACTION.top_p)


@dataclass(frozen=True)
class Endpoint:
    """One model of one server, as one agent uses it. Equal ones are the same server, key, model and freedom.

    The address may carry a name and a password, and is not shown.
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
        """The model as it is shown and recorded: of a file on somebody's machine, without its folder."""
        return without_folder(self.model) or self.model


def host_of(base_url: str) -> str:
    """Host and port of an address, without a name or a password that it may carry."""
    return urlsplit(base_url).netloc.rpartition("@")[2]


def endpoint_of(settings: Settings, agent: str) -> Endpoint:
    """Where an agent's model is asked. `SettingsError` names the variable that is missing or cannot be used."""
    name = settings.provider(agent)
    provider, own = PROVIDERS[name], settings.agent(agent)
    chosen: ProviderSettings = getattr(settings, name)
    if provider.needs_key and chosen.api_key is None:
        raise SettingsError(f"{name.upper()}_API_KEY", "", f"the key of your account with {name}")
    model = own.model or chosen.model or provider.model
    if model is None:
        raise SettingsError(f"{name.upper()}_MODEL", "", "the name of a model that your server runs")
    temperature, top_p = _freedom(settings, agent)
    return Endpoint(
        provider=name,
        base_url=_base_url(name, chosen),
        api_key=chosen.api_key or SecretStr(""),
        model=model,
        temperature=temperature,
        top_p=top_p,
        max_tokens=settings.llm_max_tokens,
        timeout=settings.llm_timeout,
        native_tools=_native_tools(settings, provider),
    )


def is_address(text: str) -> bool:
    """Whether something can be asked there: a host, and a port that there is."""
    try:
        return bool(httpx2.URL(text).host) and urlsplit(text).port != 0
    except (httpx2.InvalidURL, ValueError):
        return False


def _base_url(name: str, chosen: ProviderSettings) -> str:
    address = chosen.base_url or PROVIDERS[name].base_url
    if not is_address(address):
        shown = NOT_SHOWN if "@" in address else address
        raise SettingsError(f"{name.upper()}_BASE_URL", shown, f"an address such as {PROVIDERS[name].base_url}")
    return address


def _freedom(settings: Settings, agent: str) -> tuple[float, float]:
    """Temperature and top-p: the agent's own setting, else one given for all, else the agent's table."""
    own, given = settings.agent(agent), settings.model_fields_set
    temperature, top_p = _FREEDOM[agent]
    if "llm_temperature" in given:
        temperature = settings.llm_temperature
    if "llm_top_p" in given:
        top_p = settings.llm_top_p
    return (
        temperature if own.temperature is None else own.temperature,
        top_p if own.top_p is None else own.top_p,
    )


def _native_tools(settings: Settings, provider: Provider) -> bool:
    return provider.native_tools if settings.react.tools == "auto" else settings.react.tools == "native"
