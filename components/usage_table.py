"""What each agent's requests to models took: how many, how much, how long, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.language import later, say
from components.look import escape, money
from memory_bank.bank.usage import Usage
from memory_bank.events import EngineChoice

_COLUMNS = (
    later("Agent"),
    later("Model"),
    later("Calls"),
    later("Prompt tokens"),
    later("Completion tokens"),
    later("Seconds"),
    later("Cost"),
)


@dataclass(frozen=True)
class UsageRow:
    """A line of the table: an agent, the models it asked, and what that took."""

    agent: str
    models: tuple[EngineChoice, ...]
    usage: Usage


def draw(rows: Sequence[UsageRow], total: Usage) -> None:
    """Draw the table with the sum as its last line."""
    head = "".join(f'<th scope="col">{say(column)}</th>' for column in _COLUMNS)
    body = "".join(_line(say(row.agent), _models(row.models), row.usage) for row in rows)
    foot = _line(say("all agents"), "", total)
    st.html(
        f'<div class="mb-scroll" tabindex="0" aria-label="{say("Requests to models")}"><table class="mb-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _line(agent: str, models: str, usage: Usage) -> str:
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
