"""Who may judge a session: the embedded engine, or the models of the visitor's settings; and what is sent to whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from components.settings_form import label_of
from components.start_form import EngineOffer
from memory_bank.agents.react import REACT
from memory_bank.connection import ModelServer, embedded, model_servers
from memory_bank.errors import SettingsError
from memory_bank.events import EngineChoice
from memory_bank.settings import AGENTS, Settings

OFFLINE = EngineOffer("Embedded engine, no key", "Runs on this computer; nothing is sent anywhere.")


@dataclass(frozen=True)
class Offered:
    """The engines a session can be started with, the settings for each, and why there are no more."""

    offers: tuple[EngineOffer, ...]
    settings: tuple[Settings, ...]
    missing: str = ""


def offered(settings: Settings) -> Offered:
    """The embedded engine, and the models that the settings name."""
    offline = embedded(settings)
    try:
        servers = model_servers(settings)
    except SettingsError as error:
        return Offered((OFFLINE,), (offline,), missing(error))
    if not servers:
        return Offered((OFFLINE,), (offline,))
    return Offered((OFFLINE, EngineOffer(_name(servers), sent(settings, servers))), (offline, settings))


def missing(error: SettingsError) -> str:
    """Why the models of the settings cannot be asked."""
    return f"The language model of your settings cannot be asked: {label_of(error.variable)} must be {error.allowed}."


def sent(settings: Settings, servers: tuple[ModelServer, ...]) -> str:
    """What leaves this computer, and where it goes."""
    hosts = " and ".join(dict.fromkeys(server.host for server in servers))
    said = f"The task and the text of the documents are sent to {hosts}."
    asking = [agent for server in servers for agent in server.agents]
    if len(asking) < len(AGENTS):
        others = ", ".join(agent for agent in AGENTS if agent not in asking)
        said += f" The embedded engine does {others}."
    if REACT in asking:
        web = [
            f"{what} {host}"
            for key, what, host in (
                (settings.serper_api_key, "Searches are sent to", "google.serper.dev"),
                (settings.jina_api_key, "pages are read by", "r.jina.ai"),
            )
            if key is not None
        ]
        said += f" {', '.join(web)[:1].upper()}{', '.join(web)[1:]}." if web else ""
    return said


def _name(servers: Iterable[ModelServer]) -> str:
    return " and ".join(f"{server.endpoint.model_name} at {server.host}" for server in servers)


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
    names = " and ".join(sorted(f"{choice.provider} {choice.model}" for choice in before))
    then = f"{_name(servers)}. {sent(settings, servers)}" if servers else "the embedded engine"
    return settings, f"It began with {names}. With your settings it goes on with {then}"
