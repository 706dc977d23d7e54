"""Draw the settings form: engine, servers and keys, settings for each agent, limits, web; and what was changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from components.language import mark_for_translation, say
from components.look import draw_note, escape, heading
from memory_bank.bank.settings import AGENTS
from memory_bank.bank.task_kind import TaskKind

SettingName = tuple[str, ...]
"""The path of a setting: its field, and the field within it if it is a group."""
SettingValue = str | int | float

PROVIDERS = {
    "offline": mark_for_translation("Embedded engine"),
    "openai": "OpenAI",
    "deepseek": "DeepSeek",
    "local": mark_for_translation("Local server"),
}
_SERVERS = ("openai", "deepseek", "local")
_AGENTS = {
    "classification": mark_for_translation("Classification"),
    "structure": mark_for_translation("Structure"),
    "analysis": mark_for_translation("Analysis"),
    "integration": mark_for_translation("Integration"),
    "planning": mark_for_translation("Planning"),
    "react": "ReAct",
    "research": mark_for_translation("Research"),
    "remember": mark_for_translation("Long-term memory"),
}


@dataclass(frozen=True)
class Field:
    """A field of the form. Its texts are in English and are translated when it is drawn.

    `of` replaces `{of}` in the label `english`. `options` are the values of a choice, each with its label.
    """

    english: str
    kind: Literal["choice", "text", "secret", "whole", "decimal"] = "text"
    options: Mapping[str, str] | None = None
    help: str = ""
    of: str = ""

    @property
    def label(self) -> str:
        """The label in the visitor's language."""
        return say(self.english, of=say(self.of)) if self.of else say(self.english)

    @property
    def choices(self) -> dict[str, str]:
        """The values of a choice with their labels in the visitor's language."""
        return {value: say(label) for value, label in (self.options or {}).items()}


def _server_fields(provider: str) -> dict[SettingName, Field]:
    name = PROVIDERS[provider]
    return {
        (provider, "api_key"): Field(mark_for_translation("{of}: key"), "secret", of=name),
        (provider, "base_url"): Field(mark_for_translation("{of}: address"), of=name),
        (provider, "model"): Field(mark_for_translation("{of}: model"), of=name),
    }


def _agent_fields(agent: str) -> dict[SettingName, Field]:
    name = _AGENTS[agent]
    default = (
        mark_for_translation("same as ReAct")
        if agent in ("research", "remember")
        else mark_for_translation("same as for all agents")
    )
    engines = {"": default, **PROVIDERS}
    return {
        (agent, "provider"): Field(mark_for_translation("{of}: engine"), "choice", engines, of=name),
        (agent, "model"): Field(mark_for_translation("{of}: model"), of=name),
        (agent, "window"): Field(mark_for_translation("{of}: window (tokens)"), "whole", of=name),
        (agent, "temperature"): Field(mark_for_translation("{of}: temperature"), "decimal", of=name),
        (agent, "top_p"): Field(mark_for_translation("{of}: top-p"), "decimal", of=name),
    }


TASK_KINDS = {
    "auto": mark_for_translation("automatic"),
    "fact": mark_for_translation("one fact"),
    "count": mark_for_translation("a number"),
    "when": mark_for_translation("a date or time"),
    "who": mark_for_translation("a person or an organisation"),
    "why": mark_for_translation("a reason"),
    "how": mark_for_translation("how something is done"),
    "list": mark_for_translation("a list"),
    "dates": mark_for_translation("all dates, in order"),
    "comparison": mark_for_translation("a comparison"),
    "changes": mark_for_translation("what changed"),
    "summary": mark_for_translation("a summary"),
    "several": mark_for_translation("several things at once"),
    "beyond": mark_for_translation("something it cannot do: writing, judging, advising"),
}
CHOICES = tuple(kind for kind in TaskKind if kind is not TaskKind.BEYOND)
"""What a person can say that a task is."""
PRESETS = {
    "fast": mark_for_translation("Fast: acts and answers"),
    "balanced": mark_for_translation("Balanced: compares, plans, acts and answers"),
    "best": mark_for_translation("Best: does everything"),
}
_ENGINE: dict[SettingName, Field] = {
    ("llm_provider",): Field(
        mark_for_translation("Engine for all agents"),
        "choice",
        PROVIDERS,
        mark_for_translation(
            "The embedded engine needs no key and sends nothing. A local server is any that speaks OpenAI's protocol: "
            "vLLM, llama.cpp, Ollama, LM Studio."
        ),
    ),
    ("llm_preset",): Field(
        mark_for_translation("What the engine for all agents does"),
        "choice",
        PRESETS,
        mark_for_translation("The embedded engine does what a language model does not."),
    ),
    ("analysis_mode",): Field(
        mark_for_translation("Comparing a new node with others"),
        "choice",
        {
            "single": mark_for_translation("in one request"),
            "two_phase": mark_for_translation("in two requests: conflicts first, then relations"),
        },
    ),
    ("task_kind",): Field(mark_for_translation("What the task asks for (embedded engine)"), "choice", TASK_KINDS),
}
_LIMITS: dict[SettingName, Field] = {
    ("max_total_tokens",): Field(mark_for_translation("Token limit of a session"), "whole"),
    ("max_cost_usd",): Field(mark_for_translation("Cost limit of a session (USD)"), "decimal"),
}
_WEB: dict[SettingName, Field] = {
    ("serper_api_key",): Field(
        mark_for_translation("{of}: key"),
        "secret",
        help=mark_for_translation("Lets a language model search the web."),
        of="Serper",
    ),
    ("jina_api_key",): Field(
        mark_for_translation("{of}: key"),
        "secret",
        help=mark_for_translation("Lets a language model read web pages."),
        of="Jina",
    ),
}
FIELDS: dict[SettingName, Field] = {
    **_ENGINE,
    **{name: field for provider in _SERVERS for name, field in _server_fields(provider).items()},
    **{name: field for agent in AGENTS for name, field in _agent_fields(agent).items()},
    **_LIMITS,
    **_WEB,
}
"""All fields of the form, by setting."""
SECRETS = frozenset(name for name, field in FIELDS.items() if field.kind == "secret")
_BY_VARIABLE = {"_".join(name).upper(): field for name, field in FIELDS.items()}


def label_of(variable: str) -> str:
    """The label of a setting on the page; the variable itself if the form has no such field."""
    field = _BY_VARIABLE.get(variable)
    return variable if field is None else field.label


def replace_variables(reason: str) -> str:
    """Replace the variables in a message by the labels of their settings on the page."""
    for variable, field in _BY_VARIABLE.items():
        if variable in reason:
            reason = reason.replace(variable, f"“{field.label}”")
    return reason


def draw_settings_form(
    chosen: Mapping[SettingName, object],
    default_text: Callable[[SettingName], str],
    version: int,
    *,
    expand_agents: bool,
) -> tuple[Mapping[SettingName, SettingValue | None], bool] | None:
    """Draw the form; when it is submitted its values (empty: None, the default: ""), and whether to test them.

    `chosen` holds the values set before, never a key; `default_text` says in short what applies to an empty field.
    A new `version` resets the fields. `expand_agents` opens the settings for each agent.
    """

    def draw_field(name: SettingName) -> SettingValue | None:
        return _draw_field(name, chosen, default_text(name), f"{'-'.join(name)} {version}")

    values: dict[SettingName, SettingValue | None] = {}
    with st.form("settings", border=False):
        heading(say("Engine"), say("who judges, compares, plans and answers"))
        values |= _in_columns([[name] for name in _ENGINE], draw_field)
        heading(say("Servers"), say("an empty field uses the value shown in grey"))
        values |= _in_columns([list(_server_fields(provider)) for provider in _SERVERS], draw_field)
        with st.expander(say("Settings for each agent"), expanded=expand_agents):
            for agent in AGENTS:
                values |= _in_columns([[name] for name in _agent_fields(agent)], draw_field)
        heading(say("Limits of a session"), say("at a limit, the session ends with the best answer so far"))
        values |= _in_columns([[name] for name in _LIMITS], draw_field)
        heading(say("The web"), say("used by the acting language model, never by the embedded engine"))
        values |= _in_columns([[name] for name in _WEB], draw_field)
        with st.container(horizontal=True):
            saved = st.form_submit_button(say("Save"), type="primary", key="save")
            test = st.form_submit_button(say("Save and test the connection"), key="test")
    return (values, test) if saved or test else None


def _in_columns(
    groups: list[list[SettingName]], draw_field: Callable[[SettingName], SettingValue | None]
) -> dict[SettingName, SettingValue | None]:
    """Draw groups of fields, each in a column; the values by setting."""
    values: dict[SettingName, SettingValue | None] = {}
    for column, names in zip(st.columns(len(groups), gap="medium"), groups, strict=True):
        with column:
            values |= {name: draw_field(name) for name in names}
    return values


def _draw_field(name: SettingName, chosen: Mapping[SettingName, object], default: str, key: str) -> SettingValue | None:
    field, value = FIELDS[name], chosen.get(name)
    label, help_text = field.label, say(field.help) if field.help else None
    number = value if isinstance(value, int | float) else None
    if field.kind == "choice":
        choices = field.choices
        index = list(choices).index(str(chosen.get(name, default) or ""))
        return st.selectbox(label, list(choices), index, format_func=choices.__getitem__, help=help_text, key=key)
    if field.kind == "decimal":
        real = None if number is None else float(number)
        return st.number_input(label, value=real, step=0.1, format="%g", placeholder=default, key=key)
    if field.kind == "whole":
        whole = None if number is None else int(number)
        return st.number_input(label, value=whole, step=1, placeholder=default, key=key)
    text = st.text_input(
        label,
        value="" if field.kind == "secret" else str(chosen.get(name, "")),
        type="password" if field.kind == "secret" else "default",
        placeholder=default,
        help=help_text,
        key=key,
    )
    return text.strip() or None


def draw_origins(origins: Mapping[SettingName, tuple[str, bool]]) -> None:
    """Draw a table of the settings that differ from their defaults: each value, and whether it was set in this tab."""
    if not origins:
        draw_note(say("All settings have their default values."))
        return
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in (say("Setting"), say("Value"), say("Set in")))
    rows = "".join(
        f'<tr><th scope="row">{escape(FIELDS[name].label)}</th><td class="mb-name">{escape(value)}</td>'
        f"<td>{escape(say('this tab') if in_tab else say('the environment'))}</td></tr>"
        for name, (value, in_tab) in origins.items()
    )
    table = f'<table class="mb-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    st.html(f'<div class="mb-scroll">{table}</div>')
