"""Before a session: which models the settings ask, where they are, and whether they answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import httpx2

from memory_bank.engines.llm.client import ModelClient
from memory_bank.engines.llm.endpoint import Endpoint, endpoint_of, host_of
from memory_bank.engines.llm.faults import Secrets
from memory_bank.errors import AgentError, ModelRefusedError, ModelRequestError
from memory_bank.one_line import one_line
from memory_bank.settings import AGENTS, Settings

LONGEST_WAIT = 30.0
"""Seconds a server may be silent while it is tried; a judgement may take longer."""
_ANSWER_TOKENS = 64
_NAMED = 5


@dataclass(frozen=True)
class ModelServer:
    """A model that agents ask: `host` is where, without anything secret; `endpoint` is how the first of them does."""

    endpoint: Endpoint
    host: str
    agents: tuple[str, ...]

    @property
    def name(self) -> str:
        """Provider and place, for a person."""
        return f"{self.endpoint.provider} at {self.host}"


def model_servers(settings: Settings) -> tuple[ModelServer, ...]:
    """The models that the agents ask, each once; none on the embedded engine. `SettingsError` names what is wrong."""
    found: dict[tuple[str, str], ModelServer] = {}
    for agent in AGENTS:
        if settings.provider(agent) == "offline":
            continue
        endpoint = endpoint_of(settings, agent)
        which = (endpoint.provider, endpoint.model)
        known = found.get(which, ModelServer(endpoint, host_of(endpoint.base_url), ()))
        found[which] = replace(known, agents=(*known.agents, agent))
    return tuple(found.values())


def embedded(settings: Settings) -> Settings:
    """The settings with the embedded engine for every agent: with them nothing leaves this computer."""
    agents = {name: settings.agent(name).model_copy(update={"provider": None}) for name in AGENTS}
    return settings.model_copy(update={"llm_provider": "offline", **agents})


def shown_address(base_url: str) -> str:
    """An address without a name or a password that it may carry."""
    return urlsplit(base_url)._replace(netloc=host_of(base_url)).geturl()


def check_connection(
    server: ModelServer,
    transport: httpx2.BaseTransport | None = None,
    elapsed: Callable[[], float] = time.perf_counter,
) -> str:
    """Ask a server for one word; what it answered, in words.

    `ModelRefusedError` for a wrong key, model or address, each told apart; `ModelUnavailableError` where it cannot be
    reached. No error text holds a key.
    """
    endpoint = replace(server.endpoint, timeout=min(server.endpoint.timeout, LONGEST_WAIT), max_tokens=_ANSWER_TOKENS)
    started = elapsed()
    try:
        ModelClient(endpoint, transport=transport).check()
    except AgentError as error:
        if not _spoke(error):
            raise _explained(error, replace(server, endpoint=endpoint), transport) from None
    return f"{server.name} answers as {endpoint.model_name}, {elapsed() - started:.1f} s"


def _spoke(error: AgentError) -> bool:
    """Whether a model did answer, only with nothing: one that thinks first may be cut off before it speaks."""
    return bool(error.calls) and error.calls[-1].error is None


def _explained(error: AgentError, server: ModelServer, transport: httpx2.BaseTransport | None) -> AgentError:
    """An error in clearer words, where the server's list of models tells more: a 404 alone may mean two things."""
    endpoint, name, secrets = server.endpoint, server.endpoint.provider.upper(), Secrets.of(server.endpoint)
    misplaced = _misplaced(error)
    if _status(error) == 401 or not (misplaced or isinstance(error, ModelRefusedError | ModelRequestError)):
        return error
    status, known = _models(endpoint, transport)
    if status == 401:
        reason = f"{server.name} does not accept the key; check {name}_API_KEY"
    elif known and endpoint.model not in known:
        others = ", ".join(known[:_NAMED]) + (f" and {len(known) - _NAMED} more" if len(known) > _NAMED else "")
        reason = f"{server.name} has no model {endpoint.model_name!r}, but {others}; check {name}_MODEL"
    elif known is None and misplaced:
        reason = f"{server.name} has no API under this address, which often ends in /v1; check {name}_BASE_URL"
    else:
        return error
    return ModelRefusedError(error.agent, secrets.redact(reason), calls=error.calls)


def _status(error: AgentError) -> int | None:
    """The HTTP status behind an error of the client, which puts its own words in front of the library's error."""
    import openai  # noqa: PLC0415 - only a request that failed comes here

    cause = error.__context__
    return cause.status_code if isinstance(cause, openai.APIStatusError) else None


def _misplaced(error: AgentError) -> bool:
    """Whether what answered may be no API at all: nothing there, or a page for people."""
    return _status(error) in (404, 405) or isinstance(error.__context__, ValueError)


def _models(endpoint: Endpoint, transport: httpx2.BaseTransport | None) -> tuple[int | None, list[str] | None]:
    """What a server answers when it is asked for its models: the status, and their names; None for either."""
    key = endpoint.api_key.get_secret_value() or "none"
    address = httpx2.URL(endpoint.base_url)
    auth = (address.username, address.password) if address.userinfo else None
    url = f"{shown_address(endpoint.base_url).rstrip('/')}/models"  # the HTTP library logs addresses
    try:
        with httpx2.Client(transport=transport, auth=auth, timeout=endpoint.timeout, follow_redirects=False) as client:
            response = client.get(url, headers={"Authorization": f"Bearer {key}"})
        found = response.json()["data"] if response.status_code == 200 else None
        return response.status_code, found and [one_line(str(model["id"]))[:80] for model in found]
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):  # whatever it sends, it is no list of models
        return None, None
