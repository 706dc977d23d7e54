"""Find the model servers that the settings name, and check the connection to them before a session starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import httpx2

from memory_bank.bank.errors import AgentError, ModelRefusedError, ModelRequestError
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.client.client import ModelClient
from memory_bank.engines.client.endpoint import Endpoint, endpoint_of, host_of
from memory_bank.engines.client.faults import Secrets
from memory_bank.text.wording import Wording, one_line

LONGEST_WAIT = 30.0
"""Seconds to wait for a server during the check; a judgement in a session may take longer."""
_ANSWER_TOKENS = 64
_MAX_MODELS_NAMED = 5


@dataclass(frozen=True)
class ModelServer:
    """A model that some agents use. `host` holds no secrets; `endpoint` is that of the first of these agents."""

    endpoint: Endpoint
    host: str
    agents: tuple[str, ...]

    @property
    def name(self) -> str:
        """Provider and host, for a person."""
        return f"{self.endpoint.provider} at {self.host}"


def model_servers(settings: Settings) -> tuple[ModelServer, ...]:
    """The models that the agents use, each once, without the embedded engine. Raises `SettingsError`."""
    servers: dict[tuple[str, str], ModelServer] = {}
    for agent in AGENTS:
        if settings.provider(agent) == "offline":
            continue
        endpoint = endpoint_of(settings, agent)
        key = (endpoint.provider, endpoint.model)
        server = servers.get(key, ModelServer(endpoint, host_of(endpoint.base_url), ()))
        servers[key] = replace(server, agents=(*server.agents, agent))
    return tuple(servers.values())


def offline_settings(settings: Settings) -> Settings:
    """The settings with the embedded engine for every agent, so that nothing leaves this computer."""
    agents = {name: settings.agent(name).model_copy(update={"provider": None}) for name in AGENTS}
    return settings.model_copy(update={"llm_provider": "offline", **agents})


def shown_address(base_url: str) -> str:
    """An address without user name and password."""
    return urlsplit(base_url)._replace(netloc=host_of(base_url)).geturl()


def check_connection(
    server: ModelServer, transport: httpx2.BaseTransport | None = None, elapsed: Callable[[], float] = time.perf_counter
) -> str:
    """Send a server a short request; returns a line that says how it answered.

    Raises `ModelRefusedError` for a wrong key, model or address, each with its own message, and
    `ModelUnavailableError` if the server cannot be reached. No message contains a key.
    """
    endpoint = replace(server.endpoint, timeout=min(server.endpoint.timeout, LONGEST_WAIT), max_tokens=_ANSWER_TOKENS)
    started = elapsed()
    try:
        ModelClient(endpoint, count_tokens=len, transport=transport).check()  # nobody sees how many they were
    except AgentError as error:
        # A reasoning model may be cut off before its answer: an empty text is an answer too.
        if not error.calls or error.calls[-1].error is not None:
            raise _explained(error, replace(server, endpoint=endpoint), transport) from None
    return Wording(
        "{server} answers as {model}, {seconds} s",
        server=server.name,
        model=endpoint.model_name,
        seconds=f"{elapsed() - started:.1f}",
    )


def _explained(error: AgentError, server: ModelServer, transport: httpx2.BaseTransport | None) -> AgentError:
    """A clearer error if the server's list of models shows the cause; a 404 alone can mean a wrong model or address."""
    endpoint, name, secrets = server.endpoint, server.endpoint.provider.upper(), Secrets.of(server.endpoint)
    # There may be no API at the address: the path was not found, or a web page was returned.
    not_an_api = _status(error) in (404, 405) or isinstance(error.__context__, ValueError)
    if _status(error) == 401 or not (not_an_api or isinstance(error, ModelRefusedError | ModelRequestError)):
        return error
    status, models = _list_models(endpoint, transport)
    if status == 401:
        reason = Wording("{server} does not accept the key; check {name}_API_KEY", server=server.name, name=name)
    elif models and endpoint.model not in models:
        more = len(models) - _MAX_MODELS_NAMED
        others = ", ".join(models[:_MAX_MODELS_NAMED]) + (f" and {more} more" if more > 0 else "")
        reason = Wording(
            "{server} has no model {model}, but {models}; check {name}_MODEL",
            server=server.name,
            model=repr(endpoint.model_name),
            models=others,
            name=name,
        )
    elif models is None and not_an_api:
        reason = Wording(
            "{server} has no API under this address, which often ends in /v1; check {name}_BASE_URL",
            server=server.name,
            name=name,
        )
    else:
        return error
    return ModelRefusedError(error.agent, secrets.redact(reason), calls=error.calls)


def _status(error: AgentError) -> int | None:
    """The HTTP status of the library error behind an error of our client; None if there is none."""
    import openai  # noqa: PLC0415 - needed only after a failed request

    cause = error.__context__
    return cause.status_code if isinstance(cause, openai.APIStatusError) else None


def _list_models(endpoint: Endpoint, transport: httpx2.BaseTransport | None) -> tuple[int | None, list[str] | None]:
    """Ask a server for its models: the HTTP status and the names. Either is None if the server did not give it."""
    key = endpoint.api_key.get_secret_value() or "none"
    address = httpx2.URL(endpoint.base_url)
    auth = (address.username, address.password) if address.userinfo else None
    url = f"{shown_address(endpoint.base_url).rstrip('/')}/models"  # no credentials: the HTTP library logs it
    try:
        with httpx2.Client(transport=transport, auth=auth, timeout=endpoint.timeout, follow_redirects=False) as client:
            response = client.get(url, headers={"Authorization": f"Bearer {key}"})
        models = response.json()["data"] if response.status_code == 200 else None
        return response.status_code, models and [one_line(str(model["id"]))[:80] for model in models]
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):  # the answer is not a list of models
        return None, None
