"""The form of the settings: the engine, the servers and keys, each agent by itself, limits, the web."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.language import later, say
from components.look import escape, heading
from memory_bank.settings import AGENTS

Name = tuple[str, ...]
"""A setting: its field, and that field's own field where it is a group."""
Value = str | int | float

PROVIDERS = {
    "offline": later("Embedded engine"),
    "openai": "OpenAI",
    "deepseek": "DeepSeek",
    "local": later("Local server"),
}
_SERVERS = ("openai", "deepseek", "local")
_AGENTS = {
    "classification": later("Classification"),
    "structure": later("Structure"),
    "analysis": later("Analysis"),
    "integration": later("Integration"),
    "planning": later("Planning"),
    "react": "ReAct",
    "research": later("Research"),
    "remember": later("Long-term memory"),
}


@dataclass(frozen=True)
class Field:
    """A field of the form; its words are said when it is drawn.

    `of` is what `{of}` in the label stands for. `options` are a choice's values, each with its words.
    """

    key: str
    kind: Literal["choice", "text", "secret", "whole", "decimal"] = "text"
    options: Mapping[str, str] | None = None
    help: str = ""
    of: str = ""

    @property
    def label(self) -> str:
        """What it is called in the visitor's language."""
        return say(self.key, of=say(self.of)) if self.of else say(self.key)

    @property
    def choices(self) -> dict[str, str]:
        """The values of a choice in words."""
        return {value: say(word) for value, word in (self.options or {}).items()}


@dataclass(frozen=True)
class Filled:
    """The form as it was sent. A field left empty is None, "" the choice of nothing of one's own.

    `test` asks to try the connection.
    """

    values: Mapping[Name, Value | None]
    test: bool


@dataclass(frozen=True)
class Origin:
    """A setting that is not as it comes: `value` in words, and whether it was chosen in this tab."""

    name: Name
    value: str
    in_tab: bool


def _server_fields(provider: str) -> dict[Name, Field]:
    name = PROVIDERS[provider]
    return {
        (provider, "api_key"): Field(later("{of}: key"), "secret", of=name),
        (provider, "base_url"): Field(later("{of}: address"), of=name),
        (provider, "model"): Field(later("{of}: model"), of=name),
    }


def _agent_fields(agent: str) -> dict[Name, Field]:
    name = _AGENTS[agent]
    engines = {"": later("as ReAct") if agent in ("research", "remember") else later("as for all agents"), **PROVIDERS}
    return {
        (agent, "provider"): Field(later("{of}: engine"), "choice", engines, of=name),
        (agent, "model"): Field(later("{of}: model"), of=name),
        (agent, "window"): Field(later("{of}: window (tokens)"), "whole", of=name),
        (agent, "temperature"): Field(later("{of}: temperature"), "decimal", of=name),
        (agent, "top_p"): Field(later("{of}: top-p"), "decimal", of=name),
    }


_KINDS = {
    "auto": later("as it reads"),
    "fact": later("a question for one fact"),
    "count": later("a question for a number"),
    "when": later("a question for a date or time"),
    "who": later("a question for a person or an organisation"),
    "why": later("a question for a reason"),
    "how": later("a question for how something is done"),
    "list": later("a list"),
    "dates": later("all dates, in order"),
    "comparison": later("a comparison"),
    "changes": later("what changed"),
    "summary": later("a summary"),
    "several": later("several questions at once"),
    "beyond": later("more than it can do: writing, judging, advising"),
}
_ENGINE: dict[Name, Field] = {
    ("llm_provider",): Field(
        later("Engine for all agents"),
        "choice",
        PROVIDERS,
        later(
            "The embedded engine needs no key and sends nothing. A local server is any that speaks OpenAI's protocol: "
            "vLLM, llama.cpp, Ollama, LM Studio."
        ),
    ),
    ("analysis_mode",): Field(
        later("Comparing a new node with others"),
        "choice",
        {"single": later("in one request"), "two_phase": later("in two requests: conflicts first, then relations")},
    ),
    ("task_kind",): Field(later("What the embedded engine takes a task for"), "choice", _KINDS),
}
_LIMITS: dict[Name, Field] = {
    ("max_total_tokens",): Field(later("Most tokens a session may use"), "whole"),
    ("max_cost_usd",): Field(later("Most money a session may cost (USD)"), "decimal"),
}
_WEB: dict[Name, Field] = {
    ("serper_api_key",): Field(
        later("{of}: key"), "secret", help=later("With it, a language model may search the web."), of="Serper"
    ),
    ("jina_api_key",): Field(
        later("{of}: key"), "secret", help=later("With it, a language model may read pages of the web."), of="Jina"
    ),
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
_BY_VARIABLE = {"_".join(name).upper(): field for name, field in FIELDS.items()}


def label_of(variable: str) -> str:
    """What a setting is called on the page; its variable where it is not there."""
    field = _BY_VARIABLE.get(variable)
    return variable if field is None else field.label


def in_words(reason: str) -> str:
    """A reason that names variables, with what they are called on the page."""
    for variable, field in _BY_VARIABLE.items():
        if variable in reason:
            reason = reason.replace(variable, f"“{field.label}”")
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
        heading(say("Engine"), say("who judges, compares, plans and answers"))
        values |= _in_columns([list(_ENGINE)], field)
        heading(say("Servers"), say("an empty field means what stands in it in grey"))
        values |= _in_columns([list(_server_fields(provider)) for provider in _SERVERS], field, by_column=True)
        with st.expander(say("Each agent by itself"), expanded=own_agents):
            values |= _in_columns([list(_agent_fields(agent)) for agent in AGENTS], field)
        heading(say("Limits of a session"), say("it ends with the best answer so far"))
        values |= _in_columns([list(_LIMITS)], field)
        heading(say("The web"), say("used by a language model that acts; never by the embedded engine"))
        values |= _in_columns([list(_WEB)], field)
        with st.container(horizontal=True):
            saved = st.form_submit_button(say("Save"), type="primary", key="save")
            test = st.form_submit_button(say("Save and test the connection"), key="test")
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
        help=say(field.help) if field.help else None,
        key=key,
    )
    return said.strip() or None


def _draw_choice(field: Field, now: object, key: str) -> str:
    choices = field.choices
    return st.selectbox(
        field.label,
        list(choices),
        list(choices).index(str(now or "")),
        format_func=choices.__getitem__,
        help=say(field.help) if field.help else None,
        key=key,
    )


def _draw_number(field: Field, now: object, otherwise: str, key: str) -> Value | None:
    value = now if isinstance(now, int | float) else None
    if field.kind == "whole":
        whole = None if value is None else int(value)
        return st.number_input(field.label, value=whole, step=1, placeholder=otherwise, key=key)
    decimal = None if value is None else float(value)
    return st.number_input(field.label, value=decimal, step=0.1, format="%g", placeholder=otherwise, key=key)


def draw_origins(origins: Sequence[Origin]) -> None:
    """Draw the settings that are not as they come, and where each was set."""
    if not origins:
        st.html(f'<div class="mb-empty">{escape(say("Every setting is as it comes."))}</div>')
        return
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in (say("Setting"), say("Value"), say("Set in")))
    rows = "".join(
        f'<tr><th scope="row">{escape(FIELDS[origin.name].label)}</th><td class="mb-name">{escape(origin.value)}</td>'
        f"<td>{escape(say('this tab') if origin.in_tab else say('the environment'))}</td></tr>"
        for origin in origins
    )
    table = f'<table class="mb-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    st.html(f'<div class="mb-scroll">{table}</div>')
