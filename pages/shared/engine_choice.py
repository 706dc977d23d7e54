"""The engines a session can use, the embedded one or the visitor's models, and what each sends to other servers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from components.language import listed, recorded, say
from components.settings_form import label_of
from components.start_form import EngineOffer
from memory_bank.agents.react import REACT
from memory_bank.app.connection import ModelServer, model_servers, offline_settings
from memory_bank.bank.errors import SettingsError
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.settings import AGENTS, Settings


@dataclass(frozen=True)
class EngineOffers:
    """The engines a session can be started with, and why the models are unavailable, if so."""

    offers: tuple[EngineOffer, ...]
    models_unavailable: str = ""


def engine_offers(settings: Settings) -> EngineOffers:
    """The embedded engine, and the models named by the settings."""
    sends = say("Runs on this computer; nothing is sent anywhere.")
    embedded_engine = EngineOffer(say("Embedded engine, no key"), sends, offline_settings(settings))
    try:
        servers = model_servers(settings)
    except SettingsError as error:
        return EngineOffers((embedded_engine,), models_unavailable(error))
    if not servers:
        return EngineOffers((embedded_engine,))
    models = EngineOffer(_model_names(servers), what_is_sent(settings, servers), settings)
    return EngineOffers((embedded_engine, models))


def models_unavailable(error: SettingsError) -> str:
    """Why the models of the settings cannot be used."""
    return say(
        "The language model in your settings cannot be used: {setting} must be {allowed}.",
        setting=label_of(error.variable),
        allowed=recorded(error.allowed),
    )


def what_is_sent(settings: Settings, servers: tuple[ModelServer, ...]) -> str:
    """Say what leaves this computer, and where it goes."""
    hosts = listed(dict.fromkeys(server.host for server in servers))
    text = say("The task and the text of the documents are sent to {hosts}.", hosts=hosts)
    with_model = [agent for server in servers for agent in server.agents]
    if len(with_model) < len(AGENTS):
        others = listed(say(agent) for agent in AGENTS if agent not in with_model)
        text = _join(text, say("The embedded engine does {agents}.", agents=others))
    if REACT in with_model and settings.serper_api_key is not None:
        text = _join(text, say("Searches are sent to {host}.", host="google.serper.dev"))
    if REACT in with_model and settings.jina_api_key is not None:
        text = _join(text, say("Pages are read by {host}.", host="r.jina.ai"))
    return text


def _join(first: str, second: str) -> str:
    """Two sentences, one after the other."""
    return say("{said} {more}", said=first, more=second)


def _model_names(servers: Iterable[ModelServer]) -> str:
    return listed(say("{model} at {host}", model=server.endpoint.model_name, host=server.host) for server in servers)


def resume_settings(engines: Iterable[EngineChoice], settings: Settings) -> tuple[Settings, str]:
    """The settings for resuming a session started with these engines, and a warning for the person, "" if none.

    A session started on the embedded engine stays there: its documents must not be sent anywhere.
    """
    models_before = {choice for choice in engines if choice.provider != "offline"}
    if not models_before:
        return offline_settings(settings), ""
    try:
        servers = model_servers(settings)
    except SettingsError as error:
        return settings, models_unavailable(error)
    models_now = {EngineChoice(provider=each.endpoint.provider, model=each.endpoint.model_name) for each in servers}
    if models_before == models_now:
        return settings, ""
    names = listed(sorted(f"{choice.provider} {choice.model}" for choice in models_before))
    if not servers:
        return settings, say(
            "The session started with {models}. With your settings it continues with the embedded engine.", models=names
        )
    change = say(
        "The session started with {models}. With your settings it continues with {others}.",
        models=names,
        others=_model_names(servers),
    )
    return settings, _join(change, what_is_sent(settings, servers))
