"""Draw the usage table: each agent's requests to models, with tokens, seconds and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.language import mark_for_translation, say
from components.look import escape, money
from memory_bank.bank.events import EngineChoice
from memory_bank.bank.usage import Usage

_COLUMNS = (
    mark_for_translation("Agent"),
    mark_for_translation("Model"),
    mark_for_translation("Calls"),
    mark_for_translation("Prompt tokens"),
    mark_for_translation("Completion tokens"),
    mark_for_translation("Seconds"),
    mark_for_translation("Cost"),
)


@dataclass(frozen=True)
class UsageRow:
    """A row of the table: an agent, the models it used, and its usage."""

    agent: str
    models: tuple[EngineChoice, ...]
    usage: Usage


def draw(rows: Sequence[UsageRow], total: Usage) -> None:
    """Draw the table with the total as its last row."""
    head = "".join(f'<th scope="col">{say(column)}</th>' for column in _COLUMNS)
    body = "".join(_row(say(row.agent), _models(row.models), row.usage) for row in rows)
    foot = _row(say("all agents"), "", total)
    st.html(
        f'<div class="mb-scroll" tabindex="0" aria-label="{say("Requests to models")}"><table class="mb-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _row(agent: str, models: str, usage: Usage) -> str:
    numbers = (
        f"{usage.calls:,}",
        f"{usage.prompt_tokens:,}",
        f"{usage.completion_tokens:,}",
        f"{usage.seconds:,.1f}",
        money(usage.cost_usd),
    )
    cells = "".join(f"<td>{number}</td>" for number in numbers)
    return f'<tr><th scope="row">{escape(agent)}</th><td class="mb-name">{models}</td>{cells}</tr>'


def _models(models: Sequence[EngineChoice]) -> str:
    return "<br>".join(escape(f"{choice.provider} {choice.model}") for choice in models)
