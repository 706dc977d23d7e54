"""Draw how a question was researched: the queries, opened pages and findings of each round, and why it ended."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.language import listed, mark_for_translation, recorded, say, say_n
from components.look import escape, heading, money
from memory_bank.agents.research import MemoryPage, Research, ResearchRound, Stopped
from memory_bank.bank.usage import Remark, Usage

_STOP_REASONS: dict[Stopped, str] = {
    "enough": mark_for_translation("ended because every part of the question was found"),
    "nothing new": mark_for_translation("ended because nothing new was found"),
    "out of rounds": mark_for_translation("ended because the rounds were used up"),
}
_MAX_PAGES = 6
"""Most pages that are named; the others are counted."""


def draw(research: Research) -> None:
    """Draw the rounds of one question."""
    heading(say("Research"), say(_STOP_REASONS[research.stopped]))
    pages = {page.id: page for page in research.pages}
    rounds = (_round(number, each, pages) for number, each in enumerate(research.rounds, start=1))
    st.html(f'<ul class="mb-list">{"".join(rounds)}</ul>')


def draw_cost(usage: Usage, remarks: Sequence[Remark]) -> None:
    """Draw the remarks on an answer, and the requests, tokens and cost of the question."""
    lines = [recorded(remark.what) for remark in remarks]
    if usage.calls:
        tokens, cost = f"{usage.tokens:,}", money(usage.cost_usd)
        requests = say_n("{n} request", "{n} requests", usage.calls)
        lines.append(say("{requests} to models, {tokens} tokens, {cost}", requests=requests, tokens=tokens, cost=cost))
    if lines:
        st.html(f'<ul class="mb-list">{"".join(f"<li><small>{escape(line)}</small></li>" for line in lines)}</ul>')


def _round(number: int, research_round: ResearchRound, pages: dict[str, MemoryPage]) -> str:
    """A round as an item of a list."""
    plan, page_ids = research_round.plan, research_round.page_ids
    queries = dict.fromkeys(query for need in plan.needs for query in (need.fact, need.keywords, need.sentence))
    lines = [say("looked for: {queries}", queries=" · ".join(queries))]
    if plan.page_ids:
        lines.append(say("opened: {pages}", pages=_page_names(plan.page_ids, pages)))
    lines.append(say("found: {pages}", pages=_page_names(page_ids, pages)) if page_ids else say("nothing found"))
    findings = say_n("{n} relevant sentence", "{n} relevant sentences", len(research_round.findings))
    lines += [recorded(remark.what) for remark in research_round.remarks]
    details = "".join(f"<small>{escape(line)}</small>" for line in lines)
    return f"<li><b>{escape(say('Round {number}', number=number))}</b> {escape(findings)}{details}</li>"


def _page_names(page_ids: tuple[str, ...], pages: dict[str, MemoryPage]) -> str:
    """The first pages by id and title, and the number of the others."""
    shown = [f"{page_id} {pages[page_id].title}".strip() for page_id in page_ids[:_MAX_PAGES]]
    more = len(page_ids) - _MAX_PAGES
    return listed([*shown, say_n("{n} more page", "{n} more pages", more)] if more > 0 else shown)
