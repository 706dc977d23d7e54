"""Draw the usage table: each agent's requests to models, with tokens, seconds and cost."""

from __future__ import annotations

import streamlit as st

from components.language import mark_for_translation, say
from components.look import escape, money
from memory_bank.bank.usage import Usage
from memory_bank.views.snapshot import Moment

_COLUMNS = (
    mark_for_translation("Agent"),
    mark_for_translation("Model"),
    mark_for_translation("Calls"),
    mark_for_translation("Prompt tokens"),
    mark_for_translation("Completion tokens"),
    mark_for_translation("Seconds"),
    mark_for_translation("Cost"),
)


def draw_usage_table(moment: Moment) -> None:
    """Draw the usage of each agent that asked a model, and the total as the last row."""
    head = "".join(f'<th scope="col">{say(column)}</th>' for column in _COLUMNS)
    usages = {agent: usage for agent, usage in moment.bank.usage_of.items() if usage.calls}
    body = ""
    for agent, usage in usages.items():
        models = (escape(f"{choice.provider} {choice.model}") for choice in moment.asked.get(agent, ()))
        body += _row(say(agent), "<br>".join(models), usage)
    foot = _row(say("all agents"), "", sum(usages.values(), Usage()))
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
