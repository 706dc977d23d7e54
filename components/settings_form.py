"""The form of the settings: the engine, the servers and keys, each agent by itself, limits, the web."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.look import heading
from memory_bank.settings import AGENTS

Name = tuple[str, ...]
"""A setting: its field, and that field's own field where it is a group."""
Value = str | int | float

PROVIDERS = {"offline": "Embedded engine", "openai": "OpenAI", "deepseek": "DeepSeek", "local": "Local server"}
_SERVERS = ("openai", "deepseek", "local")
_AS_FOR_ALL = "as for all agents"


@dataclass(frozen=True)
class Field:
    """A field of the form. `options` are a choice's values, each with its words."""

    label: str
    kind: Literal["choice", "text", "secret", "whole", "decimal"] = "text"
    options: Mapping[str, str] | None = None
    help: str | None = None


@dataclass(frozen=True)
class Filled:
    """The form as it was sent. A field left empty is None, "" the choice of nothing of one's own.

    `test` asks to try the connection.
    """

    values: Mapping[Name, Value | None]
    test: bool


def _server_fields(provider: str) -> dict[Name, Field]:
    name = PROVIDERS[provider]
    return {
        (provider, "api_key"): Field(f"{name}: key", "secret"),
        (provider, "base_url"): Field(f"{name}: address"),
        (provider, "model"): Field(f"{name}: model"),
    }


def _agent_fields(agent: str) -> dict[Name, Field]:
    name = agent.capitalize() if agent != "react" else "ReAct"
    return {
        (agent, "provider"): Field(f"{name}: engine", "choice", {"": _AS_FOR_ALL, **PROVIDERS}),
        (agent, "model"): Field(f"{name}: model"),
        (agent, "window"): Field(f"{name}: window (tokens)", "whole"),
        (agent, "temperature"): Field(f"{name}: temperature", "decimal"),
        (agent, "top_p"): Field(f"{name}: top-p", "decimal"),
    }


_ENGINE: dict[Name, Field] = {
    ("llm_provider",): Field(
        "Engine for all agents",
        "choice",
        PROVIDERS,
        "The embedded engine needs no key and sends nothing. A local server is any that speaks OpenAI's protocol: "
        "vLLM, llama.cpp, Ollama, LM Studio.",
    ),
    ("analysis_mode",): Field(
        "Comparing a new node with others",
        "choice",
        {"single": "in one request", "two_phase": "in two requests: conflicts first, then relations"},
    ),
}
_LIMITS: dict[Name, Field] = {
    ("max_total_tokens",): Field("Most tokens a session may use", "whole"),
    ("max_cost_usd",): Field("Most money a session may cost (USD)", "decimal"),
}
_WEB: dict[Name, Field] = {
    ("serper_api_key",): Field("Serper: key", "secret", help="With it, a language model may search the web."),
    ("jina_api_key",): Field("Jina: key", "secret", help="With it, a language model may read pages of the web."),
}
FIELDS: dict[Name, Field] = {
    **_ENGINE,
    **{name: field for provider in _SERVERS for name, field in _server_fields(provider).items()},
    **{name: field for agent in AGENTS for name, field in _agent_fields(agent).items()},
    **_LIMITS,
    **_WEB,
}
"""Every field, by the setting that it sets."""
SECRETS = frozenset(name for name, field in FIELDS.items() if field.kind == "secret")
_LABELS = {"_".join(name).upper(): field.label for name, field in FIELDS.items()}


def label_of(variable: str) -> str:
    """What a setting is called on the page; its variable where it is not there."""
    return _LABELS.get(variable, variable)


def in_words(reason: str) -> str:
    """A reason that names variables, with what they are called on the page."""
    for variable, label in _LABELS.items():
        reason = reason.replace(variable, f"“{label}”")
    return reason


def draw(
    given: Mapping[Name, object], otherwise: Callable[[Name], str], version: int, *, own_agents: bool
) -> Filled | None:
    """Draw the form; what was filled in, at the moment it is sent.

    `given` holds what was chosen before, never a key; `otherwise` says what holds where nothing is, as a short text.
    With each `version` the fields begin anew. `own_agents` unfolds the agents' own choices.
    """

    def field(name: Name) -> Value | None:
        return _draw_field(name, given, otherwise(name), f"{'-'.join(name)} {version}")

    values: dict[Name, Value | None] = {}
    with st.form("settings", border=False):
        heading("Engine", "who judges, compares, plans and answers")
        values |= _in_columns([list(_ENGINE)], field)
        heading("Servers", "an empty field means what stands in it in grey")
        values |= _in_columns([list(_server_fields(provider)) for provider in _SERVERS], field, by_column=True)
        with st.expander("Each agent by itself", expanded=own_agents):
            values |= _in_columns([list(_agent_fields(agent)) for agent in AGENTS], field)
        heading("Limits of a session", "it ends with the best answer so far")
        values |= _in_columns([list(_LIMITS)], field)
        heading("The web", "used by a language model that acts; never by the embedded engine")
        values |= _in_columns([list(_WEB)], field)
        with st.container(horizontal=True):
            saved = st.form_submit_button("Save", type="primary", key="save")
            test = st.form_submit_button("Save and test the connection", key="test")
    return Filled(values, test) if saved or test else None


def _in_columns(
    groups: list[list[Name]], draw_one: Callable[[Name], Value | None], *, by_column: bool = False
) -> dict[Name, Value | None]:
    """Draw groups of fields: each a row, or each a column."""
    values: dict[Name, Value | None] = {}
    if by_column:
        for column, group in zip(st.columns(len(groups), gap="medium"), groups, strict=True):
            with column:
                values |= {name: draw_one(name) for name in group}
        return values
    for group in groups:
        for column, name in zip(st.columns(len(group), gap="medium"), group, strict=True):
            with column:
                values[name] = draw_one(name)
    return values


def _draw_field(name: Name, given: Mapping[Name, object], otherwise: str, key: str) -> Value | None:
    field = FIELDS[name]
    if field.kind == "choice":
        return _draw_choice(field, given.get(name, otherwise), key)
    if field.kind in ("whole", "decimal"):
        return _draw_number(field, given.get(name), otherwise, key)
    secret = field.kind == "secret"
    said = st.text_input(
        field.label,
        value="" if secret else str(given.get(name, "")),
        type="password" if secret else "default",
        placeholder=otherwise,
        help=field.help,
        key=key,
    )
    return said.strip() or None


def _draw_choice(field: Field, now: object, key: str) -> str:
    options = list(field.options or {})
    index = options.index(str(now or ""))
    return st.selectbox(
        field.label, options, index, format_func=(field.options or {}).__getitem__, help=field.help, key=key
    )


def _draw_number(field: Field, now: object, otherwise: str, key: str) -> Value | None:
    value = now if isinstance(now, int | float) else None
    if field.kind == "whole":
        whole = None if value is None else int(value)
        return st.number_input(field.label, value=whole, step=1, placeholder=otherwise, key=key)
    decimal = None if value is None else float(value)
    return st.number_input(field.label, value=decimal, step=0.1, format="%g", placeholder=otherwise, key=key)
