"""How a question was researched: round by round what was asked for, opened and found, and why it ended."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.language import later, listed, recorded, say, say_n
from components.look import escape, heading, money
from memory_bank.agents.research import Page, Research, ResearchRound, Stopped
from memory_bank.bank.usage import Remark, Usage

STOPPED: dict[Stopped, str] = {
    "enough": later("ended because every part of the question was found"),
    "nothing new": later("ended because nothing new was found"),
    "out of rounds": later("ended because it was out of rounds"),
}
SHOWN = 6
"""Pages of a round that are named; the others are counted."""


def draw(found: Research) -> None:
    """Draw the rounds of one question."""
    heading(say("Research"), say(STOPPED[found.stopped]))
    pages = {page.id: page for page in found.pages}
    rounds = (_round(number, one, pages) for number, one in enumerate(found.rounds, start=1))
    st.html(f'<ul class="mb-list">{"".join(rounds)}</ul>')


def draw_cost(usage: Usage, remarks: Sequence[Remark]) -> None:
    """Draw what models took for a question and its answer, and what of the answer was not to be trusted."""
    lines = [recorded(remark.what) for remark in remarks]
    if usage.calls:
        tokens, cost = f"{usage.tokens:,}", money(usage.cost_usd)
        requests = say_n("{n} request", "{n} requests", usage.calls)
        lines.append(say("{requests} to models, {tokens} tokens, {cost}", requests=requests, tokens=tokens, cost=cost))
    if lines:
        st.html(f'<ul class="mb-list">{"".join(f"<li><small>{escape(line)}</small></li>" for line in lines)}</ul>')


def _round(number: int, one: ResearchRound, pages: dict[str, Page]) -> str:
    """A round as an item of a list."""
    queries = dict.fromkeys(query for need in one.plan.needs for query in (need.fact, need.keywords, need.sentence))
    lines = [say("looked for: {queries}", queries=" · ".join(queries))]
    if one.plan.page_ids:
        lines.append(say("opened: {pages}", pages=_named(one.plan.page_ids, pages)))
    lines.append(say("found: {pages}", pages=_named(one.page_ids, pages)) if one.page_ids else say("found: nothing"))
    findings = say_n("{n} sentence serves the question", "{n} sentences serve the question", len(one.findings))
    lines += [recorded(remark.what) for remark in one.remarks]
    said = "".join(f"<small>{escape(line)}</small>" for line in lines)
    return f"<li><b>{escape(say('Round {number}', number=number))}</b> {escape(findings)}{said}</li>"


def _named(page_ids: tuple[str, ...], pages: dict[str, Page]) -> str:
    """Pages by id and title, and how many more there are."""
    shown = [f"{page_id} {pages[page_id].title}".strip() for page_id in page_ids[:SHOWN]]
    more = len(page_ids) - SHOWN
    return listed([*shown, say_n("{n} more page", "{n} more pages", more)] if more > 0 else shown)
