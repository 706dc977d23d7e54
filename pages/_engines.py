"""Who may judge a session: the embedded engine, or the models of the visitor's settings; and what is sent to whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from components.language import listed, recorded, say
from components.settings_form import label_of
from components.start_form import EngineOffer
from memory_bank.agents.react import REACT
from memory_bank.connection import ModelServer, embedded, model_servers
from memory_bank.errors import SettingsError
from memory_bank.events import EngineChoice
from memory_bank.settings import AGENTS, Settings


@dataclass(frozen=True)
class Offered:
    """The engines a session can be started with, the settings for each, and why there are no more."""

    offers: tuple[EngineOffer, ...]
    settings: tuple[Settings, ...]
    missing: str = ""


def offered(settings: Settings) -> Offered:
    """The embedded engine, and the models that the settings name."""
    here = EngineOffer(say("Embedded engine, no key"), say("Runs on this computer; nothing is sent anywhere."))
    offline = embedded(settings)
    try:
        servers = model_servers(settings)
    except SettingsError as error:
        return Offered((here,), (offline,), missing(error))
    if not servers:
        return Offered((here,), (offline,))
    return Offered((here, EngineOffer(_name(servers), sent(settings, servers))), (offline, settings))


def missing(error: SettingsError) -> str:
    """Why the models of the settings cannot be asked."""
    return say(
        "The language model of your settings cannot be asked: {setting} must be {allowed}.",
        setting=label_of(error.variable),
        allowed=recorded(error.allowed),
    )


def sent(settings: Settings, servers: tuple[ModelServer, ...]) -> str:
    """What leaves this computer, and where it goes."""
    hosts = listed(dict.fromkeys(server.host for server in servers))
    said = say("The task and the text of the documents are sent to {hosts}.", hosts=hosts)
    asking = [agent for server in servers for agent in server.agents]
    if len(asking) < len(AGENTS):
        others = listed(say(agent) for agent in AGENTS if agent not in asking)
        said = _with(said, say("The embedded engine does {agents}.", agents=others))
    if REACT in asking and settings.serper_api_key is not None:
        said = _with(said, say("Searches are sent to {host}.", host="google.serper.dev"))
    if REACT in asking and settings.jina_api_key is not None:
        said = _with(said, say("Pages are read by {host}.", host="r.jina.ai"))
    return said


def _with(said: str, more: str) -> str:
    """A sentence, and the next one."""
    return say("{said} {more}", said=said, more=more)


def _name(servers: Iterable[ModelServer]) -> str:
    return listed(say("{model} at {host}", model=server.endpoint.model_name, host=server.host) for server in servers)


def to_go_on(began: Iterable[EngineChoice], settings: Settings) -> tuple[Settings, str]:
    """The settings with which a session goes on, and what a person must know before that, if anything.

    One that began on the embedded engine stays there: its documents were not to be sent anywhere.
    """
    before = {choice for choice in began if choice.provider != "offline"}
    if not before:
        return embedded(settings), ""
    try:
        servers = model_servers(settings)
    except SettingsError as error:
        return settings, missing(error)
    if before == {EngineChoice(provider=each.endpoint.provider, model=each.endpoint.model_name) for each in servers}:
        return settings, ""
    names = listed(sorted(f"{choice.provider} {choice.model}" for choice in before))
    if not servers:
        return settings, say(
            "It began with {models}. With your settings it goes on with the embedded engine.", models=names
        )
    now = say(
        "It began with {models}. With your settings it goes on with {others}.", models=names, others=_name(servers)
    )
    return settings, _with(now, sent(settings, servers))
